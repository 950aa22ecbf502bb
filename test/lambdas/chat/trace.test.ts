import { jest } from '@jest/globals'
import { traceOf } from '../../../domain/chat/trace.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { sendMessage } from '../../../lambdas/chat/send-message.ts'
import { openWorld, type World } from '../../world.ts'

const trace = '1-5759e988-bd862e3fe1be46a994272793'
const header = `Root=${trace};Parent=53995c3f42cd8ad8;Sampled=1`

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [chatArea] })
})
afterAll(() => world.close())
afterEach(() => {
  jest.restoreAllMocks()
  delete process.env._X_AMZN_TRACE_ID
})

async function send(change = {}, more: Record<string, string> = {}) {
  const tenant = await world.tenant()
  const { headers } = await world.session(tenant.userId)
  const ask = world.client(chatArea.operations, change)
  const answer = await ask({ operation: sendMessage, body: { text: 'Hello' }, headers: { ...headers, ...more } })
  return { tenant, answer }
}
const handedOut = async (userId: string) =>
  (await world.ports.conversations.next(userId, 1, world.clock.nowMs, { prompts: true, tasks: false })).prompt

describe('the trace of a request', () => {
  test('reaches the machine with its prompt', async () => {
    const { tenant, answer } = await send({}, { 'x-amzn-trace-id': header })
    expect(answer.status).toBe(202)
    expect(JSON.stringify(answer.body)).not.toContain(trace)
    expect(await handedOut(tenant.userId)).toMatchObject({ text: 'Hello', trace })
  })

  test('is omitted when there is none, or none in X-Ray’s format', async () => {
    const { tenant } = await send()
    expect(await handedOut(tenant.userId)).not.toHaveProperty('trace')
    const odd = [
      '',
      'Root=',
      'Root=1-x',
      `Root=${trace}x`,
      `Roots=${trace}`,
      'Root=1-5759e988-bd862e3fe1be46a99427279\n3',
    ]
    for (const text of odd) expect([text, traceOf(text)]).toEqual([text, undefined])
    for (const text of [`Root=${trace}`, `Self=1-67891234-12456789abcdef012345678;Root=${trace}`])
      expect(traceOf(text)).toBe(trace)
  })

  test('is in every log line of the request, next to the id in its error', async () => {
    process.env.POWERTOOLS_LOG_LEVEL = 'INFO'
    process.env._X_AMZN_TRACE_ID = header
    const written: string[] = []
    jest.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0)
    jest.spyOn(process.stderr, 'write').mockImplementation((line) => written.push(String(line)) > 0)
    const receive = () => Promise.reject(new Error('down'))
    const { answer } = await send({ conversations: { ...world.ports.conversations, receive } })
    process.env.POWERTOOLS_LOG_LEVEL = 'SILENT'
    expect(answer.status).toBe(500)
    const lines = written.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line))
    const shown = String(answer.headers['X-Request-Id'] ?? answer.headers['x-request-id'])
    expect(
      lines.filter(({ requestId, xray_trace_id }) => requestId === shown && xray_trace_id === trace),
    ).toMatchObject([
      { message: 'unhandled error', stack: expect.stringContaining('down') },
      { message: 'request', status: 500, operation: 'sendMessage' },
    ])
  })
})
