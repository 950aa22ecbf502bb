import { agentContext } from '../../../domain/agent/turn.ts'
import { leaseMs } from '../../../domain/chat/message.ts'
import { cannotStartReason, cannotStartTexts } from '../../../domain/instance/cannot-start.ts'
import { showInstance } from '../../../domain/instance/explain.ts'
import { iso } from '../../../domain/time.ts'
import { origin } from '../../cloud.ts'
import { connectSocket } from '../../sockets.ts'
import { until } from '../../until.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from './agent-world.ts'

let world: AgentWorld
let agent: AgentTenant
beforeAll(async () => {
  world = await openAgentWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  agent = await world.tenant()
  world.sleeps.count = 0
  world.sleeps.onSleep = async () => {}
})

const lease = async (tenant = agent, wait = 0) => (await tenant.call(`/agent/prompt?wait=${wait}`)).body.prompt
const context = (promptId: string, tenant = agent) => tenant.call(`/agent/context?prompt=${promptId}`)
const observe = (body: object, tenant = agent) => tenant.call('/agent/observe', { body })
const feedback = (promptId: string, outcome = 'completed', tenant = agent) =>
  tenant.call('/agent/feedback', { body: { promptId, outcome } })
const missing = `prm_${'0'.repeat(26)}`

const targets = [
  ['/agent/files', 'files', undefined],
  ['/agent/prompt', 'agent', undefined],
  [`/agent/context?prompt=${missing}`, 'agent', undefined],
  ['/agent/observe', 'agent', { kind: 'ready' }],
  ['/agent/feedback', 'agent', { promptId: missing, outcome: 'completed' }],
] as const

describe('every machine call', () => {
  test.each(targets)('to %s accepts only its own audience and the live generation', async (target, audience, body) => {
    const more = body && { body }
    const [wrong, another] = audience === 'files' ? (['agent', 'llm'] as const) : (['files', 'llm'] as const)
    for (const other of [wrong, another])
      expect((await agent.call(target, { ...more, audience: other })).status).toBe(401)
    expect((await world.request(target, body, {})).status).toBe(401)
    await agent.nextGeneration()
    const old = await agent.call(target, { ...more, audience, generation: agent.instance.generation - 1 })
    expect(old).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect((await agent.call(target, { ...more, audience })).status).not.toBe(401)
  })
})

describe('getAgentFiles', () => {
  const files = (headers: Record<string, string> = {}) => agent.call('/agent/files', { audience: 'files', headers })

  it('returns the persona, the skills and the configuration', async () => {
    const { status, body } = await files()
    expect(status).toBe(200)
    expect(body).toMatchObject({ unchanged: false, config: { instanceId: agent.instance.id, persona: 'default' } })
    const paths = body.files.map(({ path }) => path)
    expect(paths).toContain('persona/SOUL.md')
    for (const { id, requires } of await world.ports.catalogue.skills())
      expect([id, paths.includes(`skills/${id}/SKILL.md`)]).toEqual([id, requires.env.length === 0])
    const soul = (await world.ports.catalogue.personas()).find(({ id }) => id === 'default')?.files[0]
    expect(body.files[0]).toMatchObject({ text: soul?.text, size: Buffer.byteLength(soul?.text ?? '') })
  })

  it('returns only “not modified” for a known version, until something changes', async () => {
    const { etag } = (await files()).body
    for (const known of [etag, `"${etag}"`, `W/"${etag}"`, `"x", "${etag}"`])
      expect((await files({ 'If-None-Match': known })).body).toEqual({ etag, unchanged: true })
    const [other] = (await world.ports.catalogue.personas()).filter(({ id }) => id !== 'default')
    await world.ports.instances.setPersona(agent.userId, other?.id ?? '')
    const { body } = await files({ 'If-None-Match': `"${etag}"` })
    expect(body).toMatchObject({ unchanged: false, config: { persona: other?.id } })
    expect(body.files[0]?.text).toBe(other?.files[0]?.text)
  })

  it('includes the user’s variables, and a changed variable changes the version', async () => {
    const before = (await files()).body
    expect(before.variables).toEqual({})
    const named = { name: 'GITHUB_TOKEN', size: 5, updatedAt: iso(world.clock.nowMs) }
    await world.ports.variables.save(agent.userId, [named], { GITHUB_TOKEN: 'ghp_1' }, 0)
    const { body } = await files({ 'If-None-Match': `"${before.etag}"` })
    expect(body).toMatchObject({ unchanged: false, variables: { GITHUB_TOKEN: 'ghp_1' } })
  })
})

describe('getAgentPrompt', () => {
  it('leases the oldest prompt to one machine, in order', async () => {
    const first = await agent.say('one')
    const second = await agent.say('two')
    expect(await lease()).toMatchObject({ id: first.promptId, text: 'one', attempt: 1, messageId: first.messageId })
    expect(await lease()).toBeNull()
    await feedback(first.promptId)
    expect(await lease()).toMatchObject({ id: second.promptId })
    expect(await lease(await world.tenant())).toBeNull()
  })

  it('leases a prompt again after its lease ends, and at once to a newer machine', async () => {
    const { promptId } = await agent.say('again')
    await lease()
    world.clock.nowMs += leaseMs + 1
    expect(await lease()).toMatchObject({ id: promptId, attempt: 2 })
    await agent.nextGeneration()
    expect(await lease()).toMatchObject({ id: promptId, attempt: 3 })
  })

  it('leases nothing while an operator blocks the user, and keeps the prompt', async () => {
    const { denials } = world.ports
    const because = { reason: 'spam', at: iso(0), by: null }
    const { promptId } = await agent.say('later')
    const stop = async (stops: Parameters<typeof denials.save>[0]['stops']) => {
      await denials.save({ fields: {}, stops }, await denials.find())
      await denials.current(0)
    }
    for (const name of ['all', `user#${agent.userId}`]) {
      await stop({ [name]: because })
      expect(await lease()).toBeNull()
    }
    await stop({ 'user#usr_other': because })
    expect(await lease()).toMatchObject({ id: promptId, attempt: 1 })
  })

  it('waits no longer than requested, and returns a prompt that arrives meanwhile', async () => {
    const startedMs = world.clock.nowMs
    expect(await lease(agent, 3)).toBeNull()
    expect(world.clock.nowMs - startedMs).toBeLessThanOrEqual(3_100)
    expect(world.sleeps.count).toBe(6)
    world.sleeps.onSleep = async () => {
      if (world.sleeps.count === 8) await agent.say('here')
    }
    expect(await lease(agent, 20)).toMatchObject({ text: 'here' })
    expect(world.sleeps.count).toBe(8)
  })

  test.each(['21', '-1', '1.5', 'x'])('rejects a wait of %s', async (wait) => {
    const { status, body } = await agent.call(`/agent/prompt?wait=${wait}`)
    expect({ status, error: body.error, fields: Object.keys(body.details) }).toEqual({
      status: 400,
      error: 'validation',
      fields: ['wait'],
    })
  })
})

describe('getAgentContext', () => {
  it('returns the history, the persona, the skills and the limits', async () => {
    const first = await agent.say('I sail.')
    await lease()
    await observe({ kind: 'reply', promptId: first.promptId, text: 'So I hear.' })
    await feedback(first.promptId)
    const second = await agent.say('Where to?')
    const later = await agent.say('Quickly!')
    await lease()
    const { status, body } = await context(second.promptId)
    expect(status).toBe(200)
    expect(body.history.map(({ text }) => text)).toEqual(['I sail.', 'So I hear.'])
    expect(body).toMatchObject({ reply: null, model: 'default', persona: { id: 'default' } })
    expect(body.skills[0]).toEqual(expect.objectContaining({ id: expect.any(String), description: expect.any(String) }))
    expect(body.limits).toMatchObject({ replyCharacters: 64_000, leaseSeconds: 120, waitSeconds: 20 })
    expect(JSON.stringify(body)).not.toContain(later.messageId)
  })

  it('returns the shape that the reference agent reads', async () => {
    const { promptId, messageId } = await agent.say('Ahoy')
    await lease()
    const read = agentContext.parse((await context(promptId)).body)
    expect(read).toMatchObject({ prompt: { id: promptId, messageId, text: 'Ahoy' }, reply: null })
    expect(read.persona.files.length).toBeGreaterThan(0)
    expect(read.prompt.at).toMatch(/^\d{4}-/)
    expect(read.turn).not.toBe('')
    await observe({ kind: 'reply', promptId, text: 'Ahoy yourself' })
    const { history, reply } = agentContext.parse((await context(promptId)).body)
    expect({ history, text: reply?.text }).toEqual({ history: [], text: 'Ahoy yourself' })
  })

  it('returns not-found for a missing or closed prompt, or another user’s', async () => {
    const { promptId } = await agent.say('mine')
    await lease()
    const two = await world.tenant()
    for (const { status, body } of [await context(missing), await context(promptId, two)])
      expect({ status, error: body.error }).toEqual({ status: 404, error: 'not-found' })
    await feedback(promptId)
    expect((await context(promptId)).status).toBe(404)
    expect(await agent.call('/agent/context')).toMatchObject({ status: 400, body: { error: 'missing-id' } })
    expect(await context('prm_1')).toMatchObject({ status: 400, body: { error: 'validation' } })
  })
})

describe('observeAgent', () => {
  it('writes a reply once, and updates the user’s streams and the idle clock', async () => {
    const { promptId, messageId } = await agent.say('Say it once.')
    await lease()
    world.clock.nowMs += 1_000
    const first = await observe({ kind: 'reply', promptId, text: '  Once.  ' })
    expect(first).toMatchObject({
      status: 200,
      body: { accepted: true, message: { text: 'Once.', inReplyTo: messageId } },
    })
    const again = await observe({ kind: 'reply', promptId, text: 'Twice.' })
    expect(again.body.message).toEqual(first.body.message)
    const { items } = await world.ports.conversations.messages(agent.userId, {
      conversation: 'main',
      after: null,
      limit: 10,
    })
    expect(items.map(({ text }) => text)).toEqual(['Say it once.', 'Once.'])
    const sent = (await agent.events()).filter(({ type }) => type === 'message.sent')
    expect(sent[0]?.data).toEqual({ promptId, message: first.body.message })
    const { lastActivityAt } = (await world.ports.instances.find(agent.userId)) ?? {}
    expect(Date.parse(lastActivityAt ?? '')).toBeGreaterThan(Date.parse(agent.instance.lastActivityAt ?? ''))
  })

  it('counts a reply to a person as attention, but not a reply to a schedule, nor a busy heartbeat', async () => {
    const attended = async () => (await world.ports.instances.find(agent.userId))?.attendedAt
    const before = await attended()
    for (const trigger of ['schedule', 'chat'] as const) {
      world.clock.nowMs += 5_000
      const { promptId } = await agent.say('Who asks?', trigger)
      await lease()
      await observe({ kind: 'heartbeat', busy: true, promptId })
      expect((await observe({ kind: 'reply', promptId, text: 'I answer.' })).status).toBe(200)
      if (trigger === 'schedule') expect(await attended()).toBe(before)
      await feedback(promptId)
    }
    expect(Date.parse((await attended()) ?? '')).toBeGreaterThan(Date.parse(before ?? ''))
  })

  it('writes one reply of ten concurrent ones', async () => {
    const { promptId } = await agent.say('All together.')
    await lease()
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) => observe({ kind: 'reply', promptId, text: `number ${n}` })),
    )
    expect(new Set(all.map(({ body }) => body.message?.id)).size).toBe(1)
    const { items } = await world.ports.conversations.messages(agent.userId, {
      conversation: 'main',
      after: null,
      limit: 20,
    })
    expect(items).toHaveLength(2)
  })

  it('extends the lease with progress and shows the text so far', async () => {
    const reader = await connectSocket(world.socketApi?.url ?? '', {
      ...(await world.session(agent.userId)).headers,
      origin,
    })
    const { promptId } = await agent.say('Slowly.')
    const { leaseExpiresAt } = await lease()
    world.clock.nowMs += 100_000
    expect((await observe({ kind: 'progress', promptId, text: 'So' })).body).toEqual({ accepted: true })
    const firsts = () => world.measured.filter(({ name }) => name === 'FirstWordMs')
    expect(firsts()).toHaveLength(1)
    await observe({ kind: 'progress', promptId, from: 2, text: ' far' })
    expect(firsts()).toHaveLength(1)
    await observe({ kind: 'progress', promptId })
    await observe({ kind: 'heartbeat', busy: true, promptId })
    const renewed = (await context(promptId)).body.prompt.leaseExpiresAt
    expect(Date.parse(renewed) - Date.parse(leaseExpiresAt)).toBeGreaterThanOrEqual(100_000)
    await until(() => reader.got.length > 0)
    expect(reader.got[0]).toEqual({ type: 'text', promptId, draft: 1000, from: 0, text: 'So' })
  })

  it('moves the idle clock for a busy heartbeat, not for an idle one', async () => {
    const activity = async () => (await world.ports.instances.find(agent.userId))?.lastActivityAt
    const before = await activity()
    world.clock.nowMs += 5_000
    for (const body of [{ kind: 'heartbeat', busy: false }, { kind: 'ready' }, { kind: 'draining' }])
      expect((await observe(body)).body).toEqual({ accepted: true })
    expect(await activity()).toBe(before)
    await observe({ kind: 'heartbeat', busy: true })
    expect(await activity()).not.toBe(before)
  })

  it('rejects another user’s prompt', async () => {
    const { promptId } = await agent.say('mine')
    await lease()
    const two = await world.tenant()
    for (const kind of ['reply', 'progress'])
      expect(await observe({ kind, promptId, text: 'x' }, two)).toMatchObject({
        status: 404,
        body: { error: 'not-found' },
      })
    expect((await context(promptId)).body.reply).toBeNull()
  })

  const bad: [string, object][] = [
    ['kind', { kind: 'shout' }],
    ['text', { kind: 'reply', promptId: missing }],
    ['text', { kind: 'reply', promptId: missing, text: '   ' }],
    ['text', { kind: 'reply', promptId: missing, text: 'x'.repeat(64_001) }],
    ['text', { kind: 'progress', promptId: missing, text: 'x'.repeat(8_001) }],
    ['promptId', { kind: 'reply', text: 'x' }],
    ['promptId', { kind: 'reply', text: 'x', promptId: 'prm_1' }],
    ['busy', { kind: 'heartbeat' }],
    ['text', { kind: 'ready', text: 'x' }],
    ['more', { kind: 'ready', more: 1 }],
  ]
  test.each(bad)('rejects a bad %s, case %#', async (field, body) => {
    const answer = await observe(body)
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation' } })
    expect(Object.keys(answer.body.details)).toEqual([field])
  })
})

describe('giveAgentFeedback', () => {
  it('closes a prompt once, with one event, and returns the same to a retry', async () => {
    const { promptId } = await agent.say('Done?')
    await lease()
    const body = { promptId, outcome: 'needs_input', note: 'wallet' }
    for (let i = 0; i < 2; i++)
      expect((await agent.call('/agent/feedback', { body })).body).toEqual({ promptId, closed: true })
    expect(await lease()).toBeNull()
    const closed = (await agent.events()).filter(({ type }) => type === 'prompt.closed')
    expect(closed.map(({ data }) => data)).toEqual([body])
  })

  it('leaves another user’s prompt open', async () => {
    const { promptId } = await agent.say('mine')
    await lease()
    expect(await feedback(promptId, 'failed', await world.tenant())).toMatchObject({ status: 404 })
    expect((await feedback(missing)).body.error).toBe('not-found')
    expect((await context(promptId)).status).toBe(200)
  })

  it('rejects an invalid outcome or note', async () => {
    expect(await feedback(missing, 'bored')).toMatchObject({ status: 400, body: { error: 'validation' } })
    const body = { promptId: missing, outcome: 'failed', note: 'x'.repeat(1_001) }
    expect((await agent.call('/agent/feedback', { body })).body.details).toHaveProperty('note')
    expect((await agent.call('/agent/feedback', { body: '{' })).body.error).toBe('invalid-json')
  })
})

describe('signAgentFiles', () => {
  const sign = (body: object, tenant = agent) => tenant.call('/agent/files', { audience: 'files', body })
  const taken = async () => (await agent.call('/agent/prompt?tasks=only')).body.task

  it('returns presigned URLs to the machine that holds the task, limited to its own instance and the task’s job', async () => {
    const [taskId, pointId] = [`tsk_${'1'.repeat(26)}`, `rsp_${'1'.repeat(26)}`]
    await world.ports.tasks.add(agent.userId, taskId, { kind: 'restore', pointId, path: null }, world.clock.nowMs)
    expect((await sign({ taskId, get: ['files'] })).status).toBe(404)
    expect(await taken()).toMatchObject({ id: taskId, job: { kind: 'restore', pointId } })
    const { body } = await sign({ taskId, get: ['files', 'a'.repeat(64)] })
    expect(body.get.files).toContain(`/instances/${agent.instance.id}/points/${pointId}/files.gz?`)
    expect(body.get['a'.repeat(64)]).toContain(`/instances/${agent.instance.id}/chunks/${'a'.repeat(64)}?`)
    expect((await sign({ taskId, put: [{ name: 'files', size: 1 }] })).body.error).toBe('validation')
    expect((await sign({ taskId, get: ['../x'] })).body.error).toBe('validation')
    expect((await sign({ taskId, get: ['files'] }, await world.tenant())).status).toBe(404)
    await agent.nextGeneration()
    expect((await sign({ taskId, get: ['files'] })).status).toBe(404)
  })

  it('a task ends once, and only its own machine can end it', async () => {
    const taskId = `tsk_${'2'.repeat(26)}`
    await world.ports.tasks.add(agent.userId, taskId, { kind: 'drain' }, world.clock.nowMs)
    await taken()
    const result = { kind: 'drain', answer: 'busy', retryAfterSeconds: 60 }
    expect((await observe({ kind: 'task', taskId }, await world.tenant())).status).toBe(404)
    expect((await observe({ kind: 'task', taskId, result: { kind: 'drain', answer: 'maybe' } })).status).toBe(400)
    for (let i = 0; i < 2; i++) expect((await observe({ kind: 'task', taskId, result })).status).toBe(200)
    expect(await world.ports.tasks.find(agent.userId, taskId)).toEqual({ state: 'done', result })
    expect(await taken()).toBeNull()
  })

  it('a dead runtime’s prompt is leased again at once', async () => {
    const { promptId } = await agent.say('Still there?')
    await lease()
    expect(await lease()).toBeNull()
    await observe({ kind: 'crashed' })
    expect(await lease()).toMatchObject({ id: promptId, attempt: 2 })
  })
})

describe('a machine whose agent cannot start', () => {
  const explanation = async (generations = 0) => {
    const record = await world.ports.instances.find(agent.userId)
    if (!record) throw new Error('no instance')
    return showInstance({ ...record, state: 'running', generation: record.generation + generations }).explanation
  }

  it.each(cannotStartReason.options)('explains the reason until it can: %s', async (reason) => {
    expect(await explanation()).toMatch(/^Your agent is awake/)
    expect((await observe({ kind: 'cannot-start', reason })).status).toBe(200)
    expect(await explanation()).toBe(cannotStartTexts[reason])
    expect((await observe({ kind: 'ready' })).status).toBe(200)
    expect(await explanation()).toMatch(/^Your agent is awake/)
  })

  it('sends its owner one event when it cannot start, and one when it can', async () => {
    const seen = (await agent.events()).length
    for (const kind of ['ready', 'cannot-start', 'cannot-start', 'ready', 'ready'])
      await observe({ kind, ...(kind === 'cannot-start' && { reason: 'crash' }) })
    const told = (await agent.events()).slice(seen)
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      ['instance.changed', { cannotStart: 'crash' }],
      ['instance.changed', { cannotStart: null }],
    ])
  })

  it('does not affect the explanation of the next machine', async () => {
    await observe({ kind: 'cannot-start', reason: 'crash' })
    expect(await explanation(1)).toMatch(/^Your agent is awake/)
  })

  it.each([
    [{}],
    [{ reason: 'EISDIR: /mnt/berth/config' }],
    [{ reason: 'crash', text: 'at /mnt/berth/workspace/main.ts' }],
  ])('may give only a listed reason, without free text: %j', async (given) => {
    expect((await observe({ kind: 'cannot-start', ...given })).status).toBe(400)
    expect(await explanation()).toMatch(/^Your agent is awake/)
  })
})

describe('half a character in an agent’s text', () => {
  const half = 'cut \ud83d'
  const kept = 'cut \ufffd'
  beforeEach(async () => {
    await agent.say('go on')
  })

  // https://github.com/anthropics/claude-code/issues/69927
  it('is stored as U+FFFD in a reply, which is otherwise stored as usual', async () => {
    const { id: promptId } = await lease()
    const { status, body } = await observe({ kind: 'reply', promptId, text: half })
    expect([status, body.message.text]).toEqual([200, kept])
    expect((await context(promptId)).body.reply?.text).toBe(kept)
  })

  it('is accepted in every report', async () => {
    const { id: promptId } = await lease()
    const asked = { kind: 'question', key: 'q', text: half, answer: 'choose', choices: [half, 'No'], tool: half }
    const reports = [
      { kind: 'progress', promptId, text: half, from: 0 },
      { kind: 'draft', promptId, text: half },
      { kind: 'activity', promptId, activities: [{ id: half, tool: half, target: half, state: 'started' }] },
      { kind: 'message', key: 'm', text: half, startConversation: { title: half } },
      { ...asked, promptId, arguments: { [half]: [half] } },
    ]
    for (const report of reports) expect([report.kind, (await observe(report)).status]).toEqual([report.kind, 200])
    const { body } = await observe({ ...asked, key: 'q2', promptId, arguments: { [half]: [half] } })
    expect(body.question).toMatchObject({ text: kept, choices: [kept, 'No'], arguments: { [kept]: [kept] } })
    const closing = { promptId, outcome: 'failed', note: half }
    expect((await agent.call('/agent/feedback', { body: closing })).status).toBe(200)
  })
})
