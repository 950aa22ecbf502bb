import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Stripe } from 'stripe'
import * as z from 'zod'
import { apiVersion, flat, post } from '../../../adapters/stripe/post.ts'

type Answer = [status: number, headers?: Record<string, string>]

let server: Server
let answers: Answer[]
let asked: { request: IncomingMessage; body: string }[]
beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked.push({ request, body: await text(request) })
    const [status, headers] = answers.shift() ?? [200]
    response.writeHead(status, headers).end(JSON.stringify({ id: 'cus_1', error: { message: 'a secret of theirs' } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

const made = (...given: Answer[]) => {
  ;[answers, asked] = [given, []]
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const apiBase = `http://127.0.0.1:${port}/`
  const ask = { secretKey: 'sk_1', apiBase, path: '/v1/customers', form: { email: 'ada+1@example.com' } }
  return post({ ...ask, idempotencyKey: 'customer-usr_1' }, z.object({ id: z.string() }))
}

describe('asking Stripe without its library', () => {
  test('is in the version of the API that the library speaks', () => {
    expect(apiVersion).toBe(Stripe.API_VERSION)
  })

  test('sends a form, the key and what makes it one thing', async () => {
    expect(await made()).toEqual({ id: 'cus_1' })
    expect(asked[0]?.body).toBe('email=ada%2B1%40example.com')
    expect(asked[0]?.request.headers).toMatchObject({
      authorization: 'Bearer sk_1',
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': 'customer-usr_1',
      'stripe-version': apiVersion,
    })
  })

  test.each<[string, Answer[]]>([
    ['a fault of theirs', [[500], [503]]],
    ['a conflict of keys', [[409]]],
    ['what they say may be', [[400, { 'Stripe-Should-Retry': 'true' }]]],
  ])('repeats %s under the same key', async (_, given) => {
    const tries = given.length + 1
    expect(await made(...given)).toEqual({ id: 'cus_1' })
    expect(asked.map(({ request }) => request.headers['idempotency-key'])).toEqual(
      Array.from({ length: tries }, () => 'customer-usr_1'),
    )
  })

  test.each<[string, Answer[], number]>([
    ['a third fault', [[500], [500], [500]], 3],
    ['a refusal', [[402]], 1],
    ['a fault they say is final', [[500, { 'Stripe-Should-Retry': 'false' }]], 1],
  ])('gives up after %s, and tells nothing of the answer', async (_, given, tries) => {
    await expect(made(...given)).rejects.toThrow(/^Stripe answered \d+: \/v1\/customers$/)
    expect(asked).toHaveLength(tries)
  })

  test('writes forms as the library does', () => {
    const form = { mode: 'payment', line_items: [{ quantity: 1, price_data: { unit_amount: 5 } }], left: undefined }
    expect(flat(form)).toEqual([
      ['mode', 'payment'],
      ['line_items[0][quantity]', '1'],
      ['line_items[0][price_data][unit_amount]', '5'],
    ])
  })
})
