import { BerthError, createClient } from '../../clients/typescript/index.ts'
import { hostedUser, mintedWith, origin, pay, signIn, until } from './client.ts'
import { checkAnswer } from './contract.ts'

/** A client of the published package, whose answers are all checked against the document. */
const clientWith = (token?: string) =>
  createClient({
    baseUrl: `${origin}/api`,
    token,
    async fetch(url, request) {
      const answer = await fetch(url, request)
      const text = await answer.clone().text()
      const body = answer.headers.get('content-type') === 'application/json' && text ? JSON.parse(text) : null
      checkAnswer(request?.method ?? 'GET', String(url).slice(`${origin}/api`.length), {
        ...answer,
        status: answer.status,
        headers: answer.headers,
        body,
      })
      return answer
    },
  })

/** The error of a refused call. */
const refusal = (call: Promise<unknown>): Promise<BerthError> =>
  call.then(
    () => Promise.reject(new Error('it was not refused')),
    (thrown: BerthError) => thrown,
  )

describe('the TypeScript client', () => {
  test('reads the status and the wallet, tops it up and gets a message answered', async () => {
    const berth = clientWith(await mintedWith(await hostedUser(500), ['mcp:*', 'api:chat', 'api:instance']))
    const { instance, wallet } = await berth.getInstanceStatus()
    expect(instance?.state).toBe('running')
    const key = { idempotencyKey: crypto.randomUUID() }
    const checkout = await berth.createWalletTopup({ amountCents: 500 }, key)
    expect(await berth.createWalletTopup({ amountCents: 500 }, key)).toEqual(checkout)
    await pay(checkout)
    const balance = async () => (await berth.getWallet()).balanceMicros
    await until('the top-up', balance, (now) => now > wallet.balanceMicros)
    const { message } = await berth.sendMessage({ text: 'When is the tide?' })
    const newer = async () => (await berth.listMessages({ after: message.id, limit: 5 })).messages
    await until('an answer', newer, (messages) => messages.some(({ role }) => role === 'agent'))
    expect(await berth.getWalletStatement({})).toMatch(/^id,at,type,/)
    const file = await refusal(berth.getFile({ path: 'no/such file.md' }))
    expect([file.code, file.status]).toEqual(['not-found', 404])
  })

  test('reports a refusal with its code, and a missing answer', async () => {
    const berth = clientWith(await mintedWith(await signIn(), ['mcp:*']))
    const wrong = await refusal(berth.createWalletTopup({ amountCents: 1 }))
    expect(wrong).toBeInstanceOf(BerthError)
    expect(wrong).toMatchObject({ code: 'validation', status: 400, details: { amountCents: [expect.any(String)] } })
    expect(wrong.requestId).toMatch(/^[\w-]+$/)
    expect((await refusal(clientWith().getWallet())).code).toBe('unauthorized')
    const nowhere = createClient({ baseUrl: origin, fetch: () => Promise.reject(new TypeError('no network')) })
    expect(await refusal(nowhere.getHealth())).toMatchObject({ code: 'unreachable', status: 0 })
  })

  test('escapes a whole path, so that no dots lead to another operation', async () => {
    const asked: string[] = []
    const berth = createClient({
      baseUrl: '/api',
      fetch: async (url) => {
        asked.push(String(url))
        return new Response('{}')
      },
    })
    await berth.getFile({ path: 'a folder/notes?.md' })
    await berth.getSkill({ id: 'a/../b' })
    await berth.listTransactions({ limit: 5, cursor: undefined })
    expect(asked).toEqual([
      '/api/instance/files/a%20folder/notes%3F.md',
      '/api/skills/a%2F..%2Fb',
      '/api/wallet/transactions?limit=5',
    ])
    for (const call of [() => berth.getFile({ path: 'a/../../account' }), () => berth.getPersona({ id: '..' })])
      expect((await refusal(call())).code).toBe('validation')
    expect(asked.length).toBe(3)
  })
})
