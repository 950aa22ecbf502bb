import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { full } from '../../counts.ts'
import { conform } from '../conformance.ts'
import { Bench, isAlive, until } from '../machine.ts'
import { refusals, wordsFor } from '../refusals.ts'

const command = `${process.execPath} ${fileURLToPath(new URL('./scripted.ts', import.meta.url))}`
const environment = { BERTH_RUNTIME: command }

describe('a program under the shared helper', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await new Bench().open()
  })
  afterEach(() => bench.close())

  const answered = async (text: string) => {
    const prompt = bench.server.say(text)
    await until(() => prompt.closed.length > 0, `the close of "${text}"`)
    return prompt
  }
  /** The process ids of the program and its tool, once they run. */
  const pids = async (): Promise<number[]> => {
    const path = join(bench.volume, 'workspace', 'pids.json')
    await until(() => existsSync(path) && readFileSync(path, 'utf8'), 'the program')
    return JSON.parse(readFileSync(path, 'utf8'))
  }

  it('implements the machine protocol', async () => {
    // The crashes of a whole machine, of which a quick run takes only those after the first report.
    const only = /once(?!.*whole machine .*(context|proxy)$)/
    const outcomes = await conform(command, { say: () => {}, ...(!full && { only }) })
    expect(outcomes.filter(({ result }) => result === 'failed')).toEqual([])
  }, 180_000)

  it('ends a turn whose reply is refused twice as failed, tells the user, and answers the next prompt', async () => {
    bench.server.refuseReply = (text) => (/delivered/.test(text) ? undefined : 400)
    bench.start(environment)
    const prompt = await answered('Say something.')
    expect(prompt.closed).toEqual(['failed'])
    expect(bench.server.replies(prompt).map(({ text }) => text)).toEqual([
      expect.stringMatching(/could not be delivered/),
    ])
    bench.server.refuseReply = () => undefined
    expect((await answered('And now?')).closed).toEqual(['completed'])
  })

  it('shows each tool call before the reply, at most 20 in a report', async () => {
    bench.start(environment)
    const prompt = await answered('Use tools.')
    const reports = bench.server
      .observed('activity')
      .map(({ activities }) => activities as { id: string; state: string }[]) // safe because an activity report carries these
    const [all, ids] = [reports.flat(), new Set(reports.flat().map(({ id }) => id))]
    expect([ids.size, all.filter(({ state }) => state === 'finished').length]).toEqual([45, 45])
    expect(all[0]).toMatchObject({ id: 'call_0', tool: 'read', state: 'started', target: 'file-0.txt' })
    expect(Math.max(...reports.map(({ length }) => length))).toBe(20)
    const kinds = bench.server.seen.filter(({ path }) => path === '/agent/observe').map(({ body }) => body.kind)
    expect(kinds.lastIndexOf('activity')).toBeLessThan(kinds.indexOf('reply'))
    expect(bench.server.replies(prompt)).toHaveLength(1)
  })

  it('ends the program, its tools and the prompt when the user stops it, and answers the next prompt', async () => {
    bench.start(environment)
    const prompt = bench.server.say('Hang.')
    const started = await pids()
    await until(() => bench.server.pieces.some(({ text }) => text === 'I begin'), 'the text so far')
    bench.server.stopAnswer(prompt)
    await until(() => prompt.closed.length > 0, 'the close')
    expect(prompt.closed).toEqual(['stopped'])
    expect(bench.server.replies(prompt).map(({ text }) => text)).toEqual(['I begin'])
    expect(started.filter(isAlive)).toEqual([])
    expect((await answered('And now?')).closed).toEqual(['completed'])
  })

  it('leaves no program behind when it is killed', async () => {
    const machine = bench.start(environment)
    bench.server.say('Hang.')
    const started = await pids()
    const killed = machine.runtimePid()
    process.kill(killed, 'SIGKILL')
    await until(() => machine.runtimePid() !== killed, 'the next runtime')
    await until(() => started.every((pid) => !isAlive(pid)), 'the end of what was left behind')
  })

  it('leaves no program behind when its supervisor is killed', async () => {
    const machine = bench.start(environment)
    bench.server.say('Hang.')
    const started = await pids()
    machine.child.kill('SIGKILL')
    await until(() => started.every((pid) => !isAlive(pid)), 'the end of what was left behind')
  })

  it('reports an empty wallet once in the service’s words, and answers the next prompt when there is money', async () => {
    bench.start(environment)
    bench.server.availableMicros = 0
    bench.server.script = [{ status: 402 }, { status: 402 }, { text: 'Paid.' }]
    const first = await answered('One.')
    const second = await answered('Two.')
    expect([first.closed, second.closed]).toEqual([['needs_input'], ['completed']])
    expect(bench.server.replies(second).map(({ text }) => text)).toEqual(['Paid.'])
  })

  it.each(refusals)(
    'tells a refusal in the service’s words, whatever the program says: %s',
    async (_, error, ended) => {
      bench.start(environment)
      bench.server.availableMicros = 4_000
      bench.server.script = Array.from({ length: 6 }, () => ({ refusal: error }))
      const prompt = await answered('One.')
      expect(prompt.closed).toEqual([ended])
      expect(bench.server.replies(prompt).map(({ text }) => text)).toEqual([wordsFor(error)])
      expect(bench.server.observed('reply').at(-1)).toMatchObject({ outcome: ended, refusal: error.code })
    },
  )

  it('does not tell of a refusal that a later call got over', async () => {
    bench.start(environment)
    bench.server.script = [{ status: 502 }, { text: 'Fail after this.' }]
    const prompt = await answered('Fail.')
    expect(prompt.closed).toEqual(['failed'])
    expect(bench.server.replies(prompt)[0]?.text).toMatch(/^Something failed/)
  })

  it('sends an unrequested message, asks the owner and continues with the answer', async () => {
    bench.start(environment)
    const prompt = bench.server.say('Ask me.')
    await until(() => bench.server.questions.length > 0, 'the question')
    const [question] = bench.server.questions
    expect(question).toMatchObject({ promptId: prompt.id, text: 'May I?', answer: 'approve' })
    expect(bench.server.observed('message')).toMatchObject([{ key: 'note-1', text: 'I am about to ask.' }])
    if (question) bench.server.answer(question, { approved: true })
    await until(() => prompt.closed.length > 0, 'the close')
    expect(bench.server.replies(prompt).map(({ text }) => text)).toEqual(['{"approved":true}'])
  })

  it('gives the program the earlier conversation only while the program has no session of its own', async () => {
    bench.start(environment)
    await answered('My boat is called Petrel.')
    await answered('What is she called?')
    const { messages } = bench.server.modelCalls.at(-1) as { messages: { content: string }[] } // safe because a chat call carries messages
    expect(messages.at(-1)?.content).toBe('What is she called?')
    expect(messages[0]?.content).toBe('My boat is called Petrel.')
  })
})
