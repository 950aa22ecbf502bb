import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RuntimeManifest, runtimeManifest } from '../../domain/instance/runtime.ts'

export type Manifest = RuntimeManifest

const runtimes = join(import.meta.dirname, '../../agent/runtimes')

export const runtimeFolder = (name: string): string => join(runtimes, name)

export const manifestOf = (name: string): Manifest =>
  runtimeManifest.parse(JSON.parse(readFileSync(join(runtimes, name, 'manifest.json'), 'utf8')))

/** All runtimes that ship, the smallest first. */
export const manifests = (): Manifest[] =>
  readdirSync(runtimes, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => manifestOf(name))
    .sort((a, b) => a.memoryMiB - b.memoryMiB)
