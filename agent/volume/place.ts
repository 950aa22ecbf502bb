import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, opendir, realpath, rm } from 'node:fs/promises'

/** Why something on the volume is not read, in words for the user. */
export class NotThere extends Error {
  override name = 'NotThere'
  readonly code: 'not-found' | 'validation'

  constructor(code: 'not-found' | 'validation', message: string) {
    super(message)
    this.code = code
  }
}

// Not following a link and not waiting on a pipe are one open; what it opened is judged after.
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY

/** Linux: children are reached through the open folder itself, so nothing moved or replaced meanwhile leads elsewhere. */
const byDescriptor = existsSync('/proc/self/fd')

/** An open folder of the volume. Whoever opened it closes it. */
export class Place {
  readonly #handle: FileHandle
  readonly #real: Buffer
  /** The device of the volume: what is mounted below it is not the user's. */
  readonly #device: number

  private constructor(handle: FileHandle, real: Buffer, device: number) {
    this.#handle = handle
    this.#real = real
    this.#device = device
  }

  static async top(volume: string): Promise<Place> {
    const real = Buffer.from(await realpath(volume))
    const handle = await open(real, folderFlags)
    return new Place(handle, real, (await handle.stat()).dev)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  /** How the system finds a child of this folder. */
  at(name: Buffer): Buffer {
    const here = byDescriptor ? Buffer.from(`/proc/self/fd/${this.#handle.fd}`) : this.#real
    return Buffer.concat([here, slash, name])
  }

  /** @throws NotThere for what is no folder */
  async folder(name: Buffer): Promise<Place> {
    const handle = await open(this.at(name), folderFlags).catch(refuse)
    const { dev } = await handle.stat()
    if (dev === this.#device) return new Place(handle, Buffer.concat([this.#real, slash, name]), dev)
    await handle.close()
    throw new NotThere('validation', 'It is not part of the volume.')
  }

  /** A regular file, open for reading. @throws NotThere for anything else */
  async file(name: Buffer): Promise<FileHandle> {
    const handle = await open(this.at(name), fileFlags).catch(refuse)
    const stat = await handle.stat()
    if (stat.isFile() && stat.dev === this.#device) return handle
    await handle.close()
    throw new NotThere('validation', 'It is not a regular file.')
  }

  /** The folder of that name, made if need be; what is no folder makes way. */
  async makeFolder(name: Buffer): Promise<Place> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.folder(name)
      } catch (thrown) {
        if (!(thrown instanceof NotThere) || tries === 3) throw thrown
        if (thrown.code !== 'not-found') await rm(this.at(name), { force: true })
        await mkdir(this.at(name), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
        })
      }
    }
  }

  /** Names and kinds, some at a time, in the order the file system has them. */
  async *entries(): AsyncGenerator<{ name: Buffer; kind: Kind }> {
    const here = byDescriptor ? `/proc/self/fd/${this.#handle.fd}` : this.#real
    // safe because Node hands the encoding on to readdir, which knows `buffer`
    const folder = await opendir(here.toString(), { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
    for await (const entry of folder) {
      const name: unknown = entry.name
      if (Buffer.isBuffer(name)) yield { name, kind: kindOf(entry) }
    }
  }
}

const slash = Buffer.from('/')

export type Kind = 'file' | 'folder' | 'link' | 'device' | 'socket' | 'pipe' | 'unknown'

interface Typed {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isSocket(): boolean
  isFIFO(): boolean
  isCharacterDevice(): boolean
  isBlockDevice(): boolean
}

export function kindOf(one: Typed): Kind {
  if (one.isFile()) return 'file'
  if (one.isDirectory()) return 'folder'
  if (one.isSymbolicLink()) return 'link'
  if (one.isSocket()) return 'socket'
  if (one.isFIFO()) return 'pipe'
  return one.isCharacterDevice() || one.isBlockDevice() ? 'device' : 'unknown'
}

function refuse(error: NodeJS.ErrnoException): never {
  if (error.code === 'ENOENT') throw new NotThere('not-found', 'There is nothing of that name on the volume.')
  if (error.code === 'ELOOP') throw new NotThere('validation', 'It is a link; those are not followed.')
  if (error.code === 'ENOTDIR') throw new NotThere('validation', 'A part of the path is not a folder.')
  if (error.code === 'ENXIO') throw new NotThere('validation', 'It is a socket or a pipe, not a regular file.')
  if (error.code === 'EACCES' || error.code === 'EPERM') throw new NotThere('validation', 'It cannot be read.')
  throw error
}
