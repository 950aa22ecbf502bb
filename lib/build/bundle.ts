import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { parse } from 'yaml'
import type { PortName } from '../../adapters/ports.ts'
import { registry } from '../../adapters/registry.ts'
import { toolSchemas } from '../../app/mcp/json-schema.ts'
import { areas, tools } from '../../lambdas/areas.ts'
import { portsOf } from '../../lambdas/kit/access.ts'
import { type Area, accessOf } from '../../lambdas/kit/area.ts'
import { readCatalogue } from './catalogue.ts'
import { entryPoint } from './entry-points.ts'
import { bundling, entryPointFile } from './esbuild.ts'
import { readRuntimes } from './runtimes.ts'
import { viteBuild } from './vite.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The output folder of all builds. */
export const dist = join(root, 'dist')

/** The folder of an area's function: `index.js` and the files that its ports read. */
export const bundleFolder = (into: string, area: string): string => join(into, 'functions', area)

/** The function that has images built during a deployment. It serves no area. */
export const imageProvider = 'image-provider'

/** Every function that a deployment has, by the name of its bundle. */
export const bundled = [...areas.map(({ name }) => name), imageProvider]

/** The folder of the functions' source maps, `<area>.js.map`. */
export const mapsFolder = (into: string): string => join(into, 'maps')

type BuiltFile = NonNullable<(typeof registry)[PortName]['files']>[number]

const makers = {
  'openapi.json': () => parse(readFileSync(join(root, 'openapi.yaml'), 'utf8')),
  'catalogue.json': () => readCatalogue(join(root, 'catalogue')),
  'runtimes.json': () => readRuntimes(join(root, 'agent/runtimes')),
  'tools.json': () => toolSchemas(tools),
} satisfies Record<BuiltFile, () => unknown>

/** Bundles all functions; the same code gives the same bytes. @returns the bytes of each `index.js` */
export async function bundle(into = dist, withMaps = true): Promise<Map<string, number>> {
  for (const old of ['functions', 'maps']) rmSync(join(into, old), { recursive: true, force: true })
  await build({
    ...bundling(root, (name) => entryPoint(areaNamed(name))),
    entryPoints: [
      ...areas.map(({ name }) => ({ in: `entry-point:${name}`, out: `${name}/index` })),
      { in: 'adapters/aws/deployment/image-provider.ts', out: `${imageProvider}/index` },
    ],
    outdir: join(into, 'functions'),
    ...(withMaps && { sourcemap: 'external', sourcesContent: false }),
    logLevel: 'warning',
  })
  await stop()
  mkdirSync(mapsFolder(into), { recursive: true })
  const sizes = new Map<string, number>()
  for (const name of bundled) {
    const folder = bundleFolder(into, name)
    if (withMaps) renameSync(join(folder, 'index.js.map'), join(mapsFolder(into), `${name}.js.map`))
    sizes.set(name, statSync(join(folder, 'index.js')).size)
  }
  writeFiles(into)
  return sizes
}

export function buildDashboard(into = dist): void {
  const { args, env } = viteBuild(join(into, 'dashboard'))
  execFileSync(process.execPath, [...args, '--logLevel', 'warn'], { cwd: root, env })
}

/** Like `bundle()`, but writes the source of each entry point, because a laptop bundles a function when it is called. */
export function writeEntryPoints(into: string): void {
  rmSync(join(into, 'functions'), { recursive: true, force: true })
  mkdirSync(mapsFolder(into), { recursive: true })
  for (const area of areas) {
    mkdirSync(bundleFolder(into, area.name), { recursive: true })
    writeFileSync(join(bundleFolder(into, area.name), entryPointFile), entryPoint(area))
  }
  writeFiles(into)
}

function areaNamed(name: string): Area {
  const found = areas.find((area) => area.name === name)
  if (!found) throw new Error(`there is no area ${name}`)
  return found
}

function writeFiles(into: string): void {
  const made = new Map<BuiltFile, string>()
  for (const area of areas) {
    for (const name of filesOf(area)) {
      const text = made.get(name) ?? JSON.stringify(makers[name]())
      made.set(name, text)
      writeFileSync(join(bundleFolder(into, area.name), name), text)
    }
  }
}

export const filesOf = (area: Area): BuiltFile[] => [
  ...new Set(portsOf(accessOf(area)).flatMap(([port]) => registry[port].files ?? [])),
]
