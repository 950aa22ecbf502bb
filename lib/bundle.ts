import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { parse } from 'yaml'
import { toolSchemas } from '../domain/mcp/json-schema.ts'
import { portsOf } from '../domain/ports.ts'
import { type Need, needs } from '../domain/resources.ts'
import { areas } from '../lambdas/areas.ts'
import type { Area } from '../lambdas/kit/operation.ts'
import { listedTools } from '../lambdas/mcp/tools.ts'
import { readCatalogue } from './catalogue.ts'
import { lean } from './lean.ts'

/** The root of the project, where `cdk.json`, `lambdas/` and `dist/` are. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** Where everything built from the code goes. */
export const dist = join(root, 'dist')

/** The folder that becomes an area's function: `index.js` and the files its ports read. */
export const bundleFolder = (into: string, area: string): string => join(into, 'functions', area)

type BuiltFile = NonNullable<Need['files']>[number]

/** Files made at build time, by name. */
const makers = {
  'openapi.json': () => readOpenapi(join(root, 'openapi.yaml')),
  'catalogue.json': () => readCatalogue(join(root, 'catalogue')),
  'tools.json': () => toolSchemas(listedTools),
} satisfies Record<BuiltFile, () => unknown>

/**
 * Bundles every area's handler, all in one call, with the files its ports read beside it; the same code gives the same
 * bytes. Source maps, a third of the work, go to `maps/`, not into the function. Answers the bytes of each `index.js`.
 * @throws an error that names the area whose handler does not exist
 */
export async function bundle(into = dist, withMaps = true): Promise<Map<string, number>> {
  for (const { name } of areas) {
    if (!existsSync(handlerOf(name))) throw new Error(`lambdas/${name}/handler.ts is missing: areas.ts lists ${name}.`)
  }
  for (const old of ['functions', 'maps']) rmSync(join(into, old), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: areas.map(({ name }) => ({ in: handlerOf(name), out: `${name}/index` })),
    outdir: join(into, 'functions'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    minify: true,
    plugins: [lean],
    legalComments: 'none',
    ...(withMaps && { sourcemap: 'external', sourcesContent: false }),
    logLevel: 'warning',
  })
  await stop()
  mkdirSync(join(into, 'maps'), { recursive: true })
  const sizes = new Map<string, number>()
  for (const { name } of areas) {
    const folder = bundleFolder(into, name)
    if (withMaps) renameSync(join(folder, 'index.js.map'), join(into, 'maps', `${name}.js.map`))
    sizes.set(name, statSync(join(folder, 'index.js')).size)
  }
  const made = new Map<BuiltFile, string>()
  for (const area of areas) {
    for (const name of filesOf(area)) {
      const text = made.get(name) ?? JSON.stringify(makers[name]())
      made.set(name, text)
      writeFileSync(join(bundleFolder(into, area.name), name), text)
    }
  }
  return sizes
}

const handlerOf = (area: string) => join(root, 'lambdas', area, 'handler.ts')

/** The files that the ports of an area read. */
export const filesOf = (area: Pick<Area, 'access'>): BuiltFile[] => [
  ...new Set(portsOf(area.access).flatMap(([port]) => [...((needs[port] as Need).files ?? [])])), // safe because needs satisfies Record<PortName, Need>
]

const readOpenapi = (path: string): unknown => (existsSync(path) ? parse(readFileSync(path, 'utf8')) : {})
