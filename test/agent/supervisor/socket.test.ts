import { addPiece, noText } from '../../../domain/socket/growing-text.ts'
import { full } from '../../counts.ts'
import { Bench, isAlive, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

/** A machine whose runtime waits for messages of the service. */
async function idleMachine(more: Record<string, string> = {}) {
  const machine = bench.start(more)
  await until(() => bench.server.connections === 1, 'the connection')
  await until(() => machine.runtimePid() > 0)
  const first = bench.server.say('Are you there?')
  await until(() => first.closed.length > 0)
  return machine
}

const polls = () => bench.server.seen.filter(({ path }) => path === '/agent/prompt')
const readBy = (to: string, promptId: string) =>
  bench.server.pieces
    .filter((piece) => piece.promptId === promptId && (piece.to ?? to) === to)
    .reduce((held, piece) => addPiece(held, piece).held, noText)

describe('a machine with a socket', () => {
  it('sends its agent token, and polls only after a notice of work', async () => {
    await idleMachine()
    expect(bench.server.handshakes).toMatchObject([{ status: 101, token: expect.stringMatching(/^bmt_agent\./) }])
    const before = polls().length
    const prompt = bench.server.say('And now?')
    await until(() => prompt.closed.length > 0)
    const since = polls().slice(before)
    expect(since.every(({ query }) => query.startsWith('?wait=0'))).toBe(true)
    expect(since.length).toBeLessThanOrEqual(4)
  })

  it('learns of missed notices from the answer to its next report', async () => {
    bench.server.pushes = true
    await idleMachine({ BERTH_REPORT_SECONDS: '2' })
    bench.server.pushes = false
    const prompt = bench.server.say('Unheard.')
    await until(() => prompt.closed.length > 0)
    expect(bench.server.replies(prompt)).toHaveLength(1)
  })

  it('reconnects when it is cut off, and polls then', async () => {
    const machine = await idleMachine()
    bench.server.pushes = false
    bench.server.cut()
    const prompt = bench.server.say('Missed?')
    await until(() => prompt.closed.length > 0)
    await until(() => bench.server.connections === 1 && bench.server.handshakes.length > 1, 'another connection')
    expect(machine.child.exitCode).toBeNull()
  })

  it('uses long polls while it is refused, logs that once, and retries', async () => {
    bench.server.refuseSockets = true
    const machine = bench.start()
    const prompt = bench.server.say('By poll?')
    await until(() => prompt.closed.length > 0)
    await until(() => bench.server.handshakes.length >= 3, 'three attempts')
    expect(polls().some(({ query }) => query.startsWith('?wait=20'))).toBe(true)
    expect(machine.output().split('asking for work by long polls')).toHaveLength(2)
    bench.server.refuseSockets = false
    await until(() => bench.server.connections === 1, 'the connection')
  })

  it('uses long polls without a socket address', async () => {
    const machine = bench.start({ BERTH_SOCKET: '' })
    const prompt = bench.server.say('By poll?')
    await until(() => prompt.closed.length > 0)
    expect(machine.output().split('there is no BERTH_SOCKET')).toHaveLength(2)
    expect(bench.server.handshakes).toEqual([])
  })

  it('ends when it is cut off because it is superseded', async () => {
    const machine = await idleMachine()
    bench.server.newGeneration()
    bench.server.cut()
    expect(await machine.exited).toBe(3)
  })

  it('leaves its prompt to the next machine when it is killed', async () => {
    bench.server.script = [{ text: 'far too slow for this one', everyMs: 2_000 }, { text: 'Quick.' }]
    const first = bench.start()
    const prompt = bench.server.say('Go.')
    await until(() => bench.server.modelCalls.length > 0)
    first.child.kill('SIGKILL')
    await first.exited
    await until(() => !isAlive(first.runtimePid()))
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(bench.server.replies(prompt).map(({ text }) => text)).toEqual(['Quick.'])
  })

  it('reports at once when somebody looks, if it has new samples', async () => {
    await idleMachine()
    const seen = () => bench.server.observed('heartbeat').length
    const before = seen()
    bench.server.push({ type: 'report' })
    const prompt = bench.server.say('Still there?')
    await until(() => prompt.closed.length > 0)
    expect(seen()).toBe(before)
  })
})

describe('a growing reply', () => {
  const long = Array.from({ length: 8_300 }, (_, i) => (i % 97 === 0 ? '⚓😀' : `word${i % 9}`)).join(' ')

  it('is pushed to its end as it is written, at most ten pieces a second, without HTTP calls', async () => {
    const { server } = bench
    await idleMachine()
    const text = long.slice(0, full ? 50_000 : 12_000)
    server.script = [{ text, everyMs: 1 }]
    const prompt = server.say('Tell me everything.')
    await until(() => prompt.closed.length > 0)
    expect(server.replies(prompt)[0]?.text).toBe(text.trim())
    const pieces = server.pieces.filter(({ promptId }) => promptId === prompt.id)
    const times = pieces.map(({ atMs }) => atMs)
    expect(pieces.length).toBeGreaterThan(15)
    const gaps = times.slice(10).map((at, i) => at - (times[i] ?? 0))
    // Eleven pieces in less than a second, except for the variation of network delays.
    expect(gaps.filter((ms) => ms < 800)).toEqual([])
    const read = readBy('anybody', prompt.id).text
    expect(text.startsWith(read)).toBe(true)
    expect(read.length).toBeGreaterThan(0.9 * text.length)
    expect(server.observed('progress')).toEqual([])
  })

  it('is sent again from the point where a reader lacks text, to that reader alone', async () => {
    const { server } = bench
    await idleMachine()
    server.script = [{ text: 'one two three four five six seven eight', everyMs: 250 }]
    const prompt = server.say('Count.')
    await until(() => readBy('anybody', prompt.id).text.includes('three'))
    server.push({ type: 'missing', to: 'con_late=', promptId: null, from: 0 })
    server.push({ type: 'missing', to: 'con_lost=', promptId: prompt.id, from: 4 })
    await until(
      () => server.pieces.some(({ to }) => to === 'con_late=') && server.pieces.some(({ to }) => to === 'con_lost='),
    )
    expect(server.pieces.find(({ to }) => to === 'con_late=')).toMatchObject({
      from: 0,
      text: expect.stringMatching(/^one /),
    })
    expect(server.pieces.find(({ to }) => to === 'con_lost=')).toMatchObject({
      from: 4,
      text: expect.stringMatching(/^two /),
    })
    await until(() => prompt.closed.length > 0)
    expect('one two three four five six seven eight'.startsWith(readBy('con_late=', prompt.id).text)).toBe(true)
  })

  it('is reported by HTTP calls while there is no socket, from where the last push ended', async () => {
    const { server } = bench
    server.script = [{ text: long.slice(0, full ? 30_000 : 8_000), everyMs: 1 }]
    bench.start({ BERTH_SOCKET: '' })
    const prompt = server.say('Tell me everything.')
    await until(() => prompt.closed.length > 0)
    const told = server.observed('progress')
    expect(told.length).toBeGreaterThan(1)
    expect(told.every(({ text }) => String(text).length <= 8_000)).toBe(true)
    expect(long.startsWith(told.map(({ text }) => text).join(''))).toBe(true)
  })
})
