import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { LauncherLink } from '../../agent/launcher/link.ts'
import { Bench, isAlive, until } from './machine.ts'

const meeting = { host: '127.0.0.1', port: 0 }
const launcherKey = 'k'.repeat(32)

/** A link that listens, with its state. */
async function openLink() {
  // A port that was free a moment ago.
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const lost: string[] = []
  const heard: unknown[] = []
  const link = new LauncherLink({ meeting: { ...meeting, port }, launcherKey }, (why) => lost.push(why))
  const ready = link.ready({
    started: (pid) => heard.push({ pid }),
    ended: (because, outOfMemory) => heard.push({ because, outOfMemory }),
  })
  const open = async (
    ...lines: (object | string)[]
  ): Promise<{ socket: Socket; ended: () => boolean; got(): string }> => {
    const socket = connect(port, '127.0.0.1')
    let [ended, got] = [false, '']
    socket.on('data', (part) => {
      got += part
    })
    socket
      .on('error', () => {})
      .once('close', () => {
        ended = true
      })
    for (const line of lines) socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    return { socket, ended: () => ended, got: () => got }
  }
  return { link, lost, heard, ready, open }
}

const hello = { kind: 'launcher', key: launcherKey }

describe('the connection of supervisor and launcher', () => {
  it.each([
    ['no key', { kind: 'launcher' }],
    ['another key', { ...hello, key: 'x'.repeat(32) }],
    ['a report before the key', { kind: 'ended', because: 0 }],
    ['invalid JSON', 'hello'],
    ['an endless line', 'x'.repeat(10_000)],
  ])('is not made with %s, and keeps waiting for the launcher', async (_, line) => {
    const { link, lost, heard, ready, open } = await openLink()
    const stranger = await open(line)
    await until(stranger.ended)
    link.start({ file: 'a', args: [], environment: { SECRET: 's' }, cwd: '/' })
    expect([stranger.got(), lost, heard]).toEqual(['', [], []])
    const { socket } = await open(hello)
    await ready
    socket.destroy()
    await until(() => lost.length > 0)
  })

  it('is exclusive: the supervisor stops listening once the launcher is connected, even for a peer with its key', async () => {
    const { link, ready, open, lost } = await openLink()
    const late = await open()
    const launcher = await open(hello)
    await ready
    late.socket.write(`${JSON.stringify(hello)}\n`)
    await until(late.ended)
    const later = await open(hello)
    await until(later.ended)
    link.start({ file: 'a', args: [], environment: { SECRET: 's' }, cwd: '/' })
    await until(() => launcher.got().includes('SECRET'))
    expect([late.got(), later.got(), lost]).toEqual(['', '', []])
    launcher.socket.destroy()
    await until(() => lost.length > 0)
  })

  it('ignores messages that are not reports', async () => {
    const { link, ready, open, heard, lost } = await openLink()
    const lines = [{ kind: 'started', pid: 'x' }, { kind: 'ended', because: { a: 1 }, outOfMemory: 'yes' }, [], 'x', {}]
    const launcher = await open(hello, ...lines, { kind: 'ended', because: 'SIGKILL', outOfMemory: true })
    await ready
    await until(() => heard.length === 3)
    expect(heard[1]).toEqual({ because: '[object Object]', outOfMemory: false })
    expect(heard[2]).toEqual({ because: 'SIGKILL', outOfMemory: true })
    const measured = link.measure()
    launcher.socket.write(`${JSON.stringify({ kind: 'measured', cpuMs: -1, memoryBytes: 'much' })}\n`)
    expect(await measured).toEqual({ cpuMs: 0, memoryBytes: 0 })
    launcher.socket.write('x'.repeat(10_000))
    await until(() => lost.length > 0)
  })

  it('is dropped when a request gets no answer', async () => {
    const { link, ready, open, lost } = await openLink()
    const launcher = await open(hello)
    await ready
    expect(await link.measure()).toBeNull()
    await link.signal('SIGSTOP')
    launcher.socket.destroy()
    await until(() => lost.length > 0)
  })
})

describe('a machine', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await new Bench().open()
  })
  afterEach(() => bench.close())

  it('ends when its launcher is killed, and the next machine answers the open prompt, once', async () => {
    bench.server.script = [{ text: 'never whole '.repeat(50), everyMs: 200 }, { text: 'The tide is high.' }]
    const machine = bench.start()
    const prompt = bench.server.say('When?')
    await until(() => bench.server.modelCalls.length > 0)
    machine.launcher?.kill('SIGKILL')
    expect(await machine.exited).toBe(1)
    expect(machine.output()).toContain('the launcher is gone')
    await until(() => !isAlive(machine.runtimePid()))
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(bench.server.replies(prompt).map(({ text }) => text)).toEqual(['The tide is high.'])
  })

  it('ends its launcher and runtime when its supervisor is killed', async () => {
    const machine = bench.start({ BERTH_RUNTIME: `sh -c 'trap "" TERM; while :; do sleep 1; done'` })
    await until(() => machine.runtimePid() > 0)
    machine.child.kill('SIGKILL')
    await until(() => machine.launcher?.exitCode === 0)
    expect(isAlive(machine.runtimePid())).toBe(false)
  })

  it('drains even if SIGTERM reaches its launcher first', async () => {
    const machine = bench.start()
    const prompt = bench.server.say('Slowly.')
    bench.server.script = [{ text: 'one two three', everyMs: 100 }]
    await until(() => bench.server.modelCalls.length > 0)
    machine.launcher?.kill('SIGTERM')
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
    expect(prompt.closed).toEqual(['completed'])
    await until(() => machine.launcher?.exitCode === 0)
  })

  it('gives its launcher no token, and the runtime neither the token nor the launcher’s key', async () => {
    const seen = `${bench.volume}/seen`
    const machine = bench.start({
      BERTH_RUNTIME: `sh -c 'env > ${seen}; tr "\\0" "\\n" < /proc/$PPID/environ >> ${seen}; sleep 60'`,
    })

    const read = () => (existsSync(seen) ? readFileSync(seen, 'utf8') : '')
    await until(() => read().includes('BERTH_LAUNCHER_KEY'))
    const text = read()
    expect(text).not.toContain('bmt_')
    expect(text.split('BERTH_LAUNCHER_KEY')).toHaveLength(2)
    machine.child.kill('SIGKILL')
    await until(() => machine.launcher?.exitCode === 0)
  })
})
