import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { successorOf } from '../../../domain/models/catalogue.ts'
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
  test.each(['/llm/proxy/v1/models', '/llm/proxy/models', '/llm/proxy/v1/v1/models'])(
    'returns a model at %s/{id}',
    async (base) => {
      for (const name of ['openai%2Fgpt-5-mini', 'gpt-5-mini'])
        expect(await get(`${base}/${name}`)).toMatchObject({
          status: 200,
          body: { id: 'openai/gpt-5-mini', object: 'model', type: 'model', context_window: 400_000 },
        })
    },
  )

  test('returns not-found in the format of the calling SDK', async () => {
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

describe('listMachineModels', () => {
  const kinds = async (more: Record<string, string> = {}) => {
    const { data } = (await get('/llm/proxy/v1/models', more)).body
    return data.map(
      ({ architecture }: { architecture: { output_modalities: string[] } }) => architecture.output_modalities[0],
    )
  }

  test('lists embedding models last, and not for Anthropic’s SDKs', async () => {
    const all: string[] = await kinds()
    const first = all.indexOf('embeddings')
    expect(first).toBeGreaterThan(10)
    expect(new Set(all.slice(first))).toEqual(new Set(['embeddings']))
    expect(await kinds({ 'anthropic-version': '2023-06-01' })).not.toContain('embeddings')
  })
})

describe('a call of a retired model', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  test.each([
    ['/llm/proxy/v1/chat/completions', 'gpt-4-turbo'],
    ['/llm/proxy/v1/embeddings', 'openai/o1'],
    ['/llm/proxy/v1/messages', 'gpt-4o-2024-05-13'],
  ])('at %s is rejected with the successor of %s', async (path, model) => {
    const body = { model, messages, max_tokens: 9, input: 'Hi' }
    const { status, body: told } = await world.request({ method: 'POST', path, headers, body })
    expect([status, told.error.message]).toEqual([400, `model: ${model} is retired. Use ${successorOf(model)}.`])
  })

  test('is rejected without a successor that is not set up here', async () => {
    const body = { model: 'claude-3-opus-20240229', messages }
    const { status, body: told } = await world.request({ method: 'POST', path: '/llm/proxy', headers, body })
    expect([status, told.error]).toEqual([400, 'validation'])
    expect(JSON.stringify(told)).toContain('is retired. GET …/v1/models lists the models.')
  })
})

describe('countTokens', () => {
  const count = (body: object | string) =>
    world.request({ method: 'POST', path: '/llm/proxy/v1/messages/count_tokens', headers, body })

  test('counts about a quarter of the bytes, and is free', async () => {
    const content = 'word '.repeat(1_000)
    const answer = await count({ model: 'default', messages: [{ role: 'user', content }] })
    expect(answer.status).toBe(200)
    expect(answer.body.input_tokens).toBeGreaterThan(1_250)
    expect(answer.body.input_tokens).toBeLessThan(1_300)
    expect((await world.ports.wallets.read(userId)).holds).toEqual({})
  })

  test('reports errors in the format of Anthropic’s API', async () => {
    expect(await count('{"messages"')).toMatchObject({ status: 400, body: { type: 'error' } })
    expect(await count({ model: 'no/such', messages: [{}] })).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: expect.stringContaining('no/such is not offered') } },
    })
  })
})
