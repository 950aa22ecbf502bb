import * as fc from 'fast-check'
import { maxActivities } from '../../../domain/agent/activity.ts'
import { canonicalJson, maxQuestionsPerHour, maxUnaskedPerHour, type Question } from '../../../domain/chat/question.ts'
import { hourMs, minuteMs } from '../../../domain/time.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { readTurn } from '../../../lambdas/llm/machine-call.ts'
import { seeded } from '../../counts.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from './agent-world.ts'

let world: AgentWorld
let tenant: AgentTenant
beforeAll(async () => {
  world = await openAgentWorld([chatArea])
})
afterAll(() => world.close())
beforeEach(async () => {
  tenant = await world.tenant()
})

const observe = (body: object, of = tenant) => of.call('/agent/observe', { body })
const take = async (of = tenant) => (await of.call('/agent/prompt')).body.prompt
const person = (method: 'GET' | 'POST', path: string, body?: object, of = tenant) =>
  world.person(method, path, of.userId, body)
const told = async (type: string, of = tenant) =>
  (await of.events()).filter((event) => event.type === type).map(({ data }) => data)

describe('observeAgent: activity', () => {
  const started = { id: 'call_1', tool: 'read_file', state: 'started', target: 'workspace/a.txt' }

  it('is sent to the user’s readers and extends the prompt’s lease', async () => {
    const { promptId } = await tenant.say('hi')
    await take()
    world.clock.nowMs += minuteMs
    expect((await observe({ kind: 'activity', promptId, activities: [started] })).status).toBe(200)
    expect(await told('message.activity')).toEqual([{ promptId, activities: [started] }])
    // The activity extended the lease: two minutes later, no other machine gets the prompt.
    world.clock.nowMs += minuteMs + 30_000
    expect(await take()).toBeNull()
  })

  it.each([
    ['curl -H "Authorization: Bearer abcdefgh12345678" example.org', 'abcdefgh12345678'],
    ['git clone https://x:ghp_abcdefghijklmnopqrstuvwxyz012345@github.com/a/b', 'ghp_abcdefghijklmnop'],
    ['mail ada@example.org', 'ada@example.org'],
    ['export OPENAI_API_KEY=sk-proj-0123456789', 'sk-proj-0123456789'],
  ])('shows no secret of %s', async (target, secret) => {
    const { promptId } = await tenant.say('hi')
    await take()
    await observe({ kind: 'activity', promptId, activities: [{ ...started, target }] })
    const [shown] = await told('message.activity')
    expect(JSON.stringify(shown)).toContain('[redacted]')
    expect(JSON.stringify(shown)).not.toContain(secret)
  })

  it('shows a limited number per prompt and rejects none', async () => {
    const { promptId } = await tenant.say('hi')
    await take()
    const activities = Array.from({ length: 20 }, (_, i) => ({ ...started, id: `${i}` }))
    for (let sent = 0; sent < maxActivities + 20; sent += 20) {
      world.clock.nowMs += 1_000
      expect((await observe({ kind: 'activity', promptId, activities })).status).toBe(200)
    }
    expect(await told('message.activity')).toHaveLength(maxActivities / 20)
  })

  it('requires an open prompt of the same user', async () => {
    const other = await world.tenant()
    const { promptId } = await other.say('hi')
    await take(other)
    expect((await observe({ kind: 'activity', promptId, activities: [started] })).status).toBe(404)
    await other.call('/agent/feedback', { body: { promptId, outcome: 'completed' } })
    expect((await observe({ kind: 'activity', promptId, activities: [started] }, other)).status).toBe(404)
    expect([...(await told('message.activity')), ...(await told('message.activity', other))]).toEqual([])
  })

  it.each([
    [[]],
    [Array.from({ length: 21 }, () => started)],
    [[{ ...started, target: 'x'.repeat(201) }]],
    [[{ ...started, state: 'running' }]],
    [[{ ...started, output: 'all of it' }]],
  ])('rejects too many and unknown activities', async (activities) => {
    const { promptId } = await tenant.say('hi')
    await take()
    expect(await observe({ kind: 'activity', promptId, activities })).toMatchObject({ status: 400 })
  })
})

describe('listActivities', () => {
  it('shows the activities of one message with their results, and only to its user', async () => {
    const { promptId, messageId } = await tenant.say('hi')
    const { promptId: other } = await tenant.say('and this')
    const step = (id: string, more: object) => ({ id, tool: 'read_file', state: 'started', ...more })
    const report = (of: string, ...activities: object[]) => observe({ kind: 'activity', promptId: of, activities })
    await take()
    await report(promptId, step('1', { target: 'a.txt' }), step('2', {}))
    await report(promptId, step('1', { state: 'finished', durationMs: 5 }))
    const list = (of = tenant) => person('GET', `/chat/messages/${messageId}/activities`, undefined, of)
    expect((await list()).body.ended).toBeNull()
    await tenant.call('/agent/feedback', { body: { promptId, outcome: 'failed', note: 'No such tide.' } })
    await take()
    await report(other, step('1', { target: 'b.txt' }))
    expect((await list()).body).toEqual({
      activities: [
        { id: '1', tool: 'read_file', state: 'finished', target: 'a.txt', durationMs: 5 },
        { id: '2', tool: 'read_file', state: 'started' },
      ],
      isWhole: true,
      ended: { outcome: 'failed', note: 'No such tide.' },
    })
    expect((await list(await world.tenant())).body).toMatchObject({ activities: [], ended: null })
  })

  it('shows the end of an activity whose events have expired', async () => {
    const { promptId, messageId } = await tenant.say('hi')
    await take()
    await tenant.call('/agent/feedback', { body: { promptId, outcome: 'stopped' } })
    world.clock.nowMs += 3 * 24 * 3_600_000
    const after = world.ports.events.after
    world.ports.events.after = async () => []
    const { body } = await person('GET', `/chat/messages/${messageId}/activities`)
    world.ports.events.after = after
    expect(body.ended).toEqual({ outcome: 'stopped', note: null })
  })
})

describe('stopReply', () => {
  const stop = (messageId: string, of = tenant) => person('POST', `/chat/messages/${messageId}/stop`, undefined, of)

  it('closes a prompt at once that no machine has leased', async () => {
    const { promptId, messageId } = await tenant.say('hi')
    expect(await stop(messageId)).toMatchObject({ status: 200, body: { promptId, state: 'closed' } })
    expect(await told('prompt.closed')).toEqual([{ promptId, outcome: 'stopped' }])
    expect(await take()).toBeNull()
    expect((await stop(messageId)).status).toBe(404)
  })

  it('tells the machine with the prompt in the response to every report, until the prompt is closed', async () => {
    const { promptId, messageId } = await tenant.say('hi')
    await take()
    expect((await observe({ kind: 'progress', promptId, text: 'Well' })).body).toEqual({ accepted: true })
    for (let tries = 0; tries < 2; tries++)
      expect(await stop(messageId)).toMatchObject({ status: 200, body: { promptId, state: 'stopping' } })
    const activities = [{ id: '1', tool: 'x', state: 'started' }]
    for (const report of [
      { kind: 'progress', promptId, text: 'Well' },
      { kind: 'heartbeat', busy: true, promptId },
      { kind: 'activity', promptId, activities },
    ])
      expect((await observe(report)).body).toMatchObject({ accepted: true, stopped: true })
    // The machine may send the text written until then.
    expect((await observe({ kind: 'reply', promptId, text: 'Well' })).status).toBe(200)
    await tenant.call('/agent/feedback', { body: { promptId, outcome: 'stopped' } })
    expect(await told('prompt.closed')).toEqual([{ promptId, outcome: 'stopped' }])
  })

  it('tells the next machine when the one with the prompt is gone', async () => {
    const { promptId, messageId } = await tenant.say('hi')
    await take()
    await stop(messageId)
    await tenant.nextGeneration()
    expect(await take()).toMatchObject({ id: promptId, attempt: 2, stoppedAt: expect.any(String) })
  })

  it('closes a prompt whose lease has ended', async () => {
    const { messageId } = await tenant.say('hi')
    await take()
    world.clock.nowMs += 3 * minuteMs
    expect((await stop(messageId)).body).toMatchObject({ state: 'closed' })
  })

  it('invalidates the proof of the turn: later calls are not booked as chat', async () => {
    const { messageId } = await tenant.say('hi')
    const { turn } = (await tenant.call('/agent/prompt')).body
    const { userId, instance } = tenant
    const actor = { kind: 'machine', userId, instanceId: instance.id, generation: instance.generation } as const
    const trigger = async () =>
      (await readTurn(world.ports, { ...actor, audience: 'llm' }, { 'x-berth-turn': turn ?? '' }, world.clock.nowMs))
        .trigger
    expect(await trigger()).toBe('chat')
    await stop(messageId)
    expect(await trigger()).toBe('heartbeat')
  })

  it('accepts only the user’s own messages with an open prompt', async () => {
    const other = await world.tenant()
    const { messageId } = await other.say('hi')
    expect((await stop(messageId)).status).toBe(404)
    expect((await stop('msg_nonsense')).status).toBe(400)
    expect((await stop(messageId, other)).status).toBe(200)
  })
})

describe('observeAgent: message', () => {
  it('is written once per key, however often it is sent', async () => {
    const said = { kind: 'message', key: 'backup-1', text: 'The backup is done.' }
    const [first, again] = [await observe(said), await observe({ ...said, text: 'Another text.' })]
    expect(again.body.message).toEqual(first.body.message)
    expect(first.body.message).toMatchObject({ role: 'agent', text: 'The backup is done.' })
    const { body } = await person('GET', '/chat/messages')
    expect(body.messages).toEqual([first.body.message])
    expect(await told('message.sent')).toHaveLength(2)
  })

  it('is limited per hour, also for concurrent messages', async () => {
    const say = (key: string) => observe({ kind: 'message', key, text: 'x' })
    const many = await Promise.all(Array.from({ length: maxUnaskedPerHour + 5 }, (_, i) => say(`${i}`)))
    const statuses = many.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(maxUnaskedPerHour)
    const refused = many.find(({ status }) => status === 429)
    expect(refused?.body).toMatchObject({ error: 'rate-limited', retryAfterSeconds: expect.any(Number) })
    // Another user's agent has its own limit, and the limit resets in the next hour.
    expect((await observe({ kind: 'message', key: '0', text: 'x' }, await world.tenant())).status).toBe(200)
    world.clock.nowMs += hourMs
    expect((await say('later')).status).toBe(200)
  })
})

describe('listQuestions', () => {
  it('shows open, answered and expired questions, oldest first, and only to their user', async () => {
    for (const key of ['a', 'b', 'c'])
      await observe({ kind: 'question', key, text: key, answer: 'approve', expiresInSeconds: key === 'a' ? 30 : 3_600 })
    const [, second] = (await person('GET', '/chat/questions')).body.questions
    await person('POST', `/chat/questions/${second.id}/answer`, { answer: { approved: true } })
    world.clock.nowMs += minuteMs
    const { questions } = (await person('GET', '/chat/questions')).body
    expect(questions.map(({ text, state }: Question) => [text, state])).toEqual([
      ['a', 'expired'],
      ['b', 'answered'],
      ['c', 'open'],
    ])
    expect((await person('GET', '/chat/questions', undefined, await world.tenant())).body.questions).toEqual([])
  })
})

describe('answerQuestion', () => {
  const ask = async (more: object = {}) =>
    (await observe({ kind: 'question', key: `${Math.random()}`, text: 'May I?', answer: 'approve', ...more })).body
      .question as Question
  const answer = (id: string, given: object, of = tenant) =>
    person('POST', `/chat/questions/${id}/answer`, { answer: given }, of)
  const seen = async (id: string) => (await tenant.call(`/agent/question?id=${id}`)).body.question as Question

  it('returns the answer to the agent, with the hash of its subject', async () => {
    const sent = { subject: 'Tides', to: 'ada@example.org', deep: [{ b: 1e300, a: null }] }
    const { id, argumentsSha256 } = await ask({ tool: 'send_mail', arguments: sent })
    expect(await seen(id)).toMatchObject({ state: 'open', given: null, arguments: sent })
    await answer(id, { approved: true })
    expect(await seen(id)).toMatchObject({ state: 'answered', given: { approved: true }, argumentsSha256 })
    for (const state of ['asked', 'answered'])
      expect((await told(`question.${state}`)).map(({ questionId }) => questionId)).toEqual([id])
  })

  it('accepts one answer: a repetition gets the same response, another answer is rejected', async () => {
    const { id } = await ask()
    const [first] = [await answer(id, { approved: false }), await answer(id, { approved: false })].map((r) => r.body)
    expect(first?.question.given).toEqual({ approved: false })
    expect(await answer(id, { approved: true })).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect((await seen(id)).given).toEqual({ approved: false })
  })

  it('accepts one of many concurrent answers', async () => {
    const { id } = await ask({ answer: 'choose', choices: ['a', 'b', 'c', 'd'] })
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((choice) => answer(id, { choice })))
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const [taken] = all.filter(({ status }) => status === 200)
    expect((await seen(id)).given).toEqual(taken?.body.question.given)
  })

  it('fails once the question has expired', async () => {
    const { id } = await ask({ expiresInSeconds: 30 })
    world.clock.nowMs += 30_000
    expect(await answer(id, { approved: true })).toMatchObject({ status: 409 })
    expect(await seen(id)).toMatchObject({ state: 'expired', given: null })
  })

  it.each([
    [{}, { text: 'yes' }],
    [{ answer: 'choose', choices: ['a', 'b'] }, { choice: 'c' }],
    [{ answer: 'text' }, { approved: true }],
    [{}, { approved: true, text: 'but' }],
    [{}, {}],
  ])('requires the kind of answer that was asked for', async (asked, given) => {
    const { id } = await ask(asked)
    expect((await answer(id, given)).status).toBe(400)
    expect((await seen(id)).state).toBe('open')
  })

  it('is only for the user, to write and to read', async () => {
    const other = await world.tenant()
    const { id } = await ask()
    expect((await answer(id, { approved: true }, other)).status).toBe(404)
    expect((await other.call(`/agent/question?id=${id}`)).status).toBe(404)
    expect((await seen(id)).state).toBe('open')
  })

  it('concerns one question per key, of a limited number per hour, with arguments of limited size', async () => {
    const asked = { kind: 'question', key: 'same', text: 'May I?', answer: 'approve' }
    const ids = [await observe(asked), await observe(asked)].map(({ body }) => (body.question as Question).id)
    expect(ids[0]).toBe(ids[1])
    for (let i = 1; i < maxQuestionsPerHour; i++) {
      world.clock.nowMs += 1_000
      await ask()
    }
    expect((await observe({ ...asked, key: 'one-more' })).status).toBe(429)
    expect((await observe({ ...asked, arguments: { text: 'x'.repeat(4_097) } })).status).toBe(400)
  })
})

describe('getAgentQuestion', () => {
  it('does not delay others: prompts and tasks are found as before', async () => {
    await observe({ kind: 'question', key: 'first', text: 'May I?', answer: 'approve' })
    const { promptId } = await tenant.say('hi')
    expect((await tenant.call('/agent/prompt?tasks=too')).body.prompt).toMatchObject({ id: promptId })
    expect((await observe({ kind: 'crashed' })).status).toBe(200)
    expect((await tenant.call('/agent/prompt?tasks=too')).body.prompt).toMatchObject({ id: promptId, attempt: 2 })
    expect((await observe({ kind: 'heartbeat', busy: false, samples: [] })).body).toMatchObject({ accepted: true })
  })

  it('returns not-found for an unknown question', async () => {
    expect((await tenant.call(`/agent/question?id=qst_${'0'.repeat(26)}`)).status).toBe(404)
    expect((await tenant.call('/agent/question?id=qst_no')).status).toBe(400)
  })
})

test('equal arguments have one hash, in any order of their fields', () => {
  const shuffled = (value: unknown): unknown =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, field]) => [name, shuffled(field)]),
        )
      : value
  fc.assert(
    fc.property(fc.object(), (value) => {
      const json = JSON.parse(JSON.stringify(value))
      expect(canonicalJson(shuffled(json))).toBe(canonicalJson(json))
      expect(JSON.parse(canonicalJson(json))).toEqual(json)
    }),
    seeded(10_000),
  )
})
