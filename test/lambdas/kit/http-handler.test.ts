import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { area } from '../../../lambdas/kit/area.ts'
import { httpHandler } from '../../../lambdas/kit/http-handler.ts'
import { type BodyWriter, operation } from '../../../lambdas/kit/operation.ts'
import { testBasics } from '../llm/ports.ts'

type StreamingHandler = (event: object, to: PassThrough, context: object) => Promise<void>

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: { from: (to: PassThrough) => to },
  },
})

/** A function whose only operation streams its response. */
function streaming(write: BodyWriter): StreamingHandler {
  const streamed = operation({
    id: 'listPlans',
    summary: 'Plans',
    http: { method: 'GET', path: '/thing', stream: true },
    auth: 'none',
    limit: null,
    input: z.strictObject({}),
    output: z.string(),
    errors: [],
    uses: {},
    run: async () => ({ status: 200, headers: {}, body: write }),
  })
  const handler: unknown = httpHandler(area({ name: 'test', operations: [streamed], stream: true }), testBasics())
  return handler as StreamingHandler // safe because a streaming area's handler takes a stream
}

const event = () => ({
  httpMethod: 'GET',
  resource: '/thing',
  path: '/thing',
  headers: {},
  pathParameters: null,
  queryStringParameters: null,
  body: null,
  isBase64Encoded: false,
  requestContext: { requestId: 'req_1', identity: { sourceIp: '192.0.2.1' } },
})

describe('a streamed response', () => {
  test('is sent as it is written', async () => {
    const to = new PassThrough()
    const all = text(to)
    await streaming(async (into) => {
      into.write('one ')
      await sleep(5)
      into.end('two')
    })(event(), to, {})
    expect(await all).toBe('one two')
  })

  test('keeps its function running until the operation ends, although its reader has left', async () => {
    let done = false
    const to = new PassThrough()
    const handled = streaming(async (into) => {
      into.write('one')
      await new Promise((resolve) => into.once('close', resolve))
      await sleep(50)
      done = true
    })(event(), to, {})
    await once(to, 'data')
    to.destroy()
    await expect(handled).rejects.toThrow()
    expect(done).toBe(true)
  })

  test('breaks off when the operation fails', async () => {
    const to = new PassThrough()
    const handled = streaming(async (into) => {
      into.write('one')
      await sleep(5)
      throw new Error('no more')
    })(event(), to, {})
    await expect(handled).rejects.toThrow('no more')
    expect(to.destroyed).toBe(true)
  })
})

test('a function that runs out of time returns the service’s error shape with the request’s id', async () => {
  const slow = operation({
    id: 'listPlans',
    summary: 'Plans',
    http: { method: 'GET', path: '/thing' },
    auth: 'none',
    limit: null,
    input: z.strictObject({}),
    output: z.string(),
    errors: [],
    uses: {},
    run: () => new Promise<string>(() => {}),
  })
  const handler = httpHandler(area({ name: 'test', operations: [slow] }), testBasics())
  expect(await handler(event(), { getRemainingTimeInMillis: () => 20 })).toMatchObject({
    statusCode: 500,
    headers: { 'X-Request-Id': 'req_1', 'Content-Type': 'application/json' },
    body: expect.stringContaining('"error":"internal"'),
  })
})
