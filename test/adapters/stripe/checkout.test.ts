import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import { payments } from '../../../adapters/stripe/payments.ts'
import type { TestCloud } from '../../../emulators/aws/test/cloud.ts'
import { env, openCloud } from '../../cloud.ts'

type Answer = [status: number, headers?: Record<string, string>]

let cloud: TestCloud
let server: Server
let answers: Answer[]
let asked: { request: IncomingMessage; body: string }[]
beforeAll(async () => {
  cloud = await openCloud()
  server = createServer(async (request, response) => {
    asked.push({ request, body: await text(request) })
    const [status, headers] = answers.shift() ?? [200]
    const answer = status === 200 ? { id: 'cus_1' } : { error: { message: 'a secret of theirs' } }
    response.writeHead(status, headers).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const apiBase = `http://127.0.0.1:${port}/`
  await cloud.cloud.putSecret('stripe', JSON.stringify({ secretKey: 'sk_1', apiBase, webhookSecrets: [] }))
})
afterAll(async () => {
  server.close()
  await cloud.close()
})

const makeCustomer = (...given: Answer[]) => {
  ;[answers, asked] = [given, []]
  return payments(env).customer({ id: 'usr_1', email: 'ada+1@example.com', customerId: null })
}

describe('a creation request to Stripe', () => {
  test('has the library’s API version and an idempotency key', async () => {
    expect(await makeCustomer()).toBe('cus_1')
    expect(asked[0]?.body).toContain('email=ada%2B1%40example.com')
    expect(asked[0]?.request.headers).toMatchObject({
      authorization: 'Bearer sk_1',
      'idempotency-key': 'customer-usr_1',
      'stripe-version': Stripe.API_VERSION,
    })
  })

  test.each<[string, Answer[]]>([
    ['server errors', [[500], [503]]],
    ['a conflict of idempotency keys', [[409]]],
    ['an error that Stripe calls retryable', [[400, { 'Stripe-Should-Retry': 'true' }]]],
  ])('is retried after %s, with the same key', async (_, given) => {
    const tries = given.length + 1
    expect(await makeCustomer(...given)).toBe('cus_1')
    expect(asked.map(({ request }) => request.headers['idempotency-key'])).toEqual(Array(tries).fill('customer-usr_1'))
  })

  test.each<[string, Answer[], number]>([
    ['a third server error', [[500], [500], [500]], 3],
    ['a refusal', [[402]], 1],
    ['an error that Stripe calls final', [[500, { 'Stripe-Should-Retry': 'false' }]], 1],
  ])('is given up after %s, and the error reveals nothing of the response', async (_, given, tries) => {
    const error = await makeCustomer(...given).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'provider-error' })
    expect(String(error)).not.toContain('secret')
    expect(asked).toHaveLength(tries)
  })
})
