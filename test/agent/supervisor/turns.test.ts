import { jest } from '@jest/globals'
import { Service } from '../../../agent/kit/service.ts'
import { startLoopback } from '../../../agent/loopback/loopback.ts'
import { ChatDrafts } from '../../../agent/supervisor/chat-drafts.ts'
import { HeldPrompts } from '../../../agent/supervisor/held-prompts.ts'
import { Inbox } from '../../../agent/supervisor/inbox.ts'
import { OpenQuestions } from '../../../agent/supervisor/open-questions.ts'
import { RuntimeReports } from '../../../agent/supervisor/runtime-reports.ts'
import { Turns } from '../../../agent/supervisor/turns.ts'
import { until } from '../machine.ts'
import { ProtocolServer, proofOf } from '../protocol-server.ts'

let machine: Awaited<ReturnType<typeof open>>
beforeEach(async () => {
  machine = await open()
})
afterEach(async () => {
  machine.loopback.close()
  await machine.server.stop()
})

/** The loopback of a machine without a runtime, connected to the service's side of the protocol. */
async function open() {
  const server = await new ProtocolServer().start()
  const service = new Service({ api: server.api, tokens: server.newGeneration(), tokenMs: 3_600_000 }, () => {})
  const held = new HeldPrompts()
  const closed: string[] = []
  const turns = new Turns({
    isHeld: (promptId) => held.has(promptId),
    context: (promptId) => service.call('agent', `/agent/context?prompt=${promptId}`),
    close: async (promptId) => void closed.push(promptId),
  })
  const questions = new OpenQuestions({
    find: (id) => service.call('agent', `/agent/question?id=${id}`),
    waiting: (promptId) => held.progress(promptId),
  })
  const replies = { begin: () => {}, grow: () => 0, forget: () => {} }
  const reports = new RuntimeReports({
    held,
    // safe because no reply grows here
    replies: replies as never,
    drafts: new ChatDrafts({ textOf: () => '', tell: async () => {} }),
    refused: () => {},
    replied: () => {},
    closed: (promptId) => turns.end(promptId),
    secrets: () => ['correct horse "battery"'],
  })
  const loopback = await startLoopback({
    service,
    model: () => 'local/echo',
    poll: async () => undefined,
    inbox: new Inbox('/nowhere'),
    outgoing: { send: Promise.reject },
    reports,
    turns,
    questions,
    secrets: { serve: async () => {} },
    log: () => {},
  })
  return {
    server,
    turns,
    questions,
    loopback,
    closed,
    /** The next prompt, recorded as the supervisor does when it hands one out. */
    async take(trace?: string) {
      const answer = await service.poll(0, 'too', new AbortController().signal)
      const { prompt, turn } = answer.ok ? answer.body : { prompt: null, turn: null }
      if (!prompt || !turn) throw new Error('nothing to take')
      held.add(prompt.id)
      turns.begin(prompt.id, turn, trace)
      return prompt.id
    },
    async call(path: string, body?: object, headers: Record<string, string> = {}) {
      const response = await fetch(`${loopback.address}${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${loopback.key}`, ...headers },
      })
      return { status: response.status, body: await response.json().catch(() => null) }
    },
  }
}

const ask = { messages: [] }
const chat = '/llm/proxy/v1/chat/completions'
const proofs = () => machine.server.modelHeaders.map((headers) => headers['x-berth-turn'])

describe('a model call', () => {
  it('belongs to the only open prompt, to the prompt of its address, or to the prompt of its proof', async () => {
    machine.server.say('one')
    const first = await machine.take()
    await machine.call(chat, ask)
    machine.server.say('two')
    const second = await machine.take()
    await machine.call(chat, ask)
    await machine.call(`/turns/${second}${chat}`, ask)
    await machine.call(chat, ask, { 'x-berth-turn': proofOf({ id: first }) })
    const [firstProof, secondProof] = [first, second].map((id) => proofOf({ id }))
    expect(proofs()).toEqual([firstProof, undefined, secondProof, firstProof])
  })

  it('belongs to a sub-agent below the sub-agent’s name', async () => {
    machine.server.say('one')
    const id = await machine.take()
    const names = ['researcher', 'llm', '..']
    for (const name of names) await machine.call(`/turns/${id}/${encodeURIComponent(name)}${chat}`, ask)
    await machine.call(`/turns/${id}${chat}`, ask, { 'x-berth-child': 'own' })
    expect((await machine.call(`/turns/${id}/a/b${chat}`, ask)).status).toBe(404)
    const children = machine.server.modelHeaders.map((headers) => headers['x-berth-child'])
    expect(children).toEqual(['researcher', 'llm', 'own'])
    expect(proofs()).toEqual(children.map(() => proofOf({ id })))
  })

  it('continues its prompt’s trace, and no other trace', async () => {
    const trace = '1-5759e988-bd862e3fe1be46a994272793'
    machine.server.say('one')
    const first = await machine.take(trace)
    machine.server.say('two')
    const second = await machine.take()
    for (const id of [first, second]) await machine.call(`/turns/${id}${chat}`, ask)
    const traces = machine.server.modelHeaders.map((headers) => headers['x-amzn-trace-id'])
    expect(traces).toEqual([`Root=${trace}`, undefined])
  })

  it('leaves its refusal for the runtime, until a later call of the same turn succeeds', async () => {
    machine.server.say('one')
    const id = await machine.take()
    const refusal = async () => (await machine.call(`/agent/refusal?prompt=${id}`)).body
    expect(await refusal()).toEqual({ refusal: null })
    machine.server.script = [{ status: 402 }, { status: 402 }, { text: 'Paid.' }]
    await machine.call(`/turns/${id}/llm/proxy/v1/messages`, ask)
    const empty = { status: 402, code: 'wallet-empty', message: expect.stringMatching(/^The wallet is empty/) }
    expect(await refusal()).toEqual({ refusal: { ...empty, retryAfterSeconds: null } })
    await machine.call(`/turns/${id}${chat}`, ask)
    await machine.call('/llm/proxy/v1/models')
    expect(await refusal()).toEqual({ refusal: { ...empty, retryAfterSeconds: null } })
    await machine.call(`/turns/${id}${chat}`, ask)
    expect(await refusal()).toEqual({ refusal: null })
  })

  it('belongs to nobody when there is no prompt', async () => {
    await machine.call(chat, ask)
    expect(proofs()).toEqual([undefined])
  })

  it('fails for a prompt that is not open', async () => {
    const { status, body } = await machine.call(`/turns/prm_${'0'.repeat(26)}${chat}`, ask)
    expect([status, body.error.code]).toEqual([404, 'not-found'])
    expect(proofs()).toEqual([])
  })

  it('ends when its prompt is stopped, and ends its provider’s call; calls of other prompts continue', async () => {
    machine.server.script = [
      { text: 'a '.repeat(1_000_000), everyMs: 20 },
      { text: 'not stopped', everyMs: 20 },
    ]
    machine.server.say('one')
    machine.server.say('two')
    const [first, second] = [await machine.take(), await machine.take()]
    const stopped = machine.call(`/turns/${first}${chat}`, { stream: true }).catch(() => 'cut')
    await until(() => machine.server.modelCalls.length === 1)
    const goesOn = machine.call(`/turns/${second}${chat}`, { stream: true })
    await until(() => machine.server.modelCalls.length === 2)
    machine.turns.stop(first)
    await stopped
    expect((await goesOn).status).toBe(200)
    await until(() => machine.server.seen.filter(({ path, status }) => path === chat && status > 0).length === 2)
  })

  it('is refused for a stopped prompt, with an error that no SDK retries', async () => {
    machine.server.say('one')
    const promptId = await machine.take()
    machine.turns.stop(promptId)
    const { status, body } = await machine.call(chat, ask)
    expect([status, body.error.type]).toEqual([403, 'permission_error'])
    expect(proofs()).toEqual([])
  })
})

describe('/agent/stopped', () => {
  it('waits, and answers as soon as the user cancels the answer', async () => {
    machine.server.say('one')
    const promptId = await machine.take()
    expect((await machine.call(`/agent/stopped?prompt=${promptId}`)).body).toEqual({ stopped: false })
    const waiting = machine.call(`/agent/stopped?prompt=${promptId}&wait=20`)
    machine.turns.stop(promptId)
    expect((await waiting).body).toEqual({ stopped: true })
  })

  it('knows only open prompts', async () => {
    expect((await machine.call(`/agent/stopped?prompt=prm_${'0'.repeat(26)}`)).status).toBe(404)
  })
})

test('a stopped prompt that stays open is closed after ten seconds, once', async () => {
  machine.server.say('one')
  machine.server.say('two')
  const [first, second] = [await machine.take(), await machine.take()]
  jest.useFakeTimers()
  try {
    for (const promptId of [first, first, second]) machine.turns.stop(promptId)
    machine.turns.end(second)
    jest.advanceTimersByTime(9_000)
    expect(machine.closed).toEqual([])
    jest.advanceTimersByTime(60_000)
    expect(machine.closed).toEqual([first])
  } finally {
    jest.useRealTimers()
  }
})

test('each waiting caller gets the owner’s answer to a question at once', async () => {
  const { body } = await machine.call('/agent/observe', {
    kind: 'question',
    key: 'q',
    text: 'May I?',
    answer: 'approve',
  })
  const { id } = body.question
  expect((await machine.call(`/agent/question?id=${id}`)).body.question.state).toBe('open')
  const waiting = machine.call(`/agent/question?id=${id}&wait=20`)
  await until(() => machine.server.seen.filter(({ path }) => path === '/agent/question').length === 2)
  const [asked] = machine.server.questions
  if (!asked) throw new Error('nothing was asked')
  machine.server.answer(asked, { approved: true }, false)
  machine.questions.answered()
  expect((await waiting).body.question).toMatchObject({ state: 'answered', given: { approved: true } })
})

test('an activity report contains no value of the user’s variables', async () => {
  machine.server.say('one')
  const promptId = await machine.take()
  const activities = [
    { id: '1', tool: 'shell', state: 'started', target: 'curl -u me:correct horse "battery" example.org' },
  ]
  await machine.call('/agent/observe', { kind: 'activity', promptId, activities })
  const [report] = machine.server.observed('activity')
  expect(report?.activities).toEqual([{ ...activities[0], target: 'curl -u me:[redacted] example.org' }])
})
