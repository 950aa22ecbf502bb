import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
let headers: Record<string, string>
let userId: string
beforeAll(async () => {
  world = await openWorld({ areas: [llmArea], ports: ['instances', 'users'] })
  await world.cloud.cloud.putSecret(
    'providers',
    JSON.stringify({ openai: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' } }),
  )
  const tenant = await world.tenant()
  userId = tenant.userId
  headers = await world.machine(tenant, 'llm', tenant.instance.generation)
})
afterAll(() => world.close())

const get = (path: string, more: Record<string, string> = {}) =>
  world.request({ method: 'GET', path, headers: { ...headers, ...more } })

describe('getMachineModel', () => {
  test.each(['/llm/proxy/v1/models', '/llm/proxy/models', '/llm/proxy/v1/v1/models'])('%s/{id}', async (base) => {
    for (const name of ['openai%2Fgpt-5-mini', 'gpt-5-mini'])
      expect(await get(`${base}/${name}`)).toMatchObject({
        status: 200,
        body: { id: 'openai/gpt-5-mini', object: 'model', type: 'model', context_window: 400_000 },
      })
  })

  test('an unknown one is told as the SDK that asks reads it', async () => {
    expect(await get('/llm/proxy/v1/models/nothing')).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', code: 'not-found' } },
    })
    expect(await get('/llm/proxy/v1/models/nothing', { 'anthropic-version': '2023-06-01' })).toMatchObject({
      status: 404,
      body: { type: 'error', error: { type: 'not_found_error', code: 'not-found' } },
    })
  })
})

describe('countTokens', () => {
  const count = (body: object | string) =>
    world.request({ method: 'POST', path: '/llm/proxy/v1/messages/count_tokens', headers, body })

  test('is about a quarter of the bytes, and costs nothing', async () => {
    const content = 'word '.repeat(1_000)
    const answer = await count({ model: 'default', messages: [{ role: 'user', content }] })
    expect(answer.status).toBe(200)
    expect(answer.body.input_tokens).toBeGreaterThan(1_250)
    expect(answer.body.input_tokens).toBeLessThan(1_300)
    expect((await world.ports.wallets.read(userId)).holds).toEqual({})
  })

  test('tells what is wrong as Anthropic’s API does', async () => {
    expect(await count('{"messages"')).toMatchObject({ status: 400, body: { type: 'error' } })
    expect(await count({ model: 'no/such', messages: [{}] })).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: expect.stringContaining('no/such is not offered') } },
    })
  })
})
