import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { some } from '../../counts.ts'
import { Bench, isAlive, type Machine, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const transcript = () =>
  readFileSync(join(bench.volume, 'memory', 'transcript.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"promptId"') && line.endsWith('}'))
    .map((line): { role: string; text: string } => JSON.parse(line))

/** Every point of a turn at which the service has received a step and the machine may not know it yet. */
const steps = ['/agent/prompt', '/agent/context', '/llm/proxy', '/agent/observe reply', '/agent/feedback'] as const

/** Runs a function the first time that a turn with a prompt reaches the step. */
function once(step: string, act: () => void): void {
  let done = false
  bench.server.onEffect = (reached) => {
    if (done || reached !== step || !bench.server.prompts.some(({ attempt }) => attempt > 0)) return
    done = true
    act()
  }
}

async function answeredOnce(machine: () => Machine): Promise<void> {
  const { server } = bench
  const [prompt] = server.prompts
  if (!prompt) throw new Error('no prompt')
  await until(() => prompt.closed.length > 0 && transcript().length > 0)
  const after = server.say('And then?')
  await until(() => after.closed.length > 0, `the next turn (${machine().output()})`)
  expect(server.replies(prompt)).toHaveLength(1)
  expect(server.replies(after)).toHaveLength(1)
  expect(new Set(prompt.closed)).toEqual(new Set(['completed']))
  expect(transcript().map(({ role }) => role)).toEqual(['user', 'agent', 'user', 'agent'])
}

describe('kill -9 of the runtime', () => {
  it.each(some(steps, 2))('at %s: the prompt is answered once after the restart', async (step) => {
    if (step === '/agent/prompt') return atPrompt((machine) => process.kill(machine.runtimePid(), 'SIGKILL'), false)
    const prompt = bench.server.say('Hold fast.')
    const machine = bench.start()
    const died: number[] = []
    once(step, () => {
      died.push(machine.runtimePid())
      process.kill(machine.runtimePid(), 'SIGKILL')
    })
    await answeredOnce(() => machine)
    expect(died).toHaveLength(1)
    expect(machine.runtimePid()).not.toBe(died[0])
    const thoughts = bench.server.modelCalls.length
    expect(thoughts).toBe(step === '/llm/proxy' ? 3 : 2)
    expect(bench.server.replies(prompt)[0]?.text).toBe('All is well.')
  })
})

describe('kill -9 of the supervisor', () => {
  it.each(some(steps, 2))('at %s: the runtime ends too, and the next machine answers once', async (step) => {
    if (step === '/agent/prompt') return atPrompt((machine) => machine.child.kill('SIGKILL'), true)
    bench.server.say('Hold fast.')
    const first = bench.start()
    once(step, () => first.child.kill('SIGKILL'))
    await first.exited
    await until(() => !isAlive(first.runtimePid()), 'the end of the runtime')
    const second = bench.start()
    await answeredOnce(() => second)
    expect(bench.server.modelCalls).toHaveLength(step === '/llm/proxy' ? 3 : 2)
  })
})

describe('kill -9 of both', () => {
  it.each(some(steps, 2))('at %s: the next machine answers once', async (step) => {
    const both = (machine: Machine) => {
      process.kill(machine.runtimePid(), 'SIGKILL')
      machine.child.kill('SIGKILL')
    }
    if (step === '/agent/prompt') return atPrompt(both, true)
    bench.server.say('Hold fast.')
    const first = bench.start()
    once(step, () => both(first))
    await first.exited
    const second = bench.start()
    await answeredOnce(() => second)
    expect(bench.server.modelCalls).toHaveLength(step === '/llm/proxy' ? 3 : 2)
  })
})

/** A prompt whose lease holder died before it received the prompt is leased again with the next lease. */
async function atPrompt(kill: (machine: Machine) => void, restart: boolean): Promise<void> {
  const machine = bench.start()
  await until(() => bench.server.seen.some(({ path }) => path === '/agent/prompt') && machine.runtimePid() > 0)
  once('/agent/prompt', () => kill(machine))
  const prompt = bench.server.say('Hold fast.')
  await until(() => prompt.attempt > 0)
  if (restart) {
    await machine.exited
    await until(() => !isAlive(machine.runtimePid()))
  }
  const now = restart ? bench.start() : machine
  prompt.leaseUntil = 0
  await answeredOnce(() => now)
}

it('a runtime reads its memory past a line that a crash cut off', async () => {
  const { server } = bench
  const first = server.say('The anchor is blue.')
  const machine = bench.start()
  await until(() => first.closed.length > 0)
  machine.child.kill('SIGKILL')
  await machine.exited
  appendFileSync(join(bench.volume, 'memory', 'transcript.jsonl'), '{"promptId":"prm_torn","ro')
  server.messages = []
  const second = server.say('What colour is it?')
  bench.start()
  await until(() => second.closed.length > 0)
  expect(JSON.stringify(server.modelCalls.at(-1)?.messages)).toContain('The anchor is blue.')
  expect(transcript().filter(({ text }) => text === 'What colour is it?')).toHaveLength(1)
})

// https://github.com/anthropics/claude-code/issues/69927, https://github.com/zai-org/feedback/issues/431
describe('a reply that the service refuses', () => {
  const sent = () => bench.server.observed('reply').filter(({ text }) => !/delivered/.test(String(text)))

  it.each([
    [400, 2],
    [413, 2],
    [500, 4],
  ])(
    'with %i is tried %i times; then its turn has failed, the user knows, and the next prompt is answered',
    async (status, tries) => {
      const { server } = bench
      server.refuseReply = (text) => (/delivered/.test(text) ? undefined : status)
      const first = server.say('Write much.')
      bench.start()
      await until(() => first.closed.length > 0)
      expect([first.closed, sent().length]).toEqual([['failed'], tries])
      expect(server.replies(first).map(({ text }) => text)).toEqual([expect.stringMatching(/could not be delivered/)])
      server.refuseReply = () => undefined
      const second = server.say('And now?')
      await until(() => second.closed.length > 0)
      expect(second.closed).toEqual(['completed'])
    },
  )

  it('is retried while other replies are refused too, and is accepted in the end', async () => {
    const { server } = bench
    let refused = 0
    server.refuseReply = () => (++refused <= 12 ? 500 : undefined)
    const prompt = server.say('Hold fast.')
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(prompt.closed).toHaveLength(1)
    expect(server.replies(prompt)).toHaveLength(1)
  })
})

it('a prompt that crashes the runtime each time is given up', async () => {
  const { server } = bench
  server.script = Array.from({ length: 10 }, () => ({ text: 'never said', everyMs: 500 }))
  const prompt = server.say('Poison.')
  const machine = bench.start()
  server.onEffect = (step) => {
    if (step === '/llm/proxy') process.kill(machine.runtimePid(), 'SIGKILL')
  }
  await until(() => prompt.closed.length > 0)
  expect(server.modelCalls).toHaveLength(3)
  expect(prompt.closed).toEqual(['failed'])
  expect(server.replies(prompt)[0]?.text).toMatch(/gave it up/)
})
