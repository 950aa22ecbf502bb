import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { until as untilTrue } from '../until.ts'
import { call, hostedUser, origin, status, until, untilState } from './client.ts'
import { machineOf } from './machine.ts'

let user: Awaited<ReturnType<typeof hostedUser>>
let bearer: string
let socketAddress: string
let supervisor: number
beforeAll(async () => {
  user = await hostedUser()
  await untilState(user, 'running')
  const machine = machineOf((await status(user)).instance.id)
  // The test acts as the machine from here on: the machine's own supervisor is stopped, and takes nothing.
  process.kill(machine.pid, 'SIGSTOP')
  supervisor = machine.pid
  bearer = machine.env.BERTH_AGENT_TOKEN ?? ''
  socketAddress = machine.env.BERTH_SOCKET ?? ''
  // A poll that the supervisor left waiting would take the prompt; no other poll may wait meanwhile, and polls must not
  // be frequent.
  await untilTrue(async () => {
    const { status: answered, body } = await asMachine('GET', '/agent/prompt?wait=1')
    if (answered === 200) return true
    if (answered !== 429) throw new Error(`the machine’s poll was answered ${answered} ${JSON.stringify(body)}`)
    await sleep(body.retryAfterSeconds * 1_000)
  })
})
afterAll(() => process.kill(supervisor, 'SIGKILL'))

const asMachine = (method: string, path: string, body?: object) => call(method, path, body, { bearer })
const observe = (body: object) => asMachine('POST', '/agent/observe', body)

/** A connection, and the messages that it received. */
async function connect(address: string, headers: Record<string, string>) {
  const socket = new WebSocket(address, { headers })
  const got: { type: string; [field: string]: unknown }[] = []
  socket.on('message', (data) => got.push(JSON.parse(String(data))))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return { got, send: (message: object) => socket.send(JSON.stringify(message)), close: () => socket.close() }
}

test('users see an agent’s activity, answer its question, and stop it', async () => {
  const page = await connect(`${origin.replace('http', 'ws')}/socket`, { cookie: user.cookie, origin })
  const own = await connect(socketAddress, { authorization: `Bearer ${bearer}` })
  const { message } = (await call('POST', '/chat/messages', { text: 'Mail the tides to Ada.' }, user)).body
  await untilTrue(() => own.got.some(({ type }) => type === 'work'))
  const { prompt } = (await asMachine('GET', '/agent/prompt')).body
  expect(prompt.messageId).toBe(message.id)

  const activities = [{ id: '1', tool: 'read_file', state: 'started', target: 'workspace/tides.csv' }]
  await observe({ kind: 'activity', promptId: prompt.id, activities })
  const events = () => page.got.flatMap(({ events }) => (events ?? []) as { type: string; data: object }[]) // safe because an `events` message carries these
  await untilTrue(() => events().some(({ type }) => type === 'message.activity'))
  expect(events().find(({ type }) => type === 'message.activity')?.data).toEqual({ promptId: prompt.id, activities })

  // A page that missed a piece of the growing text requests it from the machine, which sends it to that page alone.
  const piece = { promptId: prompt.id, draft: 1, from: 0 }
  page.send({ action: 'missing', ...piece })
  await untilTrue(() => own.got.some(({ type }) => type === 'missing'))
  const missing = own.got.find(({ type }) => type === 'missing')
  expect(missing).toMatchObject({ promptId: prompt.id, from: 0 })
  own.send({ action: 'text', to: missing?.to, ...piece, text: 'The tides are ' })
  await untilTrue(() => page.got.some(({ type }) => type === 'text'))
  expect(page.got.find(({ type }) => type === 'text')).toMatchObject({ ...piece, text: 'The tides are ' })

  const approval = { key: 'mail', text: 'May I send this?', answer: 'approve', arguments: { to: 'ada@example.org' } }
  await observe({ kind: 'question', promptId: prompt.id, ...approval })
  await untilTrue(() => events().some(({ type }) => type === 'question.asked'))
  const [asked] = (await call('GET', '/chat/questions', undefined, user)).body.questions
  expect(asked).toMatchObject({ text: 'May I send this?', state: 'open', arguments: { to: 'ada@example.org' } })
  await call('POST', `/chat/questions/${asked.id}/answer`, { answer: { approved: true } }, user)
  await untilTrue(() => own.got.some(({ type, questionId }) => type === 'answered' && questionId === asked.id))
  expect((await asMachine('GET', `/agent/question?id=${asked.id}`)).body.question.given).toEqual({ approved: true })

  const stopped = await call('POST', `/chat/messages/${message.id}/stop`, undefined, user)
  expect(stopped.body).toEqual({ promptId: prompt.id, state: 'stopping' })
  await untilTrue(() => own.got.some(({ type, promptId }) => type === 'stop' && promptId === prompt.id))
  expect((await observe({ kind: 'progress', promptId: prompt.id })).body).toEqual({ accepted: true, stopped: true })
  await asMachine('POST', '/agent/feedback', { promptId: prompt.id, outcome: 'stopped' })
  await untilTrue(() => events().some(({ type }) => type === 'prompt.closed'))

  await observe({ kind: 'message', key: 'later', text: 'The tide turns at noon.' })
  const { messages } = (await call('GET', '/chat/messages', undefined, user)).body
  expect(messages.map(({ text }: { text: string }) => text)).toEqual([
    'Mail the tides to Ada.',
    'The tide turns at noon.',
  ])
  page.close()
  own.close()
})

test('a deleted conversation takes its open question and the notification with it', async () => {
  const { id } = (await call('POST', '/chat/conversations', { title: 'Tides' }, user)).body.conversation
  await call('POST', '/chat/messages', { conversation: id, text: 'Mail them to Ada.' }, user)
  const { prompt } = (await asMachine('GET', '/agent/prompt')).body
  await observe({ kind: 'question', promptId: prompt.id, key: 'ada', text: 'May I mail Ada?', answer: 'approve' })
  const about = async (path: string, list: string) =>
    JSON.stringify((await call('GET', path, undefined, user)).body[list]).includes('May I mail Ada?')
  const kept = async () => [await about('/chat/questions', 'questions'), await about('/notifications', 'notifications')]
  await until('question and notification', kept, (seen) => seen.every(Boolean))
  await call('DELETE', `/chat/conversations/${id}`, undefined, user)
  await until('neither', kept, (seen) => !seen.some(Boolean))
})
