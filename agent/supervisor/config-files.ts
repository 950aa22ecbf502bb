import { createHash } from 'node:crypto'
import { lstat, unlink } from 'node:fs/promises'
import type { AgentFile, AgentFilesAnswer } from '../../domain/agent/files.ts'
import { parseObject } from '../kit/json.ts'
import type { Service } from '../kit/service.ts'
import { Folder, VolumeError } from '../volume/folder.ts'
import { replaceFile } from '../volume/own-folder.ts'

const manifestName = 'manifest.json'
const maxManifestBytes = 1024 * 1024

type Received = Pick<AgentFilesAnswer, 'etag' | 'config'> & { files: AgentFile[] }
type Manifest = Pick<Received, 'etag' | 'config'> & { paths: string[] }

interface Synced {
  status: number
  changed: number
  model?: string
  variables?: Record<string, string>
}

/**
 * The folder `config`. The agent can write there too: links are not followed, and the manifest only lists files to
 * delete.
 */
export class ConfigFiles {
  readonly #service: Pick<Service, 'call'>
  readonly #volume: string
  /** The last complete sync. */
  #synced: Pick<Manifest, 'etag' | 'paths'> | undefined

  constructor(service: Pick<Service, 'call'>, volume: string) {
    this.#service = service
    this.#volume = volume
  }

  /**
   * Syncs `config` with /agent/files. The manifest is written last, so the next run completes a crashed one. The first
   * sync requests everything, because variables are kept only in memory. @throws what the connection or the volume
   * throws
   */
  async sync(): Promise<Synced> {
    await using folder = await this.#open()
    const known = this.#synced &&
      (await areThere(folder, this.#synced.paths)) && { 'if-none-match': `"${this.#synced.etag}"` }
    const answer = await this.#service.call<AgentFilesAnswer>('files', '/agent/files', { headers: { ...known } })
    if (!answer.ok || answer.body.unchanged) return { status: answer.status, changed: 0 }
    const { etag, config, files = [], variables } = answer.body
    const changed = await this.#write(folder, { etag, config, files })
    return { status: answer.status, changed, model: config?.model, variables }
  }

  async #open(): Promise<Folder> {
    await using top = await Folder.top(this.#volume)
    return await top.makeFolder(Buffer.from('config'), 'displace')
  }

  async #write(folder: Folder, { etag, config, files }: Received): Promise<number> {
    for (const file of files) verify(file)
    const before = this.#synced?.paths ?? (await listedIn(folder))
    const paths = files.map(({ path }) => path)
    for (const path of before) if (!paths.includes(path)) await removeFile(folder, path)
    let changed = 0
    for (const { path, text } of files) if (await this.#replace(folder, path, text)) changed++
    await this.#replace(folder, manifestName, `${JSON.stringify({ etag, config, paths }, null, 2)}\n`)
    this.#synced = { etag, paths }
    return changed
  }

  /** @returns whether the file was written */
  async #replace(config: Folder, path: string, text: string): Promise<boolean> {
    const { folders, name } = partsOf(path)
    await using opened = new AsyncDisposableStack()
    let folder = config
    for (const each of folders) folder = opened.use(await folder.makeFolder(each, 'remove'))
    const bytes = Buffer.from(text)
    if (await folder.read(name, bytes.length).then((there) => there.equals(bytes), unreadable)) return false
    await replaceFile(this.#volume, folder, name, bytes)
    return true
  }
}

function unreadable(thrown: unknown): false {
  if (thrown instanceof VolumeError) return false
  throw thrown
}

function partsOf(path: string): { folders: Buffer[]; name: Buffer } {
  const folders = path.split('/').map((part) => Buffer.from(part))
  const name = folders.pop() ?? Buffer.alloc(0)
  return { folders, name }
}

/** The files that an earlier machine wrote. */
async function listedIn(folder: Folder): Promise<string[]> {
  const text = await folder.read(Buffer.from(manifestName), maxManifestBytes).catch(unreadable)
  const { paths } = parseObject<Manifest>(text ? text.toString() : '')
  return Array.isArray(paths) ? paths.filter(isSafe) : []
}

export const isSafe = (path: unknown): path is string =>
  typeof path === 'string' &&
  path.length <= 512 &&
  path.split('/').every((part) => /^[\w][\w.@+ -]{0,127}$/.test(part)) &&
  path !== manifestName

/** @throws Error when the service names a path that leaves the folder, or a hash that is not the text's */
function verify({ path, text, sha256 }: AgentFile): void {
  if (!isSafe(path)) throw new Error('/agent/files names a path that is not allowed')
  if (createHash('sha256').update(text).digest('hex') !== sha256)
    throw new Error('/agent/files sent a file that does not match its hash')
}

/** @returns `otherwise` when a part of the path is not a folder */
async function inFolder<T>(
  config: Folder,
  path: string,
  otherwise: T,
  run: (folder: Folder, name: Buffer) => Promise<T>,
): Promise<T> {
  const { folders, name } = partsOf(path)
  await using opened = new AsyncDisposableStack()
  let folder = config
  try {
    for (const each of folders) folder = opened.use(await folder.folder(each))
  } catch (thrown) {
    unreadable(thrown)
    return otherwise
  }
  return await run(folder, name)
}

async function areThere(config: Folder, paths: string[]): Promise<boolean> {
  const isFile = (folder: Folder, name: Buffer) =>
    lstat(folder.at(name)).then(
      (stat) => stat.isFile(),
      () => false,
    )
  for (const path of paths) if (!(await inFolder(config, path, false, isFile))) return false
  return true
}

/** Deletes a file that the service no longer lists. A folder of that name stays: a program put it there. */
const removeFile = (config: Folder, path: string): Promise<void> =>
  inFolder(config, path, undefined, (folder, name) => unlink(folder.at(name)).catch(() => {}))
