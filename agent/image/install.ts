/**
 * Makes an image from a bare Debian; runs as root inside it.
 * - `node install.ts system FLAVOUR [RUNTIME…]` installs Debian's packages, Node (the one that runs this), npm and the
 * runtimes' programs; those with a restrictive licence only if ACCEPT_LICENCES names their runtime.
 * - `node install.ts agent` installs the supervisor's packages and compiles its parts.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { compile, programs as compiled } from './compile.ts'
import { flavours, versions } from './flavours.ts'
import { type Program, planOf } from './plan.ts'

const home = resolve(import.meta.dirname, '../..')
/** The runtimes' programs, apart from users' packages. */
const programs = join(home, 'programs')
/** Files that Debian's own image omits as well. */
const undocumented = ['doc', 'man', 'info', 'lintian', 'locale'].map((name) => `path-exclude=/usr/share/${name}/*\n`)

/** @throws an error that names the failed command */
function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
  console.log(`+ ${command} ${args.join(' ')}`)
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`)
}

const manifestOf = (name: string): Program | undefined => {
  const path = join(home, 'agent/runtimes', name, 'manifest.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

function installSystem(flavour: string, runtimes: string[]): void {
  const accepted = (process.env.ACCEPT_LICENCES ?? '').split(/[\s,]+/)
  const plan = planOf(flavour, runtimes, manifestOf, accepted)
  writeFileSync(
    '/etc/dpkg/dpkg.cfg.d/undocumented',
    `${undocumented.join('')}path-include=/usr/share/doc/*/copyright\n`,
  )
  run('apt-get', ['update', '--quiet'])
  const apt = ['install', '--quiet', '--yes', '--no-install-recommends']
  run('apt-get', [...apt, ...plan.debian], { DEBIAN_FRONTEND: 'noninteractive' })
  run('apt-get', ['clean'])
  rmSync('/var/lib/apt/lists', { recursive: true })
  if (process.versions.node !== versions.node)
    throw new Error(`this is Node ${process.versions.node}, not ${versions.node}`)
  if (process.execPath !== '/usr/local/bin/node') copyFileSync(process.execPath, '/usr/local/bin/node')
  chmodSync('/usr/local/bin/node', 0o755)
  const npm = ['install', '--global', '--no-audit', '--no-fund', '--no-update-notifier']
  run('npm', [...npm, '--prefix', '/usr/local', ...plan.npm])
  const pip = ['install', '--quiet', '--no-cache-dir', '--break-system-packages', '--root-user-action', 'ignore']
  if (plan.pypi.length > 0) run('pip', [...pip, ...plan.pypi])
  mkdirSync(programs, { recursive: true })
  if (plan.programs.length > 0) run('/usr/local/bin/npm', [...npm, '--prefix', programs, ...plan.programs])
  for (const name of ['apt', 'apt-get', 'apt-cache'])
    if (!existsSync(join('/usr/local/bin', name)))
      symlinkSync(join(import.meta.dirname, 'apt/apt'), join('/usr/local/bin', name))
  run('useradd', ['--uid', '1000', '--user-group', '--home-dir', '/mnt/berth/home', '--shell', '/bin/bash', 'agent'])
  mkdirSync('/mnt/berth', { recursive: true })
  clean()
}

function clean(): void {
  for (const path of ['/root/.npm', '/root/.cache', '/var/log/apt', '/var/log/dpkg.log', '/tmp/node-compile-cache'])
    rmSync(path, { recursive: true, force: true })
}

function installAgent(): void {
  const agent = join(home, 'agent')
  run('npm', ['ci', '--prefix', agent, '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'])
  clean()
  const cache = join(home, 'cache')
  compile(compiled, cache, '/usr/local/bin/node')
  run('chmod', ['-R', 'a+rX', cache])
}

const [, , what, flavour = '', ...runtimes] = process.argv
if (what === 'system') installSystem(flavour, runtimes)
else if (what === 'agent') installAgent()
else {
  console.error(`install.ts system ${Object.keys(flavours).join('|')} [RUNTIME…], or install.ts agent`)
  process.exitCode = 2
}
