import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Bench, isAlive, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

describe('a machine that gets a signal to stop', () => {
  it('finishes the running turn, reports that it drained, and exits with 0', async () => {
    const { server } = bench
    server.script = [{ text: 'one two three four five six', everyMs: 200 }]
    const prompt = server.say('Count.')
    const machine = bench.start()
    await until(() => server.modelCalls.length > 0)
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
    expect(server.replies(prompt).map(({ text }) => text)).toEqual(['one two three four five six'])
    expect(prompt.closed).toEqual(['completed'])
    expect(server.seen.at(-1)?.body).toEqual({ kind: 'draining' })
    expect(isAlive(machine.runtimePid())).toBe(false)
  })

  it('exits quickly when idle', async () => {
    const machine = bench.start()
    await until(() => bench.server.seen.some(({ path }) => path === '/agent/prompt'))
    const started = Date.now()
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it('ends a turn that outlasts the stop timeout, and the next machine answers it', async () => {
    const { server } = bench
    server.script = [{ text: 'far too slow for this', everyMs: 3_000 }, { text: 'Quick.' }]
    const prompt = server.say('Go.')
    const machine = bench.start({ BERTH_STOP_SECONDS: '0.5' })
    await until(() => server.modelCalls.length > 0)
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
    expect(prompt.closed).toEqual([])
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(server.replies(prompt).map(({ text }) => text)).toEqual(['Quick.'])
  })

  it('exits at once when its token is refused', async () => {
    const machine = bench.start()
    await until(() => bench.server.seen.some(({ path }) => path === '/agent/prompt'))
    bench.server.refuseAll = true
    bench.server.say('wake up the poll')
    await expect(machine.exited.then((code) => code)).resolves.toBe(3)
    await until(() => !isAlive(machine.runtimePid()))
  })
})

it('a machine writes Node’s compile cache while it runs, because most machines are killed', async () => {
  const cache = join(bench.volume, 'cache')
  mkdirSync(cache)
  const machine = bench.start({ NODE_COMPILE_CACHE: cache })
  const kept = () => readdirSync(cache, { recursive: true }).length
  // 140 entries for supervisor and runtime together; neither has more than 80 alone.
  await until(() => kept() > 100, 'the code of both', 40_000)
  expect([isAlive(machine.child.pid ?? 0), isAlive(machine.runtimePid())]).toEqual([true, true])
})

describe('a report of an idle machine', () => {
  it('is sent soon after the start, and repeatedly after that', async () => {
    bench.start({ BERTH_REPORT_SECONDS: '1' })
    await until(() => bench.server.observed('heartbeat').length >= 2)
    for (const { busy, samples } of bench.server.observed('heartbeat')) {
      expect(busy).toBe(false)
      expect(samples).toEqual([expect.objectContaining({ at: expect.any(String), diskBytes: expect.any(Number) })])
    }
  })
})

it('a machine needs only its own folder, which is the only one in the image', async () => {
  const image = join(bench.volume, 'image')
  cpSync(fileURLToPath(new URL('../../../agent', import.meta.url)), join(image, 'agent'), { recursive: true })
  const prompt = bench.server.say('Alone?')
  const machine = bench.start({}, { program: join(image, 'agent', 'main.ts') })
  await until(() => prompt.closed.length > 0)
  expect(bench.server.replies(prompt)).toHaveLength(1)
  expect(machine.output()).not.toMatch(/warning/i)
})
