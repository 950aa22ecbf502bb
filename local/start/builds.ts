/** Builds what the local service runs. Child processes free their memory at the end; results are cached by content. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { viteBuild } from '../../lib/build/vite.ts'
import { bundledCode, type FunctionCode } from '../functions/functions.ts'
import { createStaticHandler, type Edge, type StaticHandler } from '../gateway/static-handler.ts'
import { messageOf, StartProblem } from '../kit/problem.ts'
import { createBundles } from './bundles.ts'
import { takeLock } from './lock.ts'
import type { Options } from './options.ts'
import { timed } from './progress.ts'

export interface Build {
  assembly: string
  pages(headers: Record<string, string>, edge: Edge): StaticHandler
  code?: FunctionCode
  /** Deploys each newer assembly until `stop`. */
  watch?(deploy: (assembly: string) => Promise<void>): void
  stop?(): Promise<void>
}

/** Sources of assembly and dashboard, at the top of the project. */
export const synthReads = [
  'adapters',
  'agent',
  'app',
  'bin',
  'catalogue',
  'domain',
  'lambdas',
  'lib',
  'stages',
  'cdk.json',
  'openapi.yaml',
]
export const dashboardReads = ['CHANGELOG.md', 'clients', 'dashboard', 'docs/api', 'domain']
const alwaysRead = ['package-lock.json', 'package.json', 'tsconfig.json']
/** Number of builds kept per kind, so that a switch to another branch is fast. */
const keptBuilds = 4
/** Newer builds are always kept, ms: a running service loads bundles from its build. */
const inUseMs = 2 * 3_600_000

/**
 * The build of `npm start`, which does not follow the sources: each function is bundled at its first call, from the
 * sources as they were at the start, and the dashboard is built for its first page.
 */
export async function buildOnce(repo: string, { print, progress }: Reporting): Promise<Build> {
  const assembly = await timed(progress, 'CDK app', synthesise(repo))
  let dashboard: Promise<string> | undefined
  const build = () => {
    dashboard ??= timed(progress, 'Dashboard', buildDashboard(repo)).catch((error) => {
      dashboard = undefined
      print(messageOf(error))
      throw error
    })
    return dashboard
  }
  return {
    assembly,
    pages: (headers, edge) => async (request, response, path, errorStatus) => {
      const folder = await build()
      createStaticHandler(folder, headers, edge)(request, response, path, errorStatus)
    },
    code: functionCode(assembly, print),
  }
}

/** Runs the functions of an assembly of `synthesise`. */
export const functionCode = (assembly: string, print: Reporting['print']): FunctionCode => ({
  ...bundledCode,
  refresh: createBundles({ root: join(assembly, sourcesFolder), print }).refresh,
})

type Reporting = Pick<Options, 'print' | 'progress'>

/** The folder in `npm start`'s assembly with the sources of its functions. */
const sourcesFolder = 'sources'
/** Sources of functions, at the top of the project. */
const functionReads = ['adapters', 'app', 'domain', 'lambdas', 'package.json', 'tsconfig.json']

/**
 * The folder of the synthesised cloud assembly, from the cache if possible. Without bundles: each function's folder has
 * the source of its entry point.
 */
export const synthesise = async (repo: string): Promise<string> =>
  cached(repo, 'synth', [...synthReads, ...alwaysRead], (out) => ({ ...synthesis(repo, out), keeps: functionReads }))

/** Like `synthesise`, into a folder of the caller's. */
export const synthesiseInto = async (repo: string, folder: string, signal?: AbortSignal): Promise<void> =>
  run(repo, 'synth', folder, synthesis(repo, `${folder}.new`), signal)

const synthesis = (repo: string, out: string): Command => ({
  args: [join(repo, 'bin/app.ts'), '--unbundled'],
  env: {
    CDK_OUTDIR: out,
    CDK_CONTEXT_JSON: JSON.stringify({ stage: 'local' }),
    // The settings of stages/local.ts.
    BERTH_RUNTIMES: process.env.BERTH_RUNTIMES ?? '',
    BERTH_OPERATORS: process.env.BERTH_OPERATORS ?? '',
    // Loading takes longer than synthesis, so Node's compile cache is kept.
    NODE_COMPILE_CACHE: join(repo, '.berth', 'compiled'),
  },
})

/** The built dashboard's folder, from the cache if possible. */
export async function buildDashboard(repo: string): Promise<string> {
  if (!existsSync(join(repo, 'dashboard/index.html'))) return noDashboard(repo)
  return cached(repo, 'dashboard', [...dashboardReads, ...alwaysRead], viteBuild)
}

/** The folder for NODE_COMPILE_CACHE of the programs in `agent/` and `gateway/`. */
export async function compilePrograms(repo: string): Promise<string> {
  const program = (out: string) => [join(repo, 'agent/image/compile.ts'), out, join(repo, 'gateway/main.ts')]
  return cached(repo, 'programs', ['agent', 'gateway', ...alwaysRead], (out) => ({ args: program(out), env: {} }))
}

interface Command {
  args: string[]
  env: Record<string, string>
  /** Sources that are copied into the build before the command runs. */
  keeps?: string[]
}

/** The folder of a build in `.berth/<kind>/`. Builds only if `reads` have changed. */
export async function cached(
  repo: string,
  kind: string,
  reads: string[],
  build: (out: string) => Command,
): Promise<string> {
  const cache = join(repo, '.berth', kind)
  // The command is part of the hash, because a build may depend on the caller's environment.
  const folder = join(cache, contentHash(repo, reads, JSON.stringify(build(''))))
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    // Two services that start together build once.
    const lock = await waitForLock(join(cache, 'lock'))
    try {
      if (!existsSync(folder)) await run(repo, kind, folder, build(`${folder}.new`))
    } finally {
      lock.release()
    }
    prune(cache, folder)
  }
  utimesSync(folder, new Date(), new Date())
  return folder
}

async function run(
  repo: string,
  kind: string,
  folder: string,
  { args, env, keeps = [] }: Command,
  signal?: AbortSignal,
): Promise<void> {
  const fresh = `${folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  for (const name of keeps) cpSync(join(repo, name), join(fresh, sourcesFolder, name), { recursive: true })
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, args, {
    cwd: repo,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const [code] = await once(child, 'close')
  if (code !== 0 || !existsSync(fresh)) {
    rmSync(fresh, { recursive: true, force: true })
    const log = join(repo, '.berth', `${kind}.log`)
    writeFileSync(log, Buffer.concat(output))
    const lines = Buffer.concat(output).toString().trim().split('\n')
    const cause = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? `exit code ${code}`
    const place = lines.map((line) => /^file:\/\/(\S+:\d+)$/.exec(line)?.[1]).find(Boolean)
    const where = place ? ` at ${relative(repo, place)}` : ''
    throw new StartProblem(
      `Building the ${kind === 'synth' ? 'CDK app' : kind} failed${where}: ${cause.trim()} (all of it: ${log})`,
    )
  }
  renameSync(fresh, folder)
}

async function waitForLock(path: string) {
  for (;;) {
    const lock = takeLock(path)
    if ('release' in lock) return lock
    await sleep(100)
  }
}

function contentHash(repo: string, reads: string[], command = ''): string {
  const hash = createHash('sha256').update(process.version).update(command)
  const visit = (path: string) => {
    const stat = statSync(join(repo, path), { throwIfNoEntry: false })
    if (!stat) return
    if (stat.isDirectory()) {
      for (const name of readdirSync(join(repo, path)).sort()) if (name !== 'node_modules') visit(`${path}/${name}`)
    } else {
      hash.update(`${path}\0${stat.size}\0`).update(readFileSync(join(repo, path)))
    }
  }
  for (const path of reads.toSorted()) visit(path)
  return hash.digest('hex').slice(0, 16)
}

function prune(cache: string, keep: string): void {
  const builds = readdirSync(cache)
    .map((name) => join(cache, name))
    .filter((path) => path !== keep && statSync(path, { throwIfNoEntry: false })?.isDirectory())
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  for (const old of builds.slice(keptBuilds - 1)) {
    if (statSync(old).mtimeMs < Date.now() - inUseMs) rmSync(old, { recursive: true, force: true })
  }
}

function noDashboard(repo: string): string {
  const folder = join(repo, '.berth', 'dashboard', 'none')
  mkdirSync(folder, { recursive: true })
  const page =
    '<!doctype html><meta charset="utf-8"><title>Berth</title><p>There is no dashboard/ folder to build. The API is at /api.'
  writeFileSync(join(folder, 'index.html'), page)
  return folder
}
