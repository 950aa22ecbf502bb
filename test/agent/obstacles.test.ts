import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cannotStartTexts } from '../../agent/kit/limits.ts'
import { topFolders } from '../../agent/volume/files.ts'
import { some } from '../counts.ts'
import { Bench, until } from './machine.ts'

let bench: Bench
let outside: string
let sockets: Server[] = []

beforeEach(async () => {
  bench = await new Bench().open()
  outside = mkdtempSync(join(tmpdir(), 'berth-outside-'))
  mkdirSync(join(outside, 'persona'))
  writeFileSync(join(outside, 'persona', 'SOUL.md'), 'not yours')
  writeFileSync(join(outside, 'secret'), 'not yours')
})
afterEach(async () => {
  await bench.close()
  for (const socket of sockets) socket.close()
  sockets = []
  rmSync(outside, { recursive: true, force: true })
})

/*
 * Folders in place of files: https://github.com/sgasser/pasteguard/issues/2, https://github.com/jupyterhub/configurable-http-proxy/issues/252. Links in place of files and folders, also to missing targets: https://github.com/CopilotKit/OpenBot/issues/100, https://github.com/rappdw/sandy/issues/209.
 */
/** Obstacles that a program of the machine can put in place of a file or folder that our own code reads or writes. */
const obstacles: Record<string, (path: string) => void> = {
  'an empty folder': (path) => mkdirSync(path),
  'a folder with files': (path) => {
    mkdirSync(join(path, 'deep', 'er'), { recursive: true })
    writeFileSync(join(path, 'deep', 'er', 'a\nfile'), 'kept')
  },
  'a folder that nobody may open': (path) => {
    mkdirSync(path)
    writeFileSync(join(path, 'file'), 'kept')
    execFileSync('chmod', ['000', path])
  },
  'a file': (path) => writeFileSync(path, 'kept'),
  'a file that nobody may open': (path) => writeFileSync(path, 'kept', { mode: 0 }),
  'a sparse file of 8 TiB': (path) => execFileSync('truncate', ['-s', '8T', path]),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a socket': (path) => {
    // The path of a socket has 107 bytes at most.
    const short = join(outside, `s${sockets.length}`)
    sockets.push(createServer().listen(short))
    execFileSync('sh', ['-c', 'while [ ! -S "$1" ]; do sleep 0.01; done; mv "$1" "$2"', 'sh', short, path])
  },
  'a link to a folder outside': (path) => symlinkSync(outside, path),
  'a link to a file outside': (path) => symlinkSync(join(outside, 'secret'), path),
  'a link to nothing': (path) => symlinkSync(join(outside, 'made'), path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a link to a device': (path) => symlinkSync('/dev/zero', path),
}

/** Every path below the volume that our own code reads or writes, by depth: one machine meets all paths of a depth. */
const paths: string[][] = [
  [...topFolders, '.berth'],
  [
    ...['manifest.json', '.manifest.json.next', 'persona', 'skills'].map((name) => `config/${name}`),
    ...['turn.json', '.turn.json.next', 'answered.jsonl', 'summary.json', 'wallet-told'].map((name) => `state/${name}`),
    ...['transcript.jsonl', 'notes.md'].map((name) => `memory/${name}`),
    ...['edits', 'trash', 'tasks', 'next', 'fetched', 'undo', 'known-files.gz', 'known-files.next'].map(
      (name) => `.berth/${name}`,
    ),
  ],
  ['config/persona/SOUL.md', 'config/persona/.SOUL.md.next', 'config/skills/brief', '.berth/undo/journal.json'],
]

/** Each obstacle at each depth; the first entries of the list differ in both obstacle and depth. */
const cases = paths.flatMap((_, turn) =>
  Object.keys(obstacles).map((obstacle, index) => [obstacle, (index + turn) % paths.length] as const),
)

const untouched = () => {
  expect(
    readdirSync(outside)
      .filter((name) => !/^s\d/.test(name))
      .sort(),
  ).toEqual(['persona', 'secret'])
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('not yours')
  expect(readFileSync(join(outside, 'persona', 'SOUL.md'), 'utf8')).toBe('not yours')
}

describe('a machine starts its agent, answers, and follows no link, with an obstacle', () => {
  it.each(some(cases, 7))('%s at every path of depth %d', async (obstacle, depth) => {
    const { server, volume } = bench
    server.files = { 'persona/SOUL.md': 'one', 'skills/brief/SKILL.md': 'brief' }
    for (const path of paths[depth] ?? []) {
      mkdirSync(dirname(join(volume, path)), { recursive: true })
      obstacles[obstacle]?.(join(volume, path))
    }
    const prompt = server.say('Are you there?')
    bench.start()
    await until(() => prompt.closed.length > 0, 'the answer')
    expect(server.replies(prompt)).toHaveLength(1)
    expect(readFileSync(join(volume, 'config', 'persona', 'SOUL.md'), 'utf8')).toBe('one')
    expect(readFileSync(join(volume, 'config', 'skills', 'brief', 'SKILL.md'), 'utf8')).toBe('brief')
    const { paths: listed } = JSON.parse(readFileSync(join(volume, 'config', 'manifest.json'), 'utf8'))
    expect(listed).toEqual(['persona/SOUL.md', 'skills/brief/SKILL.md'])
    for (const name of topFolders) expect(lstatSync(join(volume, name)).isDirectory()).toBe(true)
    untouched()
  })
})

it('a machine moves an obstacle with the name of a top folder next to that folder, so that no data of the user is lost', async () => {
  const { server, volume } = bench
  writeFileSync(join(volume, 'workspace'), 'my only notes')
  symlinkSync(outside, join(volume, 'memory'))
  const prompt = server.say('Are you there?')
  bench.start()
  await until(() => prompt.closed.length > 0, 'the answer')
  const displaced = (name: string) =>
    readdirSync(volume)
      .filter((each) => each.startsWith(`${name}.displaced-`))
      .map((each) => join(volume, each))
  expect(displaced('workspace').map((path) => readFileSync(path, 'utf8'))).toEqual(['my only notes'])
  expect(displaced('memory').map((path) => lstatSync(path).isSymbolicLink())).toEqual([true])
  expect(readdirSync(volume).filter((name) => name.includes('displaced'))).toHaveLength(2)
})

it('a machine restarts the agent when a program has deleted every folder of the volume', async () => {
  const { server, volume } = bench
  const machine = bench.start()
  await until(() => machine.runtimePid() > 0)
  for (const name of readdirSync(volume)) rmSync(join(volume, name), { recursive: true })
  process.kill(machine.runtimePid(), 'SIGKILL')
  const prompt = server.say('Are you there?')
  await until(() => prompt.closed.length > 0, 'the answer')
  expect(server.replies(prompt)).toHaveLength(1)
})

it('a machine does tasks before the configuration files exist, so that the user can repair the volume', async () => {
  const { server, volume } = bench
  server.files = { '../never': 'x' }
  writeFileSync(join(volume, 'huge'), 'x')
  const task = server.order({ kind: 'remove', path: 'huge' })
  const machine = bench.start()
  await until(() => task.ends.length > 0, 'the task')
  expect(existsSync(join(volume, 'huge'))).toBe(false)
  expect(machine.runtimePid()).toBe(0)
})

it('a machine answers for an agent that cannot start, and the agent answers once it can', async () => {
  const { server } = bench
  server.files = { '../never': 'x' }
  const prompt = server.say('Are you there?')
  const machine = bench.start()
  await until(() => prompt.closed.length > 0, 'the answer')
  expect(prompt.closed).toEqual(['failed'])
  expect(server.replies(prompt).map(({ text }) => text)).toEqual([cannotStartTexts.configuration])
  expect(server.observed('cannot-start')).toEqual([{ kind: 'cannot-start', reason: 'configuration' }])
  expect(server.observed('ready')).toEqual([])
  server.files = { 'persona/SOUL.md': 'one' }
  await until(() => machine.runtimePid() > 0, 'the start')
  const next = server.say('And now?')
  await until(() => next.closed.length > 0, 'the answer')
  expect(next.closed.at(-1)).toBe('completed')
  expect(server.observed('ready')).toHaveLength(1)
})

it('a machine tells the service and answers when it repeatedly fails to prepare the volume', async () => {
  const { server, volume } = bench
  const machine = bench.start()
  await until(() => machine.runtimePid() > 0, 'the start')
  rmSync(volume, { recursive: true })
  writeFileSync(volume, 'in the way')
  process.kill(machine.runtimePid(), 'SIGKILL')
  await until(() => server.observed('cannot-start').some(({ reason }) => reason === 'volume'), 'the report')
  const prompt = server.say('Are you there?')
  await until(() => prompt.closed.length > 0, 'the answer')
  expect(prompt.closed).toEqual(['failed'])
  expect(server.replies(prompt).map(({ text }) => text)).toEqual([cannotStartTexts.volume])
})

it('a machine deletes no file that a manifest of the agent names through a link', async () => {
  const { server, volume } = bench
  mkdirSync(join(volume, 'config'))
  symlinkSync(outside, join(volume, 'config', 'skills'))
  const manifest = {
    etag: 'forged\r\nx: y',
    paths: ['skills/secret', '../outside/secret', 'skills/persona/SOUL.md', 7],
  }
  writeFileSync(join(volume, 'config', 'manifest.json'), JSON.stringify(manifest))
  const prompt = server.say('Are you there?')
  bench.start()
  await until(() => prompt.closed.length > 0, 'the answer')
  untouched()
})
