import { constants, type Dirent, existsSync } from 'node:fs'
import { chmod, type FileHandle, lstat, mkdir, open, opendir, realpath, rename, unlink } from 'node:fs/promises'

/** Why something on the volume is not read or written, in words for the user. */
export class VolumeError extends Error {
  override name = 'VolumeError'
  readonly code: 'not-found' | 'validation' | 'conflict'

  constructor(code: VolumeError['code'], message: string) {
    super(message)
    this.code = code
  }
}

// Not following a link and not waiting on a pipe are one open; what it opened is judged after.
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY
/** Linux's O_PATH, which Node does not name: to stand at a folder without a right to read it. */
const folderPathFlags = folderFlags | 0o10000000

/**
 * Linux: children are reached through the open folder itself, so nothing moved or replaced meanwhile leads elsewhere.
 */
const byDescriptor = existsSync('/proc/self/fd')

/** An open folder of the volume; open it with `await using`. */
export class Folder {
  readonly #handle: FileHandle
  readonly #path: Buffer
  /** The device of the volume: what is mounted below it is not the user's. */
  readonly #device: number

  private constructor(handle: FileHandle, path: Buffer, device: number) {
    this.#handle = handle
    this.#path = path
    this.#device = device
  }

  /** The top of the volume. */
  static async top(volume: string): Promise<Folder> {
    const path = Buffer.from(await realpath(volume))
    const handle = await open(path, folderFlags)
    return new Folder(handle, path, (await handle.stat()).dev)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close()
  }

  /** How the system finds a child of this folder. */
  at(name: Buffer): Buffer {
    return childOf(byDescriptor ? Buffer.from(`/proc/self/fd/${this.#handle.fd}`) : this.#path, name)
  }

  /** @throws VolumeError for what is no folder */
  async folder(name: Buffer): Promise<Folder> {
    const handle = await open(this.at(name), folderFlags).catch(refuse)
    const { dev } = await handle.stat()
    if (dev === this.#device) return new Folder(handle, childOf(this.#path, name), dev)
    await handle.close()
    throw new VolumeError('validation', 'It is not part of the volume.')
  }

  /** The folder of that name, made if there is none. @throws VolumeError */
  async makeFolder(name: Buffer, obstacle: Obstacle = 'keep'): Promise<Folder> {
    for (let tries = 0; ; tries++) {
      try {
        return await (obstacle === 'keep' ? this.folder(name) : this.lockedFolder(name))
      } catch (thrown) {
        if (!(thrown instanceof VolumeError) || tries === 3) throw thrown
        if (thrown.code !== 'not-found') await this.#clear(name, obstacle, thrown)
        await mkdir(this.at(name), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
        })
      }
    }
  }

  async #clear(name: Buffer, obstacle: Obstacle, found: VolumeError): Promise<void> {
    if (obstacle === 'keep') throw found
    if (obstacle === 'displace') return await this.displace(name)
    // Only a folder of another user of the system cannot be deleted here.
    await unlink(this.at(name)).catch(unlessGone(() => this.displace(name)))
  }

  /** Renames something to `<name>.displaced-<time>`, so that its name is free and nothing is lost. */
  async displace(name: Buffer): Promise<void> {
    const stem = name.subarray(0, maxDisplacedStem)
    for (let timeMs = Date.now(); ; timeMs++) {
      const time = new Date(timeMs).toISOString().replaceAll(':', '-')
      const aside = this.at(Buffer.concat([stem, Buffer.from(`.displaced-${time}`)]))
      if (await isThere(aside)) continue
      return await rename(this.at(name), aside).catch(unlessGone())
    }
  }

  /** A regular file, open for reading. @throws VolumeError for anything else */
  async file(name: Buffer): Promise<FileHandle> {
    const handle = await open(this.at(name), fileFlags).catch(refuse)
    const stat = await handle.stat()
    if (stat.isFile() && stat.dev === this.#device) return handle
    await handle.close()
    throw new VolumeError('validation', 'It is not a regular file.')
  }

  /** All bytes of a regular file. @throws VolumeError for anything else, and for a file of more than `most` bytes */
  async read(name: Buffer, most: number): Promise<Buffer> {
    await using file = await this.file(name)
    const { size } = await file.stat()
    if (size > most) throw new VolumeError('validation', `The file has more than ${most} bytes.`)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  }

  /** Lets what is in it be deleted, whatever its mode was. */
  async unlock(): Promise<void> {
    await this.#handle.chmod(0o700)
  }

  /** A folder that may have a mode in which nobody opens it. @throws VolumeError */
  async lockedFolder(name: Buffer): Promise<Folder> {
    return await this.folder(name).catch(async (thrown: unknown) => {
      if (!byDescriptor || !(thrown instanceof VolumeError)) throw thrown
      await using handle = await open(this.at(name), folderPathFlags).catch(refuse)
      // The open folder itself: a link that took its name meanwhile is not what is changed.
      await chmod(`/proc/self/fd/${handle.fd}`, 0o700).catch(refuse)
      return await this.folder(name)
    })
  }

  entries(): AsyncGenerator<Entry> {
    return entriesOf(byDescriptor ? `/proc/self/fd/${this.#handle.fd}` : this.#path.toString())
  }
}

/** The fate of another object that has the name of a folder to be made; a link is never followed. */
export type Obstacle = 'keep' | 'remove' | 'displace'

/** The longest part of a name that is kept in `<name>.displaced-<time>`: names have 255 bytes at most. */
const maxDisplacedStem = 200

export const isThere = (path: Buffer): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Handles an error of the file system, but for a file that is gone. */
const unlessGone =
  (handle?: () => Promise<void>) =>
  async (error: NodeJS.ErrnoException): Promise<void> => {
    if (error.code === 'ENOENT') return
    if (!handle) throw error
    await handle()
  }

const slash = Buffer.from('/')

/** The path of a child; names are bytes. */
export const childOf = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, slash, name])

export interface Entry {
  name: Buffer
  kind: Kind
}

/** Names and kinds, some at a time, in the order the file system has them. */
export async function* entriesOf(path: string | Buffer): AsyncGenerator<Entry> {
  // safe because Node hands path and encoding on to readdir, which knows bytes for both
  const folder = await opendir(path as string, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
  for await (const entry of folder) {
    const name: unknown = entry.name
    if (Buffer.isBuffer(name)) yield { name, kind: kindOf(entry) }
  }
}

export type Kind = 'file' | 'folder' | 'link' | 'device' | 'socket' | 'pipe' | 'unknown'

/** The kind of a name in a folder or of an examined file. */
type Judged = Pick<Dirent, Extract<keyof Dirent, `is${string}`>>

export function kindOf(found: Judged): Kind {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  if (found.isSymbolicLink()) return 'link'
  if (found.isSocket()) return 'socket'
  if (found.isFIFO()) return 'pipe'
  return found.isCharacterDevice() || found.isBlockDevice() ? 'device' : 'unknown'
}

function refuse(error: NodeJS.ErrnoException): never {
  if (error.code === 'ENOENT') throw new VolumeError('not-found', 'There is nothing of that name on the volume.')
  if (error.code === 'ELOOP') throw new VolumeError('validation', 'It is a link; those are not followed.')
  if (error.code === 'ENOTDIR') throw new VolumeError('validation', 'A part of the path is not a folder.')
  if (error.code === 'ENXIO') throw new VolumeError('validation', 'It is a socket or a pipe, not a regular file.')
  if (error.code === 'EACCES' || error.code === 'EPERM') throw new VolumeError('validation', 'It cannot be read.')
  throw error
}
