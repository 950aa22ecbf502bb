import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { debianRelease, versions } from '../../agent/image/flavours.ts'

export const project = join(import.meta.dirname, '../..')
const enter = join(import.meta.dirname, 'enter.sh')
/** The folder that is kept from run to run. */
const cache = join(tmpdir(), 'berth-prove-images')
const trusted = '/run/trusted.crt'
const trust = { NODE_EXTRA_CA_CERTS: trusted, SSL_CERT_FILE: trusted, PIP_CERT: trusted, CURL_CA_BUNDLE: trusted }
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

interface Said {
  status: number | null
  /** Standard output and standard error together. */
  text: string
}

/** @throws with the end of the command's output when it fails */
export function must(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env, maxBuffer: 2 ** 28 })
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error ?? ''}${stdout?.slice(-2_000)}${stderr?.slice(-2_000)}`)
}

/** A folder that is made once; an incomplete one is made again. */
function once(name: string, make: (folder: string) => void): string {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  rmSync(`${folder}.new`, { recursive: true, force: true })
  try {
    make(`${folder}.new`)
    renameSync(`${folder}.new`, folder)
  } finally {
    rmSync(`${folder}.new`, { recursive: true, force: true })
  }
  return folder
}

/** A Debian as bare as the image from which the Dockerfile starts. */
export const bareDebian = (): string =>
  once(debianRelease, (folder) => {
    must('mmdebstrap', ['--variant=minbase', '--mode=unshare', '--format=directory', debianRelease, folder])
    must('chmod', ['0755', folder])
    for (const name of ['seed', 'opt/berth']) mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, 'etc/resolv.conf'), '')
  })

/** The project's Node with the image's npm, in the folders of the Dockerfile's first stage. */
export const seed = (): string =>
  once(`seed-${versions.node}-${versions.npm}`, (folder) => {
    must('npm', ['install', '--silent', '--global', '--prefix', folder, `npm@${versions.npm}`])
    cpSync(join(project, 'node_modules/node/bin/node'), join(folder, 'bin/node'), { dereference: true })
  })

function build(root: string, args: string[], env: NodeJS.ProcessEnv): void {
  const inside = { PATH: `/seed/bin:${systemPath}`, HOME: '/root', ...trust, ...env }
  const command = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    enter,
    'build',
    root,
    seed(),
    'node',
    '/opt/berth/agent/image/install.ts',
  ]
  must('unshare', [...command, ...args], { ...inside, PATH: `${inside.PATH}:${process.env.PATH}` })
}

/** All inputs of `install.ts system`. */
function inputsOf(flavour: string, runtimes: string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([flavour, runtimes]))
  for (const file of readdirSync(join(project, 'agent/image')).filter((name) => name.endsWith('.ts')))
    hash.update(readFileSync(join(project, 'agent/image', file)))
  for (const name of runtimes) hash.update(readFileSync(join(project, 'agent/runtimes', name, 'manifest.json')))
  return hash.digest('hex').slice(0, 12)
}

/**
 * The Debian root that the Dockerfile would make, by the same steps. The first half is kept from run to run.
 * @param accepted runtimes whose licence is accepted
 */
export function buildRoot(flavour: string, runtimes: string[] = [], accepted: string[] = []): string {
  const system = once(`${flavour}-${inputsOf(flavour, runtimes)}`, (folder) => {
    must('cp', ['--archive', '--reflink=auto', bareDebian(), folder])
    layAgent(folder, ['image', 'runtimes'])
    build(folder, ['system', flavour, ...runtimes], { ACCEPT_LICENCES: accepted.join(' ') })
  })
  for (const name of ['agent', 'cache']) rmSync(join(system, 'opt/berth', name), { recursive: true, force: true })
  layAgent(
    system,
    readdirSync(join(project, 'agent')).filter((name) => name !== 'node_modules'),
  )
  build(system, ['agent'], {})
  return system
}

function layAgent(root: string, names: string[]): void {
  for (const name of names)
    cpSync(join(project, 'agent', name), join(root, 'opt/berth/agent', name), { recursive: true })
}

/** Starts a command in a root as Fargate starts a machine. */
function startIn(root: string, volume: string, command: string[], env: NodeJS.ProcessEnv = {}) {
  const inside = {
    PATH: systemPath,
    BERTH_VOLUME: '/mnt/berth',
    BERTH_CONTAINER: '1',
    NODE_COMPILE_CACHE: '/opt/berth/cache',
  }
  return spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', enter, 'run', root, volume, ...command], {
    env: { ...inside, ...trust, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs a command in a root to its end. */
export async function runIn(
  root: string,
  volume: string,
  command: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Said> {
  const child = startIn(root, volume, command, env)
  const tooLong = setTimeout(() => child.kill('SIGKILL'), 300_000)
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = await Promise.all([text(child.stdout), text(child.stderr)])
  const status = await closed
  clearTimeout(tooLong)
  return { status, text: printed.join('') }
}
