import { lstat, rename, rm, writeFile } from 'node:fs/promises'
import { decoded } from '../kit/text.ts'
import { openFile, openFolder } from '../volume/files.ts'
import { type Folder, VolumeError } from '../volume/folder.ts'
import { namesOf, textOf } from '../volume/names.ts'

const maxReadBytes = 64 * 1024
const maxWriteBytes = 1024 * 1024
const maxEntries = 500
/** Bounds of a search; folders of package managers and git are skipped. */
const maxWalked = 20_000
const maxDepth = 30
const unsearched = new Set(['node_modules', '.git'])

/** Regular files below one folder: no `..`, no symbolic links, no devices, no pipes. All methods throw VolumeError. */
export class ToolFolder {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  async read(path: string): Promise<string> {
    await using file = await openFile(this.#root, inside(path))
    const { size } = await file.stat()
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(size, maxReadBytes)), 0, null, 0)
    const text = decoded(buffer.subarray(0, bytesRead), size <= maxReadBytes)
    return size > maxReadBytes ? `${text}\n[cut: the first ${maxReadBytes} of ${size} bytes]` : text
  }

  async readWhole(path: string): Promise<string> {
    await using file = await openFile(this.#root, inside(path))
    const { size } = await file.stat()
    if (size > maxWriteBytes) throw new VolumeError('validation', `The file has more than ${maxWriteBytes} bytes.`)
    return await file.readFile('utf8')
  }

  async *walk(): AsyncGenerator<string> {
    await using top = await openFolder(this.#root, [])
    let count = 0
    for await (const path of filesIn(top, '', maxDepth)) if (count++ < maxWalked) yield path
  }

  async write(path: string, text: string): Promise<void> {
    if (Buffer.byteLength(text) > maxWriteBytes)
      throw new VolumeError('validation', `A file may have ${maxWriteBytes} bytes at most.`)
    const names = namesOf(inside(path))
    const name = names.pop()
    if (!name) throw new VolumeError('validation', 'Name a file.')
    await using folder = await openFolder(this.#root, names, true)
    const target = folder.at(name)
    const there = await lstat(target).catch(() => null)
    if (there && !there.isFile()) throw new VolumeError('validation', `${path} is not a regular file.`)
    const next = folder.at(Buffer.concat([Buffer.from('.'), name.subarray(0, 200), Buffer.from('.next')]))
    await rm(next, { force: true })
    await writeFile(next, text, { flag: 'wx', mode: 0o600 })
    await rename(next, target)
  }

  async list(path: string): Promise<string[]> {
    await using folder = await openFolder(this.#root, namesOf(inside(path)))
    const shown: string[] = []
    let count = 0
    for await (const { name, kind } of folder.entries())
      if (count++ < maxEntries) shown.push(`${textOf(name)}${kind === 'folder' ? '/' : ''}`)
    return count > maxEntries ? [...shown, `[cut: ${count} entries in all]`] : shown
  }
}

async function* filesIn(folder: Folder, prefix: string, depth: number): AsyncGenerator<string> {
  for await (const { name, kind } of folder.entries()) {
    const path = prefix + textOf(name)
    if (kind === 'file') yield path
    if (kind !== 'folder' || depth === 0 || unsearched.has(textOf(name))) continue
    await using inner = await folder.folder(name)
    yield* filesIn(inner, `${path}/`, depth - 1)
  }
}

/** Normalises a path as models write them (`./a//b`). */
function inside(path: string): string {
  if (path.startsWith('/')) throw new VolumeError('validation', 'Paths are relative to the folder.')
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.includes('..')) throw new VolumeError('validation', 'A path may not contain "..".')
  return names.join('/')
}
