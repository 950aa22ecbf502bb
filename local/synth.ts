/** Builds what `npm start` runs, in child processes that take their memory with them, and keeps it by content. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
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
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeLock } from './lock.ts'
import { StartProblem } from './problem.ts'

const SYNTH_READS = ['adapters', 'agent', 'bin', 'catalogue', 'domain', 'lambdas', 'lib', 'cdk.json', 'openapi.yaml']
const DASHBOARD_READS = ['dashboard', 'domain', 'lambdas', 'openapi.yaml']
const ALWAYS = ['package-lock.json', 'package.json', 'tsconfig.json']
/** How many builds of each kind are kept, so that going back to another branch is fast too. */
const KEPT = 4
/** Milliseconds for which a build is kept anyway: a service that is running loads its bundles from it when needed. */
const IN_USE_MS = 2 * 3_600_000

/** The cloud assembly of `bin/app.ts`, synthesised if nothing like it is in the cache. Gives its folder. */
export async function synthesise(repo: string): Promise<string> {
  return cached(repo, 'synth', [...SYNTH_READS, ...ALWAYS], (out) => ({
    args: [join(repo, 'bin/app.ts')],
    env: { CDK_OUTDIR: out, CDK_CONTEXT_JSON: '{"stage":"local"}' },
  }))
}

/** The built dashboard's folder, built if nothing like it is in the cache. */
export async function buildDashboard(repo: string): Promise<string> {
  if (!existsSync(join(repo, 'dashboard/index.html'))) return noDashboard(repo)
  return cached(repo, 'dashboard', [...DASHBOARD_READS, ...ALWAYS], (out) => ({
    args: [join(repo, 'node_modules/vite/bin/vite.js'), 'build', 'dashboard', '--outDir', out, '--emptyOutDir'],
    env: { NODE_ENV: 'production' },
  }))
}

interface Build {
  /** Arguments for node. */
  args: string[]
  env: Record<string, string>
}

async function cached(repo: string, kind: string, reads: string[], build: (out: string) => Build): Promise<string> {
  const cache = join(repo, '.berth', kind)
  const folder = join(cache, contentHash(repo, reads))
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    // Two services started at once build once: bundling writes to one dist/ folder.
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

async function run(repo: string, kind: string, folder: string, { args, env }: Build): Promise<void> {
  const fresh = `${folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, args, {
    cwd: repo,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const [code] = await once(child, 'close')
  if (code !== 0 || !existsSync(fresh)) {
    rmSync(fresh, { recursive: true, force: true })
    const log = join(repo, '.berth', `${kind}.log`)
    writeFileSync(log, Buffer.concat(output))
    const said = Buffer.concat(output).toString().trim().split('\n')
    const cause = said.find((line) => /error/i.test(line)) ?? said.at(-1) ?? `exit code ${code}`
    throw new StartProblem(
      `Building the ${kind === 'synth' ? 'CDK app' : kind} failed: ${cause.trim()} (all of it: ${log})`,
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

/** A hash of names and contents of these files and folders, as far as they exist. */
export function contentHash(repo: string, reads: string[]): string {
  const hash = createHash('sha256').update(process.version)
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
  for (const old of builds.slice(KEPT - 1)) {
    if (statSync(old).mtimeMs < Date.now() - IN_USE_MS) rmSync(old, { recursive: true, force: true })
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
