import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Source {
  /** Path from the root of the repository. */
  path: string
  text: string
  lines: number
  /**
   * Modules that the file imports: paths from the root for the project's own, names for packages. `typeOnly` imports
   * vanish at run time. `names` is null for an import of the whole module.
   */
  imports: { from: string; typeOnly: boolean; names: string[] | null }[]
}

const importPattern =
  /^(?:import|export)\s+(type\s+)?(?:([^'"]*?)\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const imports = [...text.matchAll(importPattern)].map((found) => {
    const name = found[3] ?? found[4] ?? ''
    const listed = /^\{([^}]*)\}$/.exec(found[2]?.trim() ?? '')?.[1]
    return {
      from: name.startsWith('.') ? normalize(join(dirname(path), name)) : name,
      typeOnly: found[1] !== undefined,
      names: listed?.split(',').map((each) => /^(?:type )?(\w+)/.exec(each.trim())?.[1] ?? '') ?? null,
    }
  })
  return { path, text, lines: text.split('\n').length - 1, imports }
}

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
  cwd: root,
  encoding: 'utf8',
})

/** Every TypeScript file of the project in the work tree. */
export const sources: Source[] = [...new Set(listed.split('\n'))].filter(Boolean).flatMap((path) => {
  try {
    return [read(path)]
  } catch {
    return [] // deleted in the work tree
  }
})

export const topOf = (path: string): string => path.split('/')[0] ?? ''
export const inFolder = (folder: string) => sources.filter(({ path }) => path.startsWith(`${folder}/`))
