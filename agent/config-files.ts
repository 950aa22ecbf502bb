import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentFile, AgentFiles, AgentFilesAnswer } from '../domain/agent/files.ts'
import { parseObject } from './json.ts'
import type { Service } from './service.ts'

/** Where the machine notes what it has. */
const manifestName = 'manifest.json'

type Manifest = Pick<AgentFiles, 'etag' | 'config'> & { paths: string[] }

export interface Synced {
  status: number
  /** Files that were written. */
  changed: number
  /** The instance's model and the user's variables; missing when nothing has changed. */
  model?: string
  variables?: Record<string, string>
}

/**
 * Brings `<volume>/config` in line with /agent/files. Each file is replaced by a rename and only if it differs; the
 * manifest is written last, so a crash in between is made good by the next run. With `whole` everything is asked for,
 * changed or not: variables are kept in memory alone. @throws what the connection or the volume throws
 */
export async function syncFiles(service: Service, folder: string, whole: boolean): Promise<Synced> {
  const manifestFile = join(folder, manifestName)
  const { etag: known, paths: listed } = parseObject<Manifest>(await readFile(manifestFile, 'utf8').catch(() => ''))
  const before = Array.isArray(listed) ? listed.filter(isSafe) : []
  const etagHeader = !whole && known && (await areThere(folder, before)) && { 'if-none-match': `"${known}"` }
  const answer = await service.call<AgentFilesAnswer>('files', '/agent/files', { headers: { ...etagHeader } })
  if (!answer.ok || answer.body.unchanged) return { status: answer.status, changed: 0 }
  const { etag, config, files = [], variables } = answer.body
  for (const file of files) verify(file)
  let changed = 0
  for (const { path, text } of files) if (await replace(join(folder, path), text)) changed++
  const paths = files.map(({ path }) => path)
  for (const path of before) if (!paths.includes(path)) await rm(join(folder, path), { force: true })
  await replace(manifestFile, `${JSON.stringify({ etag, config, paths }, null, 2)}\n`)
  return { status: answer.status, changed, model: config?.model, variables }
}

/** True for a relative path whose every part is a plain name. */
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

async function areThere(folder: string, paths: string[]): Promise<boolean> {
  for (const path of paths) if (!(await stat(join(folder, path)).catch(() => null))) return false
  return true
}

/** Answers whether the file had to be written. */
async function replace(file: string, text: string): Promise<boolean> {
  if ((await readFile(file, 'utf8').catch(() => null)) === text) return false
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.next`, text, { mode: 0o600 })
  await rename(`${file}.next`, file)
  return true
}
