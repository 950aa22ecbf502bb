import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RuntimeManifest, runtimeManifest } from '../../domain/instance/runtime.ts'

/** The manifests below `folder`, sorted by name. @throws an error that names the file and the problem */
export const readRuntimes = (folder: string): RuntimeManifest[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readManifest(join(folder, name, 'manifest.json')))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

function readManifest(path: string): RuntimeManifest {
  const read = runtimeManifest.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (!read.success) throw new Error(`${path}: ${read.error.issues.map(({ message }) => message).join('; ')}`)
  return read.data
}
