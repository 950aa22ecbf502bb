import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sortedJson } from '../../agent/command/actions.ts'
import { readDuration, readWhen } from '../../agent/command/when.ts'
import { canonicalJson, type Question } from '../../domain/chat/question.ts'
import { Bench, until } from './machine.ts'

const berth = join(import.meta.dirname, '../../agent/bin/berth')

let bench: Bench
let environment: Record<string, string>
beforeAll(async () => {
  bench = await new Bench().open()
  // A runtime that takes a prompt and saves its environment for the test.
  const take =
    'curl -s -H "Authorization: Bearer $BERTH_LOOPBACK_KEY" "$BERTH_LOOPBACK/agent/prompt?wait=20" > prompt.json'
  const prompt = bench.server.say('Go on.')
  bench.start({
    BERTH_RUNTIME: `sh -c '${take}; env > environment.new; mv environment.new environment; exec cat'`,
  })
  const file = join(bench.volume, 'workspace', 'environment')
  await until(() => existsSync(file), 'the runtime')
  const lines = readFileSync(file, 'utf8').split('\n')
  environment = { ...Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2))), BERTH_PROMPT: prompt.id }
})
afterAll(() => bench.close())

interface Ran {
  code: number | null
  out: string
  error: string
}

const run = (args: string[], more: Record<string, string> = {}, command = berth, cwd = process.cwd()) => {
  const child = spawn(command, args, { cwd, env: { ...environment, ...more } })
  const done = new Promise<Ran>((resolve) => {
    let [out, error] = ['', '']
    child.stdout.on('data', (part) => {
      out += part
    })
    child.stderr.on('data', (part) => {
      error += part
    })
    child.once('close', (code) => resolve({ code, out: out.trim(), error: error.trim() }))
  })
  return { child, done }
}
const ran = (...args: string[]) => run(args).done
/** The newest question with this text, once it is asked. */
async function asked(text: string): Promise<Question> {
  const question = await until(() => bench.server.questions.findLast((each) => each.text === text), 'the question')
  if (!question) throw new Error('there is one')
  return question
}

const mail = ['--tool', 'send_mail', '--arguments', '{"to":"ada@example.org","cc":null}']

describe('the command berth', () => {
  it('is on the PATH of processes that the supervisor starts, and prints its usage', async () => {
    const { code, out } = await run(['-c', 'berth --help'], {}, '/bin/sh').done
    expect([code, out]).toEqual([0, expect.stringContaining('berth ask')])
    for (const verb of ['ask', 'tell', 'later', 'secrets', 'cost']) expect(out).toContain(`berth ${verb} `)
  })

  it.each([
    ['--approve', { approved: true }, 0, 'approved'],
    ['--approve', { approved: false }, 1, 'refused'],
    ['--choose=today, tomorrow', { choice: 'tomorrow' }, 0, 'tomorrow'],
    ['--text', { text: 'Ask Ada.' }, 0, 'Ask Ada.'],
  ] as const)('asks for %s and gets the answer %j', async (kind, given, code, words) => {
    const text = `May I? ${JSON.stringify(given)}`
    const { done } = run(['ask', text, kind, ...mail])
    const question = await asked(text)
    expect(question).toMatchObject({
      tool: 'send_mail',
      arguments: { to: 'ada@example.org', cc: null },
      promptId: environment.BERTH_PROMPT,
      answer: kind.replace(/^--|=.*/g, ''),
    })
    expect(question.choices).toEqual(kind.startsWith('--choose') ? ['today', 'tomorrow'] : undefined)
    bench.server.answer(question, given)
    expect(await done).toMatchObject({ code, out: words })
  })

  it('resumes waiting for the same question after it was killed, and asks a new question for other arguments', async () => {
    const first = run(['ask', 'Again?', ...mail])
    const question = await asked('Again?')
    first.child.kill('SIGKILL')
    await first.done
    const again = run(['ask', 'Again?', ...mail, '--json'])
    const other = run(['ask', 'Again?', '--tool', 'send_mail', '--arguments', '{"to":"eve@example.org"}'])
    await until(() => bench.server.questions.filter(({ text }) => text === 'Again?').length === 2, 'the other question')
    bench.server.answer(question, { approved: true })
    const { code, out } = await again.done
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ id: question.id, given: { approved: true } }),
    ])
    expect(other.child.exitCode).toBeNull()
    other.child.kill('SIGKILL')
    await other.done
  })

  it('accepts no answer to a question with other arguments', async () => {
    const { done } = run(['ask', 'Changed?', ...mail])
    const question = await asked('Changed?')
    question.argumentsSha256 = '0'.repeat(64)
    bench.server.answer(question, { approved: true })
    expect(await done).toMatchObject({ code: 4, error: expect.stringContaining('other arguments') })
  })

  it('reports that nobody answered', async () => {
    const { done } = run(['ask', 'Anybody?', '--wait', '30'])
    const question = await asked('Anybody?')
    expect(Date.parse(question.expiresAt) - Date.parse(question.askedAt)).toBe(30_000)
    question.state = 'expired'
    bench.server.push({ type: 'answered', questionId: question.id })
    expect(await done).toMatchObject({ code: 3, out: 'no answer in time' })
  })

  it('sends a message once', async () => {
    for (let twice = 0; twice < 2; twice++) expect((await ran('tell', 'The backup is done.')).code).toBe(0)
    expect(bench.server.messages.filter(({ role }) => role === 'agent').map(({ text }) => text)).toEqual([
      'The backup is done.',
    ])
  })

  it('sends a message with files, in a conversation of its own', async () => {
    writeFileSync(join(bench.volume, 'workspace', 'tides.csv'), 'high,10:00')
    const cwd = join(bench.volume, 'workspace')
    const { out, code, error } = await run(
      ['tell', 'The tides.', '--file', 'tides.csv', '--start', 'Tides'],
      {},
      berth,
      cwd,
    ).done
    expect([code, error]).toEqual([0, ''])
    const said = bench.server.messages.at(-1)
    expect(said).toMatchObject({ text: 'The tides.', attachments: [{ name: 'tides.csv', bytes: 10 }] })
    expect(out).toBe(`said in ${said?.conversation}`)
    await ran('tell', 'And more.', '--in', said?.conversation ?? '')
    expect(bench.server.messages.at(-1)).toMatchObject({ text: 'And more.', conversation: said?.conversation })
    expect((await ran('tell', 'x', '--in', 'main', '--start', 'y')).code).toBe(2)
    const outside = await run(['tell', 'Look.', '--file', '/etc/hostname'], {}, berth, cwd).done
    expect([outside.code, outside.error]).toEqual([4, expect.stringMatching(/volume/)])
  })

  it('creates, lists and cancels schedules', async () => {
    const made = await ran('later', 'in 2h', 'Look at the build.', '--json')
    const { schedule } = JSON.parse(made.out)
    expect(Math.abs(Date.parse(schedule.at) - Date.now() - 2 * 3_600_000)).toBeLessThan(90_000)
    expect((await ran('later', '0 8 * * 1-5', 'Morning brief.', '--zone', 'Europe/Berlin')).out).toContain(
      'Europe/Berlin',
    )
    const { out } = await ran('later', 'list')
    expect(out.split('\n').map((line) => line.split('  ').at(-1))).toEqual(['Look at the build.', 'Morning brief.'])
    expect(await ran('later', 'delete', schedule.id)).toMatchObject({ code: 0 })
    expect(await ran('later', 'delete', schedule.id)).toMatchObject({ code: 4 })
    expect(bench.server.schedules).toHaveLength(1)
  })

  it('lists secrets with their addresses, and never their values', async () => {
    const secret = { name: 'github', value: 'ghp_example1234', header: 'authorization', template: 'Bearer {}' }
    bench.server.secrets = [{ ...secret, hosts: ['api.github.com'] }]
    const { out } = await ran('secrets')
    expect(out).toContain(`${environment.BERTH_LOOPBACK}/secrets/github/https/api.github.com/`)
    expect(out + (await ran('secrets', '--json')).out).not.toContain('ghp_example')
  })

  it('shows the cost of the turn and of the month, for the turn that it runs in', async () => {
    const { out } = await ran('cost')
    expect(out).toBe(
      'this turn: $0.001500 for 2 model calls\nthis month: $2.000000 for 2 model calls\nleft in the wallet: $3.000000',
    )
    expect(bench.server.modelHeaders.at(-1)?.['x-berth-turn']).toBe(`bmt_turn.${environment.BERTH_PROMPT}`)
    expect(JSON.parse((await ran('cost', '--json')).out).month.amountMicros).toBe(2_000_000)
  })

  it('sends no request for arguments that it does not understand', async () => {
    const before = bench.server.seen.length
    const wrong = [
      [],
      ['shout', 'x'],
      ['ask'],
      ['ask', ' '],
      ['ask', 'x', '--approve', '--text'],
      ['ask', 'x', '--arguments', '[1]'],
      ['ask', 'x', '--arguments', '{'],
      ['ask', 'x', '--wait', 'long'],
      ['ask', 'x', '--yes'],
      ['later', 'soon', 'x'],
      ['later', '2026-11-24 08:00', 'x'],
      ['later', 'in 2h'],
      ['later', 'delete'],
    ]
    const codes = await Promise.all(wrong.map(async (args) => (await ran(...args)).code))
    expect(codes).toEqual(wrong.map(() => 2))
    expect(bench.server.seen.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('reports that it is not on a machine', async () => {
    expect((await run(['cost'], { BERTH_LOOPBACK: '' }).done).error).toContain('BERTH_LOOPBACK is not set')
  })
})

test('arguments are hashed as the service hashes them', () => {
  for (const value of [{ b: 1, a: [{ d: null, c: 'é' }] }, {}, { a: { b: '' } }, { n: 1.5, t: true }])
    expect(sortedJson(value)).toBe(canonicalJson(value))
})

test.each([
  ['in 90m', { at: '1970-01-01T01:30:00.000Z' }],
  ['in 2 days', { at: '1970-01-03T00:00:00.000Z' }],
  ['2026-11-24T08:00:00+01:00', { at: '2026-11-24T07:00:00.000Z' }],
  ['0 8 * * 1-5', { cron: '0 8 * * 1-5' }],
])('the duration "%s" is %j', (text, time) => expect(readWhen(text, 0)).toEqual(time))

test.each(['', '2 weeks', '-1h', '1.5h', 'h', '10 years'])('"%s" is not a duration', (text) =>
  expect(() => readDuration(text)).toThrow(),
)
