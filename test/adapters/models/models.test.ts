import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { readEnv } from '../../../adapters/env.ts'
import { models } from '../../../adapters/models/models.ts'
import type { Models } from '../../../app/ports/models.ts'
import { answering, startUpstream } from '../../lambdas/llm/upstream.ts'
import { startSecrets } from './secrets-endpoint.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
let secrets: Awaited<ReturnType<typeof startSecrets>>
const portFor = (arn: string): Models => models(readEnv({ PROVIDERS_SECRET_ARN: arn }))
const signal = new AbortController().signal

beforeAll(async () => {
  upstream = await startUpstream()
  const openai = (path: string, apiKey: string) => ({ kind: 'openai', baseUrl: upstream.url + path, apiKey })
  secrets = await startSecrets({
    all: {
      local: openai('/v1', 'k-local'),
      openai: openai('/v1/', 'k-openai'),
      openrouter: openai('/api/v1', 'k-router'),
      anthropic: { kind: 'anthropic', baseUrl: upstream.url, apiKey: 'k-anthropic' },
    },
    local: { local: openai('/v1', 'k-local'), openai: openai('/v1', '') },
    own: {
      mine: { ...openai('/v1', 'k'), models: [{ id: 'm', prices: { input: 1, output: 2 } }, { id: 'unpriced' }] },
    },
    ownAndLocal: {
      local: openai('/v1', 'k-local'),
      mine: { ...openai('/v1', ''), models: [{ id: 'm', free: true }] },
    },
    embeds: {
      mine: {
        ...openai('/v1', ''),
        models: [
          { id: 'e', formats: ['openai-embeddings'], free: true },
          { id: 'chat', free: true },
        ],
      },
    },
    rotated: { local: openai('/v1', 'k-old') },
    nobody: {},
    unreachable: { local: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' } },
  })
})
afterAll(async () => {
  await upstream.close()
  await secrets.close()
})

test('a model is offered only when its provider has a key', async () => {
  expect((await portFor('local').list()).map(({ id }) => id)).toEqual(['local/echo', 'local/echo-embedding'])
  expect(new Set((await portFor('all').list()).map(({ provider }) => provider)).size).toBe(4)
  expect(await portFor('nobody').list()).toEqual([])
})

test.each([
  ['all', 'anthropic'],
  ['local', 'local'],
])('the default model of %s is from %s', async (arn, provider) => {
  expect((await portFor(arn).defaultModel()).provider).toBe(provider)
})

test('there is no default model without a provider', async () => {
  await expect(portFor('nobody').defaultModel()).rejects.toMatchObject({ code: 'provider-error' })
})

test('a model is found by its id or by its provider’s name for it', async () => {
  const port = portFor('all')
  expect((await port.find('openai/gpt-5'))?.provider).toBe('openai')
  expect((await port.find('gpt-5'))?.id).toBe('openai/gpt-5')
  expect((await port.find('openai/gpt-5-mini'))?.provider).toBe('openai')
  expect((await port.find('gpt-5-2025-08-07'))?.id).toBe('openai/gpt-5')
  expect((await port.find('claude-sonnet'))?.id).toBe('anthropic/claude-sonnet-4-6')
  expect((await port.find('anthropic/claude-haiku-4-5-20251001'))?.id).toBe('anthropic/claude-haiku-4-5')
  expect((await port.find('gpt-latest'))?.provider).toBe('openai')
  expect(await port.find('gpt-4o-2024-05-13')).toBeNull()
  expect(await port.find('gpt-6')).toBeNull()
  expect(await port.find('constructor')).toBeNull()
  expect(await portFor('local').find('openai/gpt-5')).toBeNull()
})

test('an operator’s own provider has the models that the secret lists with a price', async () => {
  expect((await portFor('own').list()).map(({ id }) => id)).toEqual(['mine/m'])
  expect((await portFor('own').defaultModel()).id).toBe('mine/m')
})

test('the default model is a vendor’s, else the operator’s own, and the built-in one last', async () => {
  expect((await portFor('ownAndLocal').defaultModel()).id).toBe('mine/m')
})

test('an embedding model is never the default', async () => {
  expect((await portFor('embeds').defaultModel()).id).toBe('mine/chat')
})

test('a replaced key is read again when the provider refuses the old one', async () => {
  upstream.use((response, seen) => {
    response.writeHead(seen.headers.authorization === 'Bearer k-new' ? 200 : 401)
    response.end()
  })
  let nowMs = Date.now()
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => nowMs)
  const port = portFor('rotated')
  const model = await port.find('local/echo')
  if (!model) throw new Error('not offered')
  const call = async () =>
    (await port.call(model, { format: 'openai-chat', body: '{}', headers: {}, query: '' }, signal)).status
  secrets.values.rotated = { local: { kind: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k-new' } }
  expect(await call()).toBe(401)
  nowMs += 61_000
  expect(await call()).toBe(200)
  clock.mockRestore()
})

describe('a call to a provider', () => {
  const call = async (arn: string, id: string, format: 'openai-chat' | 'anthropic-messages' = 'openai-chat') => {
    const port = portFor(arn)
    const model = await port.find(id)
    if (!model) throw new Error(`${id} is not offered`)
    return port.call(model, { format, body: '{"a":1}', headers: { accept: 'application/json' }, query: '' }, signal)
  }

  test.each([
    ['openai/gpt-5', 'openai-chat', '/v1/chat/completions', { authorization: 'Bearer k-openai' }],
    [
      'openrouter/google/gemini-2.5-flash',
      'openai-chat',
      '/api/v1/chat/completions',
      { authorization: 'Bearer k-router' },
    ],
    ['anthropic/claude-haiku-4-5', 'openai-chat', '/v1/chat/completions', { authorization: 'Bearer k-anthropic' }],
    [
      'anthropic/claude-haiku-4-5',
      'anthropic-messages',
      '/v1/messages',
      { 'x-api-key': 'k-anthropic', 'anthropic-version': '2023-06-01' },
    ],
  ] as const)('of model %s uses the format %s', async (id, format, path, headers) => {
    upstream.use(answering(200, {}))
    expect((await call('all', id, format)).status).toBe(200)
    expect(upstream.seen[0]).toMatchObject({ path, headers, body: { a: 1 } })
  })

  test('never follows a redirect with our key', async () => {
    upstream.use((response) => {
      response.writeHead(307, { location: `${upstream.url}/elsewhere` })
      response.end()
    })
    expect((await call('all', 'openai/gpt-5')).status).toBe(307)
    expect(upstream.seen).toHaveLength(1)
  })

  test('without a connection fails with a provider error that names no address', async () => {
    const failed = await call('unreachable', 'local/echo').catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'provider-error', details: { upstream: ['no connection'] } })
    expect(String(failed)).not.toContain('127.0.0.1')
  })
})

test('carries a stable name for the user, different per provider and different from the user’s id', async () => {
  const port = portFor('all')
  const [openai, router] = await Promise.all([port.find('openai/gpt-5'), port.find('openrouter/openai/gpt-5-mini')])
  if (!openai || !router) throw new Error('not offered')
  const name = await port.pseudonym(openai, 'usr_1')
  expect(name).toBe(await port.pseudonym(openai, 'usr_1'))
  expect(name).not.toBe(await port.pseudonym(openai, 'usr_2'))
  expect(name).not.toBe(await port.pseudonym(router, 'usr_1'))
  expect(name).not.toContain('usr_1')
})
