import { afterAll, beforeAll, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { events } from '../../../adapters/dynamo/chat/events.ts'
import { instances } from '../../../adapters/dynamo/instance/instances.ts'
import { wallets } from '../../../adapters/dynamo/wallet/wallets.ts'
import { type Env, readEnv } from '../../../adapters/env.ts'
import { models } from '../../../adapters/models/models.ts'
import { type InstanceRecord, liveGeneration } from '../../../domain/instance/instance.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { startEcho } from '../../../local/model/echo.ts'
import { counted, type Engine, startEngine } from '../../adapters/engine.ts'
import { startSecrets } from '../../adapters/models/secrets-endpoint.ts'
import { isBalanced } from '../../domain/wallet/balanced.ts'
import { startProxyServer } from './proxy-server.ts'

const dollar = 1_000_000
let engine: Engine
let env: Env
let echo: Awaited<ReturnType<typeof startEcho>>
let secrets: Awaited<ReturnType<typeof startSecrets>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
let instance: InstanceRecord

beforeAll(async () => {
  engine = await startEngine()
  echo = await startEcho()
  secrets = await startSecrets({ providers: { local: { kind: 'openai', baseUrl: echo.url, apiKey: 'local' } } })
  env = { ...engine.env, secret: readEnv({ PROVIDERS_SECRET_ARN: 'providers' }).secret }
  proxy = await startProxyServer(
    '',
    0,
    {
      wallets: wallets(env),
      events: events(env),
      instances: instances(env),
      models: models(env),
    },
    { userId: 'usr_1' },
  )
  instance = newInstance({ instanceId: 'ins_1', userId: 'usr_1' }, 'starter', '1', Date.now())
  await instances(env).create(instance)
  await wallets(env).creditOnce('usr_1', 'start', dollar, 'adjustment', 'Start', new Date().toISOString())
})
afterAll(async () => {
  await proxy.close()
  await echo.close()
  await secrets.close()
  await engine.stop()
})

const ask = async (text: string) => {
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'bmt_llm.x.y', maxRetries: 0 })
  const stream = await client.chat.completions.create({
    model: 'default',
    messages: [{ role: 'user', content: text }],
    stream: true,
  })
  let said = ''
  for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? ''
  await proxy.under.finished
  return said
}

test('the built-in model responds over the real stores, and the ledger entry can be recomputed from its receipt', async () => {
  expect(liveGeneration(instance)).toBe(1)
  expect((await ask('What is the weather like today?')).length).toBeGreaterThan(0)
  const [line] = (await wallets(env).transactions('usr_1', { after: null, limit: 10 })).items.filter(
    ({ type }) => type === 'usage',
  )
  const receipt = line?.receipt
  expect(receipt).toMatchObject({ model: 'local/echo', settledBecause: 'usage', priceVersion: 'berth-1' })
  if (!receipt) return
  const exact = receipt.inputTokens * receipt.unitPrices.input + receipt.outputTokens * receipt.unitPrices.output
  expect(line?.amountMicros).toBe(-Math.ceil(exact / 1_000_000))
  const state = await wallets(env).read('usr_1')
  expect(state).toMatchObject({
    holds: {},
    available: dollar - receipt.settledMicros,
    total: dollar - receipt.settledMicros,
  })
  expect(isBalanced(state)).toBe(true)
  expect((await events(env).after('usr_1', 'evt_', 10)).at(-1)).toMatchObject({
    type: 'wallet.charged',
    data: { callId: receipt.callId },
  })
})

test('a call makes one store request before the provider and one to settle; notifications are not written for every call', async () => {
  const { calls } = await counted(() => ask('Again, please.'))
  expect(calls.map(({ operation }) => operation)).toEqual(['UpdateItem', 'TransactWriteItems'])
})

test('many concurrent calls never overdraw: some are refused, and the books balance', async () => {
  const before = await wallets(env).read('usr_1')
  const results = await Promise.allSettled(Array.from({ length: 25 }, (_, i) => ask(`Call number ${i}`)))
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
  await proxy.under.finished
  const state = await wallets(env).read('usr_1')
  expect(isBalanced(state)).toBe(true)
  expect(state.holds).toEqual({})
  const lines = (await wallets(env).transactions('usr_1', { after: null, limit: 100 })).items
  expect(lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0)).toBe(state.total)
  expect(before.total - state.total).toBeGreaterThan(0)
})
