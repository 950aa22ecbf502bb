import { setTimeout as sleep } from 'node:timers/promises'
import { connectSocket } from '../sockets.ts'
import {
  type Caller,
  call,
  hostedUser,
  mintedWith,
  origin,
  signIn,
  status,
  until,
  untilState,
  usageLines,
} from './client.ts'
import { machineOf } from './machine.ts'

/**
 * An open connection checks every 12 s whether its caller is still admitted; on a busy machine that is late, seconds.
 */
const soonSeconds = 60

type Headers = Record<string, string>

/** A connection that is read until it ends. */
function connect(path: string, headers: Headers, body?: object) {
  const leave = new AbortController()
  const from = Date.now()
  const seen = { status: 0, text: '', ended: null as number | null }
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  const reading = (async () => {
    const answer = await fetch(`${origin}/api${path}`, { headers, signal: leave.signal, ...sent })
    seen.status = answer.status
    for await (const part of answer.body ?? []) seen.text += Buffer.from(part).toString()
    seen.ended = Date.now() - from
  })().catch(() => {})
  return {
    seen,
    reading,
    opened: () => until(`${path} to open`, async () => seen.text, Boolean),
    async leave() {
      leave.abort()
      await reading
    },
  }
}

const allEnd = (connections: ReturnType<typeof connect>[]) =>
  until(
    'every one to end',
    async () => connections.map(({ seen }) => seen.ended),
    (ended) => ended.every((ms) => ms !== null),
    soonSeconds,
  )

const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })

/** A poll for tasks that waits. The machine's own poll occupies the only slot until it gets a task. */
async function waitingPoll(user: Caller, token: string | undefined) {
  for (;;) {
    const poll = connect('/agent/prompt?wait=20&tasks=only', bearer(token))
    // A refusal arrives at once: not after later requests were answered, nor after a pause.
    await Promise.race([
      poll.reading,
      call('GET', '/agent/context', undefined, { bearer: token }).then(() => sleep(500)),
    ])
    if (poll.seen.ended === null) return poll
    // It got a task of the machine's, or waited for as long as it may: the slot is free again.
    if (poll.seen.status === 200) continue
    expect(poll.seen.status).toBe(429)
    await call('GET', '/instance/files', undefined, user)
  }
}

/** A running instance's machine tokens, with a long model call and a poll that use them. */
async function machineConnections() {
  const user = await hostedUser()
  // With a recent restore point, a refresh requests none: the poll below would get that task.
  const { id } = (await call('POST', '/instance/restore-points', {}, user)).body.restorePoint
  await until(
    'a restore point',
    async () => (await call('GET', `/instance/restore-points/${id}`, undefined, user)).body.restorePoint,
    ({ state }) => state === 'ready',
  )
  const { env } = machineOf((await status(user)).instance.id)
  const poll = await waitingPoll(user, env.BERTH_AGENT_TOKEN)
  const messages = [{ role: 'user', content: `/slow 500 ${'and then '.repeat(300)}` }]
  const model = connect('/llm/proxy', bearer(env.BERTH_LLM_TOKEN), { model: 'local/echo', stream: true, messages })
  await model.opened()
  return { user, env, model, poll }
}

test('open connections end soon after they lose access: by logout, revocation, refresh, pause', async () => {
  const [refreshed, paused, owner] = await Promise.all([machineConnections(), machineConnections(), signIn()])
  const device = await signIn(owner.email)
  const tokens = await Promise.all([mintedWith(owner, ['api:chat']), mintedWith(owner, ['mcp:*'])])
  const events = { accept: 'text/event-stream' }
  const mine = {
    session: connect('/events', { cookie: device.cookie, ...events }),
    events: connect('/events', { ...bearer(tokens[0]), ...events }),
    mcp: connect('/mcp', { ...bearer(tokens[1]), ...events }),
    kept: connect('/events', { cookie: owner.cookie, ...events }),
  }
  await Promise.all(Object.values(mine).map((connection) => connection.opened()))

  const { tokens: listed } = (await call('GET', '/tokens', undefined, owner)).body
  await call('POST', '/auth/logout', {}, device)
  for (const { id } of listed) expect((await call('DELETE', `/tokens?id=${id}`, undefined, owner)).status).toBe(200)
  const signedOut = allEnd([mine.session, mine.events, mine.mcp])
  await call('POST', '/instance/refresh', {}, refreshed.user)
  await call('POST', '/instance/pause', {}, paused.user)
  await Promise.all([
    until(
      'the refresh',
      () => status(refreshed.user),
      (seen) => seen.instance.generation > 1 && seen.instance.state === 'running',
    ),
    untilState(paused.user, 'paused'),
  ])
  await Promise.all([signedOut, allEnd([refreshed.model, refreshed.poll, paused.model, paused.poll])])
  expect(mine.kept.seen).toMatchObject({ status: 200, ended: null })
  await mine.kept.leave()

  for (const { user, env, model, poll } of [refreshed, paused]) {
    // On a busy host its last check may precede the end of its machine; the poll then times out without a task.
    const nothing = { prompt: null, task: null }
    expect(JSON.parse(poll.seen.text)).toMatchObject(poll.seen.status === 401 ? { error: 'unauthorized' } : nothing)
    expect(model.seen.text).toContain('provider-error')
    const [line] = await until(
      'the line of the cut call',
      () => usageLines(user),
      (lines) => lines.length > 0,
    )
    expect(line?.receipt).toMatchObject({ settledBecause: 'interrupted' })
    expect((await status(user)).wallet.heldMicros).toBe(0)
    for (const [path, token] of [
      ['/llm/proxy/v1/models', env.BERTH_LLM_TOKEN],
      ['/agent/files', env.BERTH_FILES_TOKEN],
      ['/agent/prompt', env.BERTH_AGENT_TOKEN],
    ] as const)
      expect((await call('GET', path, undefined, { bearer: token })).status).toBe(401)
  }
})

test('a frame that only keeps a socket open gets no answer', async () => {
  const { cookie } = await signIn()
  const client = await connectSocket(`${origin}/socket`, { cookie, origin })
  client.send({ action: 'ping' })
  client.send({ action: 'resume', after: null })
  await until(
    'the answer to what followed',
    async () => client.got,
    (got) => got.some(({ type }) => type === 'resumed'),
  )
  expect(client.got.map(({ type }) => type).filter((type) => type !== 'events')).toEqual(['resumed'])
  expect(client.isOpen()).toBe(true)
  client.close()
})

test('a socket ends with its token: when the token is revoked, and when another replaces it', async () => {
  const owner = await signIn()
  const tokens = await Promise.all([mintedWith(owner, ['api:chat']), mintedWith(owner, ['api:chat'])])
  const sockets = await Promise.all(tokens.map((token) => connectSocket(`${origin}/socket`, bearer(token))))
  expect(sockets.map(({ status }) => status)).toEqual([101, 101])
  const { tokens: listed } = (await call('GET', '/tokens', undefined, owner)).body
  const [first, second] = listed.map(({ id }: { id: string }) => id)
  expect((await call('DELETE', `/tokens?id=${first}`, undefined, owner)).status).toBe(200)
  expect((await call('POST', `/tokens/${second}/reroll`, { graceHours: 1 }, owner)).status).toBe(201)
  await until(
    'the end of both',
    async () => sockets.map((socket) => socket.isOpen()),
    (open) => !open.includes(true),
  )
})
