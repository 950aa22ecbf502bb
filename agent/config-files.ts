import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Service } from './service.ts'
import { asList, asObject, asText, parseJson } from './shapes.ts'

/** Where the machine notes what it has: the manifest's hash and its paths. */
const manifestName = 'manifest.json'

export interface Synced {
  status: number
  changed: number
  /** The instance's model as the files have it; empty when they say nothing of it. */
  model: string
  /** The user's variables; null when the answer did not bring them, because nothing changed. */
  variables: Record<string, string> | null
}

/**
 * Brings `<volume>/config` in line with /agent/files. Each file is replaced by a rename and only if it differs; the
 * manifest is written last, so a crash in between is made good by the next run.
 * @throws what the connection or the volume throws
 */
export async function syncFiles(service: Service, folder: string, whole = false): Promise<Synced> {
  const manifestFile = join(folder, manifestName)
  const before = asObject(parseJson(await readFile(manifestFile, 'utf8').catch(() => '')))
  const complete = await present(folder, asList(before.paths).map(asText))
  // Variables are kept in memory alone, so a fresh process asks for everything.
  const etag = complete && !whole ? asText(before.etag) : ''
  const { status, body } = await service.call('files', '/agent/files', {
    ...(etag && { headers: { 'if-none-match': `"${etag}"` } }),
  })
  const answer = asObject(body)
  const modelOf = (config: unknown) => asText(asObject(config).model)
  if (status !== 200 || answer.unchanged === true)
    return { status, changed: 0, model: modelOf(before.config), variables: null }
  const files = asList(answer.files).map(readFileEntry)
  let changed = 0
  for (const one of files) if (await replace(join(folder, one.path), one.text)) changed++
  const paths = files.map(({ path }) => path)
  for (const old of asList(before.paths).map(asText))
    if (isSafe(old) && !paths.includes(old)) await rm(join(folder, old), { force: true })
  const manifest = { etag: asText(answer.etag), config: asObject(answer.config), paths }
  await replace(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)
  return { status, changed, model: modelOf(answer.config), variables: textsOf(answer.variables) }
}

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asObject(value)).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])),
  )

/** True for a relative path whose every part is a plain name. */
export const isSafe = (path: string): boolean =>
  path.length <= 512 && path.split('/').every((part) => /^[\w][\w.@+ -]{0,127}$/.test(part)) && path !== manifestName

/** @throws Error when the service names a path that leaves the folder, or a hash that is not the text's */
function readFileEntry(value: unknown): { path: string; text: string } {
  const entry = asObject(value)
  const path = asText(entry.path)
  const text = asText(entry.text)
  if (!isSafe(path)) throw new Error('/agent/files names a path that is not allowed')
  if (createHash('sha256').update(text).digest('hex') !== entry.sha256)
    throw new Error('/agent/files sent a file that does not match its hash')
  return { path, text }
}

async function present(folder: string, paths: string[]): Promise<boolean> {
  for (const path of paths) if (!isSafe(path) || !(await stat(join(folder, path)).catch(() => null))) return false
  return true
}

/** Answers whether the file had to be written. */
async function replace(file: string, text: string): Promise<boolean> {
  if ((await readFile(file, 'utf8').catch(() => null)) === text) return false
  await mkdir(dirname(file), { recursive: true })
  const next = `${file}.next`
  await writeFile(next, text, { mode: 0o600 })
  await rename(next, file)
  return true
}
