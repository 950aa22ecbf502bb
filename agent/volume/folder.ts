import { constants, type Dirent, existsSync } from 'node:fs'
import { chmod, type FileHandle, lstat, mkdir, open, opendir, realpath, rename, unlink } from 'node:fs/promises'

/** Why the volume cannot be read or written, for the user. */
export class VolumeError extends Error {
  override name = 'VolumeError'
  readonly code: 'not-found' | 'validation' | 'conflict'

  constructor(code: VolumeError['code'], message: string) {
    super(message)
    this.code = code
  }
}

// One open neither follows a link nor waits on a pipe; the opened object is checked afterwards.
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY
/** Linux's O_PATH, which Node does not name: opens a folder without the right to read it. */
const folderPathFlags = folderFlags | 0o10000000

/** Linux reaches children through the open folder, so nothing moved or replaced meanwhile leads elsewhere. */
const byDescriptor = existsSync('/proc/self/fd')

export class Folder {
  readonly #handle: FileHandle
  readonly #path: Buffer
  /** The volume's device: mounts below it are not the user's. */
  readonly #device: number

  private constructor(handle: FileHandle, path: Buffer, device: number) {
    this.#handle = handle
    this.#path = path
    this.#device = device
  }

  static async top(volume: string): Promise<Folder> {
    const path = Buffer.from(await realpath(volume))
    const handle = await open(path, folderFlags)
    return new Folder(handle, path, (await handle.stat()).dev)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close()
  }

  /** A path by which the system finds the child. */
  at(name: Buffer): Buffer {
    return childOf(byDescriptor ? Buffer.from(`/proc/self/fd/${this.#handle.fd}`) : this.#path, name)
  }

  /** @throws VolumeError for anything but a folder */
  async folder(name: Buffer): Promise<Folder> {
    const handle = await open(this.at(name), folderFlags).catch(refuse)
    const { dev } = await handle.stat()
    if (dev === this.#device) return new Folder(handle, childOf(this.#path, name), dev)
    await handle.close()
    throw new VolumeError('validation', 'It is not part of the volume.')
  }

  /** Opens a folder, making it if missing. @throws VolumeError */
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

  async #clear(name: Buffer, obstacle: Obstacle, refusal: VolumeError): Promise<void> {
    if (obstacle === 'keep') throw refusal
    if (obstacle === 'displace') return await this.displace(name)
    // Only a folder of another system user cannot be deleted here.
    await unlink(this.at(name)).catch(unlessGone(() => this.displace(name)))
  }

  /** Frees a name by a rename to `<name>.displaced-<time>`, so nothing is lost. */
  async displace(name: Buffer): Promise<void> {
    const stem = name.subarray(0, maxDisplacedStem)
    for (let timeMs = Date.now(); ; timeMs++) {
      const time = new Date(timeMs).toISOString().replaceAll(':', '-')
      const aside = this.at(Buffer.concat([stem, Buffer.from(`.displaced-${time}`)]))
      if (await isThere(aside)) continue
      return await rename(this.at(name), aside).catch(unlessGone())
    }
  }

  /** Opens a regular file for reading. @throws VolumeError for anything else */
  async file(name: Buffer): Promise<FileHandle> {
    const handle = await open(this.at(name), fileFlags).catch(refuse)
    const stat = await handle.stat()
    if (stat.isFile() && stat.dev === this.#device) return handle
    await handle.close()
    throw new VolumeError('validation', 'It is not a regular file.')
  }

  /** Reads a regular file. @throws VolumeError for anything else, and for more than `most` bytes */
  async read(name: Buffer, most: number): Promise<Buffer> {
    await using file = await this.file(name)
    const { size } = await file.stat()
    if (size > most) throw new VolumeError('validation', `The file has more than ${most} bytes.`)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  }

  /** Allows deleting the folder's contents, whatever its mode. */
  async unlock(): Promise<void> {
    await this.#handle.chmod(0o700)
  }

  /** Opens a folder whatever its mode. @throws VolumeError */
  async lockedFolder(name: Buffer): Promise<Folder> {
    return await this.folder(name).catch(async (thrown: unknown) => {
      if (!byDescriptor || !(thrown instanceof VolumeError)) throw thrown
      await using handle = await open(this.at(name), folderPathFlags).catch(refuse)
      // Through the open folder, so a link that took its name meanwhile is not changed.
      await chmod(`/proc/self/fd/${handle.fd}`, 0o700).catch(refuse)
      return await this.folder(name)
    })
  }

  entries(): AsyncGenerator<Entry> {
    return entriesOf(byDescriptor ? `/proc/self/fd/${this.#handle.fd}` : this.#path.toString())
  }
}

/** The fate of an object that has the name of a folder to be made; links are never followed. */
export type Obstacle = 'keep' | 'remove' | 'displace'

/** Bytes of a name kept in `<name>.displaced-<time>`: names have at most 255. */
const maxDisplacedStem = 200

export const isThere = (path: Buffer): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Handles every error except that the file is gone. */
const unlessGone =
  (handle?: () => Promise<void>) =>
  async (error: NodeJS.ErrnoException): Promise<void> => {
    if (error.code === 'ENOENT') return
    if (!handle) throw error
    await handle()
  }

const slash = Buffer.from('/')

/** Names are bytes. */
export const childOf = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, slash, name])

export interface Entry {
  name: Buffer
  kind: Kind
}

/** Names and kinds in the order of the file system. */
export async function* entriesOf(path: string | Buffer): AsyncGenerator<Entry> {
  // safe because Node passes path and encoding to readdir, which takes bytes for both
  const folder = await opendir(path as string, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
  for await (const entry of folder) {
    const name: unknown = entry.name
    if (Buffer.isBuffer(name)) yield { name, kind: kindOf(entry) }
  }
}

export type Kind = 'file' | 'folder' | 'link' | 'device' | 'socket' | 'pipe' | 'unknown'

type Judged = Pick<Dirent, Extract<keyof Dirent, `is${string}`>>

export function kindOf(entry: Judged): Kind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isSocket()) return 'socket'
  if (entry.isFIFO()) return 'pipe'
  return entry.isCharacterDevice() || entry.isBlockDevice() ? 'device' : 'unknown'
}

function refuse(error: NodeJS.ErrnoException): never {
  if (error.code === 'ENOENT') throw new VolumeError('not-found', 'There is nothing of that name on the volume.')
  if (error.code === 'ELOOP') throw new VolumeError('validation', 'It is a link; those are not followed.')
  if (error.code === 'ENOTDIR') throw new VolumeError('validation', 'A part of the path is not a folder.')
  if (error.code === 'ENXIO') throw new VolumeError('validation', 'It is a socket or a pipe, not a regular file.')
  if (error.code === 'EACCES' || error.code === 'EPERM') throw new VolumeError('validation', 'It cannot be read.')
  throw error
}
