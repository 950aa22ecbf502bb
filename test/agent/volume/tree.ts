import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { VolumeError } from '../../../agent/volume/folder.ts'

/** A folder's contents by path: a file's text, or null for a folder. */
export type Tree = Record<string, string | null>

/** Runs a function as if there were no agent. */
export const still = <T>(run: () => Promise<T>): Promise<T> => run()

/** A volume with a folder next to it that nothing may touch. */
export class TestVolume {
  readonly around = realpathSync(mkdtempSync(join(tmpdir(), 'berth-edit-')))
  readonly path = join(this.around, 'volume')
  readonly outside = join(this.around, 'outside')

  constructor(tree: Tree = {}) {
    mkdirSync(join(this.path, 'workspace'), { recursive: true })
    mkdirSync(this.outside)
    writeFileSync(join(this.outside, 'secret'), 'not yours')
    for (const [path, text] of Object.entries(tree)) this.put(path, text)
  }

  put(path: string, text: string | null): void {
    const whole = join(this.path, path)
    mkdirSync(text === null ? whole : dirname(whole), { recursive: true })
    if (text !== null) writeFileSync(whole, text)
  }

  at = (path: string): string => join(this.path, path)

  /** All files except the supervisor's own. */
  tree(root = this.path, prefix = ''): Tree {
    const found: Tree = {}
    for (const name of readdirSync(root)) {
      if (prefix === '' && name === '.berth') continue
      const path = join(root, name)
      const isFolder = lstatSync(path).isDirectory()
      found[prefix + name] = isFolder ? null : readFileSync(path, 'utf8')
      if (isFolder) Object.assign(found, this.tree(path, `${prefix}${name}/`))
    }
    return found
  }

  /** Files that the supervisor has not cleaned up. */
  leftovers = (folder = 'edits'): string[] => {
    try {
      return readdirSync(join(this.path, '.berth', folder))
    } catch {
      return []
    }
  }

  close = (): void => rmSync(this.around, { recursive: true, force: true })
}

/** 'done', or the error code of a refused edit. */
export const outcomeOf = (edit: Promise<unknown>): Promise<string> =>
  edit.then(
    () => 'done',
    (thrown: unknown) => {
      if (thrown instanceof VolumeError) return thrown.code
      throw thrown
    },
  )
