/** The files that a proof depends on, and a digest of their code: it does not change with comments or unused code. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, sep } from 'node:path'
import { build, type Plugin, transform } from 'esbuild'
import { areas } from '../../lambdas/areas.ts'
import { entryPoint } from '../../lib/build/entry-points.ts'
import { bundling } from '../../lib/build/esbuild.ts'
import type { Proof } from '../proofs.ts'
import { commandsOf } from '../tools/commands.ts'

export const root = join(import.meta.dirname, '../..')

/** Digests of the inputs by folder; `packages` stands for the versions of the imported packages. */
export type Inputs = Record<string, string>

/**
 * Import graphs end here: the runner of this machine with its parts, and the list of all functions. A proof that starts
 * the whole service names the areas that it is about; the service suites check with each `npm test` that all others
 * run.
 */
const wholeService =
  /^(local\/((start|template|gateway|functions|vendors|resources)\/)?[^/]+\.ts|test\/(service|browser)\/.*|test\/world\.ts|test\/lambdas\/mcp\/mcp-world\.ts|lambdas\/areas\.ts)$/

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

/** The bundler keeps comments inside expressions, so modules lose theirs before. */
const withoutComments: Plugin = {
  name: 'without-comments',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return
      const contents = await plainCode(path, readFileSync(path))
      return { contents, loader: path.endsWith('x') ? 'jsx' : 'js', resolveDir: dirname(path) }
    })
  },
}

const fromRoot = (path: string): string => path.slice(root.length + 1).replaceAll(sep, '/')
const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

interface Graph {
  /**
   * The used code of each module, by its path from the root: without comments, types, and functions that no code calls.
   */
  modules: Map<string, string>
  packages: string[]
}

/** esbuild writes the path of each module before its code. */
const moduleMark = /^\/\/ (\S+)\n/m

/** The modules in the bundles of a proof's programs and areas, and the packages that they import. */
export async function graphOf({ program, starts = [], areas: names = [] }: Proof): Promise<Graph> {
  const source = (name: string) => {
    const area = areas.find((each) => each.name === name)
    if (!area) throw new Error(`there is no area ${name}`)
    return entryPoint(area)
  }
  const usual = bundling(root, source)
  const { metafile, outputFiles } = await build({
    ...usual,
    format: 'esm',
    minify: false,
    entryPoints: [...[program, ...starts].map((path) => `./${path}`), ...names.map((name) => `entry-point:${name}`)],
    outdir: 'nowhere',
    packages: 'external',
    plugins: [stopAtService, withoutComments, ...usual.plugins],
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  const modules = new Map<string, string>()
  for (const { text } of outputFiles) {
    const [, ...parts] = text.split(moduleMark)
    for (let at = 0; at < parts.length; at += 2) {
      const [path = '', code = ''] = parts.slice(at, at + 2)
      if (path in metafile.inputs) modules.set(path, (modules.get(path) ?? '') + code)
    }
  }
  const packages = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  return { modules, packages }
}

const lock: { packages: Record<string, { version?: string }> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)

/** `@scope/name/part` belongs to the package `@scope/name`; the result is empty for Node's own modules. */
function packageVersion(imported: string): string[] {
  const name = imported.split('/', imported.startsWith('@') ? 2 : 1).join('/')
  const version = lock.packages[`node_modules/${name}`]?.version
  return version ? [`${name}@${version}`] : []
}

const namedFiles = ({ files = [] }: Proof): string[] =>
  files.flatMap((pattern) => {
    const named = globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] })
    if (named.length === 0) throw new Error(`no file is named ${pattern}`)
    return named.filter((path) => statSync(join(root, path)).isFile())
  })

/** Digests of the files that a proof depends on, by path, and `name@version` of packages. */
export async function readFiles(proof: Proof): Promise<{ digests: Map<string, string>; packages: string[] }> {
  const { modules, packages } = await graphOf(proof)
  const digests = new Map<string, string>()
  for (const [path, code] of modules) if (!path.startsWith('entry-point:')) digests.set(path, hashOf(code))
  for (const path of namedFiles(proof)) digests.set(path, await digestOf(path, readFileSync(join(root, path))))
  return { digests, packages: [...new Set(['node', ...packages].flatMap(packageVersion))].sort() }
}

const loaders: Record<string, 'ts' | 'tsx' | 'js'> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.tsx': 'tsx',
  '.js': 'js',
  '.mjs': 'js',
}
/** A digest of a program's code, without comments, types and the layout of the text; of a document, its commands. */
export async function digestOf(path: string, bytes: Buffer): Promise<string> {
  if (extname(path) === '.md') return hashOf(commandsOf(bytes.toString()).join('\n'))
  return hashOf(loaders[extname(path)] ? await plainCode(path, bytes) : bytes)
}

/** A program without comments, types and layout. */
async function plainCode(path: string, bytes: Buffer): Promise<string> {
  const loader = loaders[extname(path)] ?? 'js'
  const options = { minifyWhitespace: true, legalComments: 'none', jsx: 'preserve' } as const
  return (await transform(bytes, { ...options, loader })).code
}

/** Two levels of folders show where a change is, and keep a record short. */
const folderOf = (path: string): string => dirname(path).split('/').slice(0, 2).join('/')

export async function readInputs(proof: Proof): Promise<Inputs> {
  const { digests, packages } = await readFiles(proof)
  const lines = [...digests]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, digest]) => [folderOf(path), `${path} ${digest}`] as const)
  const folders = Map.groupBy([...lines, ...packages.map((name) => ['packages', name] as const)], ([folder]) => folder)
  return Object.fromEntries(
    [...folders]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([folder, of]) => [folder, hashOf(of.map(([, line]) => line).join('\n')).slice(0, 12)]),
  )
}

/** Folders whose files have changed. */
export const changedFolders = (recorded: Inputs, now: Inputs): string[] =>
  [...new Set([...Object.keys(recorded), ...Object.keys(now)])].filter((name) => recorded[name] !== now[name]).sort()
