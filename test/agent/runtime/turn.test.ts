import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bench, until } from '../machine.ts'
import { refusals, wordsFor } from '../refusals.ts'

let bench: Bench
const openBench = async () => {
  bench = await new Bench().open()
}
const closeBench = () => bench.close()
const withBenchEach = () => {
  beforeEach(openBench)
  afterEach(closeBench)
}

const read = (...path: string[]) => readFileSync(join(bench.volume, ...path), 'utf8')

describe('a turn', () => {
  withBenchEach()

  it('answers a prompt once, shows its progress, and closes it', async () => {
    const { server } = bench
    server.script = [{ text: 'The tide comes in at noon and goes out at six.', everyMs: 120 }]
    const prompt = server.say('When is the tide?')
    const machine = bench.start()
    await until(() => prompt.closed.length > 0)
    expect(server.observed('progress')).toEqual([])
    expect(server.replies(prompt).map(({ text }) => text)).toEqual(['The tide comes in at noon and goes out at six.'])
    expect(prompt.closed).toEqual(['completed'])
    const shown = server.pieces.filter(({ promptId }) => promptId === prompt.id).map(({ text }) => text)
    expect(shown.length).toBeGreaterThanOrEqual(2)
    expect('The tide comes in at noon and goes out at six.'.startsWith(shown.join(''))).toBe(true)
    const [call] = server.modelCalls
    expect(call?.model).toBe('local/echo')
    expect(server.modelHeaders[0]).toMatchObject({ 'x-berth-trigger': 'chat', 'x-berth-model': 'local/echo' })
    expect(JSON.stringify(call?.messages)).toContain('You are called Anchor.')
    expect(JSON.stringify(call?.messages)).toContain('Writes a morning brief.')
    expect(server.observed('ready')).toHaveLength(1)
    expect(machine.output()).not.toMatch(/bmt_|bl_|tide/)
    for (const line of machine.output().trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  })

  it('remembers the conversation and its notes on the next machine, even if the service forgot', async () => {
    const { server } = bench
    server.script = [
      { call: { name: 'notes', arguments: { action: 'add', note: 'The user sails a sloop.' } } },
      { text: 'Noted.' },
    ]
    const first = server.say('My boat is called Heron, a sloop.')
    const machine = bench.start()
    await until(() => first.closed.length > 0)
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
    server.messages = []
    const second = server.say('What is my boat called?')
    bench.start()
    await until(() => second.closed.length > 0)
    const messages = JSON.stringify(server.modelCalls.at(-1)?.messages)
    expect(messages).toContain('My boat is called Heron, a sloop.')
    expect(messages).toContain('Noted.')
    expect(messages).toContain('The user sails a sloop.')
    expect(read('memory', 'transcript.jsonl').trim().split('\n')).toHaveLength(4)
  })

  it('remembers earlier messages of its own conversation only, and its notes in all', async () => {
    const { server } = bench
    server.script = [
      { call: { name: 'notes', arguments: { action: 'add', note: 'The user sails a sloop.' } } },
      { text: 'Noted.' },
      { text: 'In May.' },
    ]
    const first = server.say('My boat is called Heron.')
    const second = server.say('When is Lisbon warm?', 'cnv_1')
    const machine = bench.start()
    await until(() => second.closed.length > 0)
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
    expect(first.closed).toEqual(['completed'])
    server.messages = []
    const third = server.say('And how long is the flight?', 'cnv_1')
    bench.start()
    await until(() => third.closed.length > 0)
    const messages = JSON.stringify(server.modelCalls.at(-1)?.messages)
    expect(messages).toContain('When is Lisbon warm?')
    expect(messages).toContain('In May.')
    expect(messages).toContain('The user sails a sloop.')
    expect(messages).not.toContain('Heron')
  })

  it('works with files through tools and learns why a path is refused', async () => {
    const { server } = bench
    server.script = [
      { call: { name: 'write_file', arguments: { path: 'log/today.md', content: 'fair wind' } } },
      { call: { name: 'read_file', arguments: { path: '../state/answered.jsonl' } } },
      { text: 'Done.' },
    ]
    const prompt = server.say('Write it down.')
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(read('workspace', 'log', 'today.md')).toBe('fair wind')
    expect(JSON.stringify(server.modelCalls[2]?.messages)).toContain('may not contain')
    expect(server.replies(prompt)[0]?.text).toBe('Done.')
  })
})

describe('a turn that is watched and stopped', () => {
  withBenchEach()

  it('reports each call when it begins and when it ends, before its reply', async () => {
    const { server } = bench
    server.script = [
      { call: { name: 'write_file', arguments: { path: 'a.txt', content: 'fair wind' } } },
      { call: { name: 'read_file', arguments: { path: '../secret' } } },
      { text: 'Done.' },
    ]
    const prompt = server.say('Write it down.')
    bench.start()
    await until(() => prompt.closed.length > 0)
    const told = server.observed('activity').flatMap(({ activities }) => activities as Record<string, unknown>[]) // safe because the protocol gives these reports this shape
    expect(told).toMatchObject([
      { tool: 'write_file', state: 'started', target: 'a.txt' },
      { tool: 'write_file', state: 'finished', bytes: expect.any(Number), durationMs: expect.any(Number) },
      { tool: 'read_file', state: 'started', target: '../secret' },
      { tool: 'read_file', state: 'failed' },
    ])
    const order = server.seen.map(({ body }) => body.kind).filter((kind) => kind === 'activity' || kind === 'reply')
    expect(order.at(-1)).toBe('reply')
  })

  it.each([
    [
      'while the model answers',
      { text: 'One two three four five six seven eight nine ten.', everyMs: 400 },
      /^One two/,
    ],
    ['while it waits for a retry', { status: 429, retryAfter: 60 }, null],
  ])('ends %s, with the text so far', async (_, behaviour, reply) => {
    const { server } = bench
    server.script = [behaviour]
    const prompt = server.say('Count.')
    bench.start({ BERTH_BACKOFF_SCALE: '1' })
    await until(() => ('text' in behaviour ? server.pieces.length > 1 : server.modelCalls.length > 0))
    server.stopAnswer(prompt)
    await until(() => prompt.closed.length > 0)
    expect(prompt.closed).toEqual(['stopped'])
    expect(server.modelCalls).toHaveLength(1)
    const [replied] = server.replies(prompt)
    if (reply) expect(replied?.text).toMatch(reply)
    else expect(replied).toBeUndefined()
    const next = server.say('And now?')
    await until(() => next.closed.length > 0)
    expect(next.closed).toEqual(['completed'])
  })
})

/** The machine's answer when the model answers in this way. */
async function answerTo(script: typeof bench.server.script) {
  const { server } = bench
  const before = server.modelCalls.length
  server.script = script
  const prompt = server.say('Go on.')
  await until(() => prompt.closed.length > 0)
  expect(server.replies(prompt)).toHaveLength(1)
  return {
    calls: server.modelCalls.length - before,
    outcome: prompt.closed,
    text: server.replies(prompt)[0]?.text,
  }
}

describe('a wallet without money', () => {
  withBenchEach()

  it('is reported once', async () => {
    bench.start()
    const { calls, outcome, text } = await answerTo([{ status: 402 }])
    expect({ calls, outcome }).toEqual({ calls: 1, outcome: ['needs_input'] })
    expect(text).toMatch(/top it up on the wallet page/i)
  })

  it('is not reported a second time: later questions wait for credit and are answered then', async () => {
    bench.start()
    bench.server.availableMicros = 0
    await answerTo([{ status: 402 }])
    const { outcome, text } = await answerTo([{ status: 402 }, { status: 402 }, { text: 'There is money again.' }])
    expect({ outcome, text }).toEqual({ outcome: ['completed'], text: 'There is money again.' })
  })

  it('stops waiting for money when the user stops the reply', async () => {
    bench.start({ BERTH_BACKOFF_SCALE: '1' })
    const { server } = bench
    server.availableMicros = 0
    await answerTo([{ status: 402 }])
    const before = server.modelCalls.length
    server.script = [{ status: 402 }]
    const prompt = server.say('And now?')
    await until(() => server.modelCalls.length > before)
    server.stopAnswer(prompt)
    await until(() => prompt.closed.length > 0, 'the close', 9_000)
    expect(prompt.closed).toEqual(['stopped'])
  })
})

describe('a refused model call', () => {
  beforeAll(async () => {
    await openBench()
    bench.start()
  })
  afterAll(closeBench)

  it.each(refusals)('is told in the service’s words, and twice if money is left: %s', async (name, error, ended) => {
    bench.server.availableMicros = 4_000
    const most = name === 'too little' || name.startsWith('spending limit') ? 2 : 1
    for (let times = 0; times < most; times++) {
      const { outcome, text } = await answerTo(Array.from({ length: 11 }, () => ({ refusal: error })))
      expect({ outcome, text }).toEqual({ outcome: [ended], text: wordsFor(error) })
      expect(bench.server.observed('reply').at(-1)).toMatchObject({ outcome: ended, refusal: error.code })
    }
  })
})

describe('a model call that fails', () => {
  beforeAll(async () => {
    await openBench()
    bench.start()
  })
  afterAll(closeBench)

  it('waits as long as a 429 demands', async () => {
    const started = Date.now()
    const { calls, text } = await answerTo([{ status: 429, retryAfter: 60 }, { text: 'Now.' }])
    expect({ calls, text }).toEqual({ calls: 2, text: 'Now.' })
    expect(Date.now() - started).toBeGreaterThanOrEqual(600)
  })

  it('retries a 502 four times, then reports it', async () => {
    const four = Array.from({ length: 4 }, () => ({ status: 502 }))
    expect(await answerTo([...four, { text: 'At last.' }])).toEqual({
      calls: 5,
      outcome: ['completed'],
      text: 'At last.',
    })
  })

  it('gives up after the fifth 502', async () => {
    const { calls, outcome } = await answerTo(Array.from({ length: 6 }, () => ({ status: 502 })))
    expect({ calls, outcome }).toEqual({ calls: 5, outcome: ['failed'] })
  })

  it('retries a 500 once', async () => {
    const { calls, outcome } = await answerTo([{ status: 500 }, { status: 500 }, { text: 'never' }])
    expect({ calls, outcome }).toEqual({ calls: 2, outcome: ['failed'] })
  })

  it('restarts a broken stream', async () => {
    const { calls, text } = await answerTo([{ text: 'half of', cut: true }, { text: 'The whole.' }])
    expect({ calls, text }).toEqual({ calls: 2, text: 'The whole.' })
  })
})
