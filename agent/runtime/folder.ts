import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** Why a path was not followed, in words for the model. */
export class Refused extends Error {
  override name = 'Refused'
}

const maxReadBytes = 64 * 1024
const maxWriteBytes = 1024 * 1024
const maxEntries = 500

/** Regular files below one folder, and nothing else: no `..`, no symbolic link, no device, no pipe. */
export interface Folder {
  read(path: string): Promise<string>
  write(path: string, text: string): Promise<void>
  list(path: string): Promise<string[]>
}

export const folderAt = (root: string): Folder => ({
  async read(path) {
    const { parent, name } = await locate(root, path, false)
    const file = await openRegular(join(parent, name))
    try {
      const { size } = await file.stat()
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(size, maxReadBytes)), 0, null, 0)
      const text = buffer.subarray(0, bytesRead).toString('utf8')
      return size > maxReadBytes ? `${text}\n[cut: the first ${maxReadBytes} of ${size} bytes]` : text
    } finally {
      await file.close()
    }
  },

  async write(path, text) {
    if (Buffer.byteLength(text) > maxWriteBytes) throw new Refused(`A file may have ${maxWriteBytes} bytes at most.`)
    const { parent, name } = await locate(root, path, true)
    const target = join(parent, name)
    const there = await lstat(target).catch(() => null)
    if (there && !there.isFile()) throw new Refused(`${path} is not a regular file.`)
    const next = join(parent, `.${name.slice(0, 200)}.next`)
    await rm(next, { force: true })
    await writeFile(next, text, { flag: 'wx', mode: 0o600 })
    await rename(next, target)
  },

  async list(path) {
    const parts = partsOf(path)
    const folder = await walk(root, parts, false)
    const entries = await readdir(folder, { withFileTypes: true })
    const shown = entries.slice(0, maxEntries).map((one) => `${one.name}${one.isDirectory() ? '/' : ''}`)
    return entries.length > maxEntries ? [...shown, `[cut: ${entries.length} entries in all]`] : shown
  },
})

function partsOf(path: string): string[] {
  if (path.startsWith('/') || path.startsWith('\\')) throw new Refused('Paths are relative to the folder.')
  if (path.includes('\0')) throw new Refused('A path has no zero bytes.')
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw new Refused('A path may not contain "..".')
  return parts
}

async function locate(root: string, path: string, make: boolean): Promise<{ parent: string; name: string }> {
  const parts = partsOf(path)
  const name = parts.pop()
  if (name === undefined) throw new Refused('Name a file.')
  return { parent: await walk(root, parts, make), name }
}

/** The real folder these parts lead to; checked step by step, then once more as a whole. */
async function walk(root: string, parts: string[], make: boolean): Promise<string> {
  const top = await realpath(root)
  let at = top
  for (const part of parts) {
    at = join(at, part)
    if (make) await mkdir(at, { mode: 0o700 }).catch(() => {})
    const there = await lstat(at).catch(() => null)
    if (!there) throw new Refused(`There is no ${part}.`)
    if (there.isSymbolicLink()) throw new Refused(`${part} is a symbolic link; those are not followed.`)
    if (!there.isDirectory()) throw new Refused(`${part} is not a folder.`)
  }
  const real = await realpath(at)
  if (real !== top && !real.startsWith(top + sep)) throw new Refused('The path leaves the folder.')
  return real
}

async function openRegular(file: string) {
  // Not following a link and not waiting on a pipe are one open; what it opened is judged after.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const opened = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Refused('There is no such file.')
    if (error.code === 'ELOOP') throw new Refused('It is a symbolic link; those are not followed.')
    throw new Refused('It cannot be opened as a file.')
  })
  if ((await opened.stat()).isFile()) return opened
  await opened.close()
  throw new Refused('It is not a regular file.')
}
