/** The files that a proof depends on, and a digest of them that does not change with comments or the layout of the text. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, sep } from 'node:path'
import { build, type Metafile, type Plugin, transform } from 'esbuild'
import { areas } from '../lambdas/areas.ts'
import { entryPoint } from '../lib/entry-points.ts'
import { bundling } from '../lib/esbuild.ts'
import type { Proof } from './proofs.ts'

export const root = join(import.meta.dirname, '..')

/** Digests by folder of the inputs; `packages` stands for the versions of the packages that they import. */
export type Inputs = Record<string, string>

/**
 * Where an import graph ends: the runner of this machine with what drives it, and the list of all functions. A proof that starts the whole
 * service names the areas that it is about; that all others run is held by the service suites with each `npm test`.
 */
const wholeService =
  /^(local\/[^/]+\.ts|test\/(service|browser)\/.*|test\/world\.ts|test\/lambdas\/mcp\/mcp-world\.ts|lambdas\/areas\.ts)$/

const stopAtService: Plugin = {
  name: 'stop-at-service',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return
      const from = fromRoot(join(resolveDir, path))
      return wholeService.test(from) ? { path: `service:${from}`, external: true } : undefined
    })
  },
}

const fromRoot = (path: string): string => path.slice(root.length + 1).replaceAll(sep, '/')
const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

/** The modules that end up in a bundle of these entry points, and the packages that they import. */
async function graphOf({ program, starts = [], areas: names = [] }: Proof): Promise<Metafile> {
  const source = (name: string) => {
    const area = areas.find((each) => each.name === name)
    if (!area) throw new Error(`there is no area ${name}`)
    return entryPoint(area)
  }
  const usual = bundling(root, source)
  const { metafile } = await build({
    ...usual,
    format: 'esm',
    entryPoints: [...[program, ...starts].map((path) => `./${path}`), ...names.map((name) => `entry-point:${name}`)],
    outdir: 'nowhere',
    packages: 'external',
    loader: { '.json': 'json' },
    plugins: [stopAtService, ...usual.plugins],
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  return metafile
}

const lock: { packages: Record<string, { version?: string }> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)

/** `@scope/name/part` is of the package `@scope/name`; none for what Node itself brings. */
function packageVersion(imported: string): string[] {
  const name = imported.split('/', imported.startsWith('@') ? 2 : 1).join('/')
  const version = lock.packages[`node_modules/${name}`]?.version
  return version ? [`${name}@${version}`] : []
}

/** Files of the repository that a proof depends on, and `name@version` of packages. */
export async function inputFiles(proof: Proof): Promise<{ files: string[]; packages: string[] }> {
  const { outputs } = await graphOf(proof)
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const globbed = (proof.files ?? []).flatMap((pattern) => {
    const found = globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] })
    if (found.length === 0) throw new Error(`no file is named ${pattern}`)
    return found.filter((path) => statSync(join(root, path)).isFile())
  })
  return {
    files: [...new Set([...used.filter((path) => !path.startsWith('entry-point:')), ...globbed])].sort(),
    packages: [...new Set(['node', ...imported].flatMap(packageVersion))].sort(),
  }
}

const loaders: Record<string, 'ts' | 'tsx' | 'js'> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.tsx': 'tsx',
  '.js': 'js',
  '.mjs': 'js',
}
const digests = new Map<string, Promise<string>>()

/** Of a program, what it does: comments, types and the layout of the text do not count. */
export async function digestOf(path: string, bytes: Buffer): Promise<string> {
  const loader = loaders[extname(path)]
  if (!loader) return hashOf(bytes)
  const { code } = await transform(bytes, { loader, minifyWhitespace: true, legalComments: 'none' })
  return hashOf(code)
}

function readDigest(path: string): Promise<string> {
  const digest = digests.get(path) ?? digestOf(path, readFileSync(join(root, path)))
  digests.set(path, digest)
  return digest
}

/** Two levels of folders say where something changed, and keep a record short. */
const folderOf = (path: string): string => dirname(path).split('/').slice(0, 2).join('/')

export async function readInputs(proof: Proof): Promise<Inputs> {
  const { files, packages } = await inputFiles(proof)
  const lines = await Promise.all(
    files.map(async (path) => [folderOf(path), `${path} ${await readDigest(path)}`] as const),
  )
  const folders = Map.groupBy([...lines, ...packages.map((name) => ['packages', name] as const)], ([folder]) => folder)
  return Object.fromEntries(
    [...folders]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([folder, of]) => [folder, hashOf(of.map(([, line]) => line).join('\n')).slice(0, 12)]),
  )
}

/** Folders whose files are others now. */
export const changedFolders = (recorded: Inputs, now: Inputs): string[] =>
  [...new Set([...Object.keys(recorded), ...Object.keys(now)])].filter((name) => recorded[name] !== now[name]).sort()
