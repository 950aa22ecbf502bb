import { existsSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { api, ask, call, origin, pay, signIn, status, until, untilState, usageLines } from './client.ts'
import { machineOf } from './machine.ts'

/** The whole purpose of the service, in the order in which a new user meets it. Each step builds on the one before. */
describe('one hosted agent', () => {
  let user: { cookie: string; email: string; userId: string }
  let balance = 0
  let generation = 0

  test('1. the page is served and an e-mailed code signs in', async () => {
    const page = await fetch(origin)
    expect(page.headers.get('content-type')).toContain('text/html')
    user = await signIn()
    const session = await call('GET', '/auth/session', undefined, user)
    expect(session.body.account).toMatchObject({ id: user.userId, email: user.email })
  })

  test('2. subscribing on the hosted page provisions the instance, with the month’s credit', async () => {
    expect((await status(user)).instance).toBeNull()
    const checkout = await call('POST', '/checkout', { plan: 'starter' }, user)
    expect(checkout.status).toBe(200)
    expect(checkout.body).toEqual({
      id: expect.any(String),
      url: expect.stringContaining('/local/checkout/'),
      expiresAt: expect.any(String),
    })
    await pay(checkout.body)
    const running = await untilState(user, 'running')
    expect(running.subscription).toMatchObject({ status: 'active', plan: 'starter' })
    expect(running.instance.generation).toBe(1)
    const credited = await until(
      'the credit',
      () => status(user),
      (seen) => seen.wallet.balanceMicros === 2_000_000,
    )
    balance = credited.wallet.balanceMicros
    expect((await call('POST', '/checkout', { plan: 'starter' }, user)).status).toBe(409)
  })

  test('3. a top-up raises the balance by exactly its amount, once', async () => {
    const checkout = await call('POST', '/wallet/topup', { amountCents: 1000 }, user)
    await pay(checkout.body)
    await pay(checkout.body).catch(() => {})
    await until(
      'the top-up',
      () => status(user),
      (seen) => seen.wallet.balanceMicros > balance,
    )
    // Pays later, after all events of the first payment.
    await pay((await call('POST', '/wallet/topup', { amountCents: 500 }, user)).body)
    await until(
      'the next top-up',
      () => status(user),
      (seen) => seen.wallet.balanceMicros > balance + 10_000_000,
    )
    expect((await status(user)).wallet.balanceMicros).toBe(balance + 15_000_000)
    balance += 15_000_000
  })

  test('4. the agent answers a message, and the wallet pays its true price with a receipt', async () => {
    const reply = await ask(user, 'Hello there, my name is Ada')
    expect(reply.text).toContain('You said: "Hello there, my name is Ada"')
    const [line] = await until(
      'the charge',
      () => usageLines(user),
      (lines) => lines.length > 0,
    )
    if (!line?.receipt) throw new Error('a usage line without a receipt')
    const { receipt, amountMicros, balanceMicros } = line
    const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, unitPrices } = receipt
    const tokens =
      inputTokens * unitPrices.input +
      cachedInputTokens * unitPrices.cachedInput +
      cacheWriteTokens * unitPrices.cacheWrite +
      outputTokens * unitPrices.output
    expect(receipt).toMatchObject({
      model: 'local/echo',
      settledBecause: 'usage',
      trigger: 'chat',
      settledMicros: -amountMicros,
    })
    expect(amountMicros).toBe(-Math.ceil(tokens / 1_000_000))
    expect(amountMicros).toBeLessThan(0)
    const { wallet } = await status(user)
    expect(wallet).toMatchObject({ balanceMicros: balance + amountMicros, heldMicros: 0, owedMicros: 0 })
    expect(balanceMicros).toBe(wallet.balanceMicros)
    expect((await call('GET', `/wallet/transactions/${line.id}`, undefined, user)).body).toEqual({ transaction: line })
  })

  test('5. pause ends the process and keeps the volume; a message wakes it and it remembers', async () => {
    const { instance: before } = await status(user)
    const volume = machineOf(before.id).env.BERTH_VOLUME ?? ''
    const paused = await call('POST', '/instance/pause', undefined, user)
    expect(paused.status).toBe(202)
    await untilState(user, 'paused')
    expect(() => machineOf(before.id)).toThrow()
    expect(existsSync(volume)).toBe(true)
    expect((await call('POST', '/instance/pause', undefined, user)).status).toBe(200)
    const reply = await ask(user, 'What did I say before?')
    expect(reply.text).toContain('my name is Ada')
    const { instance } = await untilState(user, 'running')
    expect(instance.generation).toBe(2)
    generation = instance.generation
  })

  test('5. pause ends the process and keeps the volume; a message wakes the agent and it remembers', async () => {
    const asked = await call('POST', '/instance/refresh', undefined, user)
    expect(asked.status).toBe(202)
    const { instance } = await untilState(user, 'running')
    expect(instance.generation).toBe(generation + 1)
    expect((await ask(user, 'Still there?')).text).toContain('Still there?')
  })

  test('6. a PAT works for the real MCP client and over REST', async () => {
    const minted = await call('POST', '/tokens', { name: 'test' }, user)
    expect(minted.status).toBe(201)
    const bearer = minted.body.plaintext
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${api}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${bearer}` } },
      }),
    )
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'instance.pause',
      'instance.refreshEnv',
      'instance.resume',
      'instance.setModel',
      'instance.status',
      'personas.activate',
      'personas.deactivate',
      'personas.list',
      'skills.list',
      'skills.show',
      'wallet.balance',
      'wallet.checkoutTopUp',
      'wallet.transactions',
    ])
    const viaMcp = await client.callTool({ name: 'wallet.balance', arguments: {} })
    const viaRest = await call('GET', '/wallet', undefined, { bearer })
    expect(viaMcp.structuredContent).toEqual(viaRest.body)
    expect((await client.callTool({ name: 'instance.status', arguments: {} })).structuredContent).toMatchObject({
      instance: { state: 'running' },
    })
    expect((await client.callTool({ name: 'instance.pause', arguments: {} })).isError).toBeFalsy()
    await untilState({ bearer }, 'paused')
    expect((await client.callTool({ name: 'instance.resume', arguments: {} })).isError).toBeFalsy()
    await untilState({ bearer }, 'running')
    await client.close()
    expect((await call('DELETE', `/tokens?id=${minted.body.id}`, undefined, user)).body.status).toBe('revoked')
    expect((await call('GET', '/wallet', undefined, { bearer })).status).toBe(401)
  })
})
