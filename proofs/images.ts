/**
 * The machines' images, built here by the Dockerfile's own script into Debian roots and run as Fargate runs a machine.
 * `npm run prove images:full` tries a single flavour, `images:owners` programs that look at the owner of files,
 * `images:publish` the publishing, `images:hosted` the runtimes.
 * Needs root, Debian's mmdebstrap, and FUSE for the owners; for the publishing its buildah, skopeo and docker-registry, and AWS's `soci` on
 * the PATH. docs/images.md quotes the results.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flavours } from '../agent/image/flavours.ts'
import { uids } from '../domain/instance/machine.ts'
import type { ImageFlavour } from '../domain/instance/runtime.ts'
import { manifests } from './agents/manifests.ts'
import type { Seen } from './clients/works-with.ts'
import { mountVolume } from './images/access-point.ts'
import { additions, type Check, content } from './images/checks.ts'
import { convertToSoci, writeLayout } from './images/layout.ts'
import { owned, prepared, supervisedAfter } from './images/owners.ts'
import { missingToPublish, publishHere } from './images/publish.ts'
import { buildRoot, runIn } from './images/root.ts'
import { recordRun } from './kit/record.ts'

const [, , only] = process.argv
const names = Object.keys(flavours) as ImageFlavour[] // safe because it is a Record of them
const isTried = (part: string): boolean => only === undefined || part === only
const chosen = names.filter(isTried)
const scratch = mkdtempSync(join(tmpdir(), 'berth-images-'))
let [held, failed] = [0, 0]

function note(what: string, holds: boolean, otherwise = ''): void {
  if (holds) held++
  else failed++
  console.log(`  ${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${otherwise}`}`)
}

function newVolume(name: string): string {
  const volume = join(scratch, name)
  for (const folder of [volume, join(volume, 'home'), join(volume, 'workspace')]) {
    mkdirSync(folder)
    chownSync(folder, uids.runtime, uids.runtime)
  }
  return volume
}

/** A machine that starts on a volume, with the variables that its supervisor passes to the image's runtime. */
async function startMachine(root: string, volume: string, user: number) {
  const program = `import { imageVariables } from '/opt/berth/agent/image/environment.ts'
console.log(JSON.stringify(imageVariables('/mnt/berth', process.env.PATH)))`
  const said = await runIn(root, volume, ['node', '--input-type=module', '--eval', program])
  const env = { ...JSON.parse(said.text), HOME: '/mnt/berth/home', RUN_AS: `${user}` }
  return (command: string) => runIn(root, volume, ['/bin/bash', '-c', command], env)
}

/** Runs the checks one after another in a single start of a machine. @param prints false when none of them may hold */
async function run(
  title: string,
  checks: Check[],
  root: string,
  volume: string,
  prints = true,
  user: number = uids.runtime,
): Promise<void> {
  const machine = await startMachine(root, volume, user)
  for (const { name, command, prints: wanted } of checks) {
    const { text } = await machine(`exec 2>&1; ${command}`)
    note(`${title}: ${name}`, wanted.test(text) === prints, JSON.stringify(text.slice(-600)))
  }
}

const output = (command: string, ...args: string[]): string =>
  spawnSync(command, args, { encoding: 'utf8' }).stdout.trim()
const mibOf = (folder: string): number => Math.ceil(Number.parseInt(output('du', '-sk', folder), 10) / 1024)
const packagesOf = (root: string): number =>
  Number(output('sh', '-c', `grep -c '^Status: install ok installed' ${root}/var/lib/dpkg/status`))

const table = (rows: (string | number)[][]): string => rows.map((row) => `| ${row.join(' | ')} |`).join('\n')

async function proveFlavour(flavour: ImageFlavour, volume: string): Promise<(string | number)[]> {
  const root = buildRoot(flavour)
  const carried = names.slice(0, names.indexOf(flavour) + 1)
  const before = carried.slice(0, -1).flatMap((name) => additions[name].map(({ use }) => use))
  const own = additions[flavour]
  await run(
    flavour,
    carried.flatMap((name) => content[name]),
    root,
    volume,
  )
  if (only === undefined) await run(`${flavour}, another image`, before, root, volume)
  await run(
    flavour,
    own.map(({ add }) => add),
    root,
    volume,
  )
  await run(
    `${flavour}, woken`,
    own.map(({ use }) => use),
    root,
    volume,
  )
  await run(
    `${flavour}, an empty volume has none`,
    own.map(({ use }) => use),
    root,
    newVolume(`${flavour}-empty`),
    false,
  )
  const mib = mibOf(root)
  const { maxMiB } = flavours[flavour]
  note(`${flavour}: ${mib} MiB of at most ${maxMiB}`, mib <= maxMiB, 'it has grown')
  const layout = join(scratch, `${flavour}-layout`)
  const packed = await writeLayout(root, layout)
  const soci = convertToSoci(layout)
  for (const folder of [layout, `${layout}-soci`]) rmSync(folder, { recursive: true, force: true })
  const index = soci === null ? 'no `soci` here' : `${(soci / 1e6).toFixed(1)} MB`
  return [`\`${flavour}\``, packagesOf(root), mib, maxMiB, `${Math.round(packed / 1e6)} MB`, index]
}

/**
 * Installs every runtime's program from its manifest into one image of the flavour that they need; two of them then run
 * in a local service, with the checks of `npm run prove agents`.
 */
async function proveRuntimes(): Promise<(string | number)[][]> {
  const list = manifests().flatMap((manifest) => (manifest.npm ? [{ ...manifest, npm: manifest.npm }] : []))
  const accepted = list.filter(({ redistributed }) => !redistributed).map(({ name }) => name)
  const largest = names.findLast((flavour) => list.some(({ image }) => image === flavour)) ?? 'node'
  const all = list.map(({ name }) => name)
  const root = buildRoot(largest, all, accepted)
  const versions = list.map(({ title, command, npm }) => ({
    name: title,
    command: `${command} --version`,
    prints: new RegExp(npm.version.replaceAll('.', '\\.')),
  }))
  await run('runtimes', versions, root, newVolume('runtimes'))
  return list.map(({ name, title, npm, image }) => {
    const mib = mibOf(join(root, 'opt/berth/programs/lib/node_modules', npm.name))
    const hosted = ['pi', 'codex'].includes(name) ? hostedIn(root, name) : 'its version'
    return [title, `${npm.name} ${npm.version}`, `\`${image}\``, mib, hosted]
  })
}

function hostedIn(root: string, name: string): string {
  const script = join(import.meta.dirname, 'agents/one.ts')
  const env = { ...process.env, PATH: `${join(import.meta.dirname, 'images/not-apart')}:${process.env.PATH}` }
  const run = spawnSync(process.execPath, [script, name, '', root], { encoding: 'utf8', timeout: 15 * 60_000, env })
  const lines = run.stdout.split('\n').filter((line) => line.startsWith('{"client"'))
  const seen: Seen[] = lines.map((line) => JSON.parse(line))
  for (const { check, holds, said } of seen) note(`${name} in its image: ${check}`, holds, said)
  if (seen.length === 0) note(`${name} in its image`, false, run.stderr.slice(-500))
  return `hosted: ${seen.filter(({ holds }) => holds).length} of ${seen.length} checks`
}

/**
 * Programs that look at the owner of files, on a volume as EFS shows it. The same programs on a volume of another owner
 * are refused, so the checks notice a wrong owner.
 */
async function proveOwners(): Promise<void> {
  const root = buildRoot('full')
  const volume = await mountVolume(join(scratch, 'owned'), uids.runtime)
  try {
    await run('owners', prepared, root, volume.path, true, uids.supervisor)
    await run('owners', owned, root, volume.path)
    await run('owners', supervisedAfter, root, volume.path, true, uids.supervisor)
  } finally {
    await volume.unmount()
  }
  const foreign = await mountVolume(join(scratch, 'foreign'), 1_000_123)
  try {
    const refused = owned.flatMap(({ refusal, ...each }) => (refusal ? [{ ...each, prints: refusal }] : []))
    const added = owned.filter(({ name }) => name.startsWith('apt-get'))
    await run('another owner', prepared, root, foreign.path, true, uids.supervisor)
    await run('another owner', added, root, foreign.path)
    await run('another owner is refused', refused, root, foreign.path)
  } finally {
    await foreign.unmount()
  }
}

/**
 * The Dockerfile, built and published as an operator does it; its image has exactly the files that the script alone
 * made.
 */
async function provePublishing(): Promise<string> {
  const missing = missingToPublish()
  if (missing.length > 0) return `\`publish.sh\` was not run: this machine has no ${missing.join(', ')}.`
  const { files, isIndexed } = await publishHere(scratch)
  const root = buildRoot('node')
  const own = new Set(output('sh', '-c', `cd '${root}' && find . -type f`).split('\n'))
  const known = (path: string) => own.has(path) || /^\.\/(opt\/berth\/cache|run|etc)\//.test(path)
  const more = files.filter((path) => !known(path))
  note('publish.sh: a SOCI index in the registry', isIndexed, 'it has none')
  note(
    'publish.sh: the files that the script makes',
    files.length > 5_000 && more.length === 0,
    more.slice(0, 9).join(', '),
  )
  return `\`publish.sh\` was run with buildah in docker’s place, to a registry of this machine: ${files.length} files and an index.`
}

function refuse(what: string, build: () => string, because: RegExp): void {
  try {
    build()
    note(what, false, 'it was built')
  } catch (thrown) {
    note(what, because.test(String(thrown)), String(thrown))
  }
}

try {
  const volume = newVolume('volume')
  const rows = []
  for (const flavour of chosen) rows.push(await proveFlavour(flavour, volume))
  const added = only === undefined ? `${mibOf(join(volume, 'packages'))}` : ''
  if (only === undefined) {
    refuse(
      'Claude Code is not installed unasked',
      () => buildRoot('full', ['claude-code']),
      /ACCEPT_LICENCES=claude-code/,
    )
    refuse('a flavour too small for a runtime is refused', () => buildRoot('node', ['pi']), /pi needs the flavour full/)
  }
  if (isTried('owners')) await proveOwners()
  const published = isTried('publish') ? await provePublishing() : ''
  const runtimes = isTried('hosted') ? await proveRuntimes() : []
  if (only === undefined) {
    const head = ['flavour', 'packages of Debian', 'MiB unpacked', 'at most', 'compressed', 'SOCI index']
    const programs = ['runtime', 'package', 'flavour', 'MiB more', 'seen in the image']
    const rule = (cells: string[]) => cells.map(() => '---')
    recordRun(
      'images',
      {
        arch: process.arch,
        held: `${held} of ${held + failed}`,
        added,
        published,
        flavours: table([head, rule(head), ...rows]),
        runtimes: table([programs, rule(programs), ...runtimes]),
      },
      failed === 0,
    )
  }
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
}
console.log(`${held} of ${held + failed} hold`)
process.exit(failed === 0 ? 0 : 1)
