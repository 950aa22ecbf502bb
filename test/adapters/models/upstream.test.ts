import { beforeAll, describe, expect, test } from '@jest/globals'
import { whatIsWrong } from '../../../adapters/aws/secrets.ts'
import {
  headersOf,
  isReady,
  newProvidersSecret,
  operatorModels,
  providersSecret,
  urlOf,
} from '../../../adapters/models/upstream.ts'
import type { FormatName } from '../../../domain/models/model.ts'

const read = (upstream: object) => providersSecret.parse({ upstream }).upstream ?? fail()
const fail = (): never => {
  throw new Error('not read')
}
const bedrock = read({ kind: 'bedrock', baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com' })

beforeAll(() => {
  const role = { AWS_ACCESS_KEY_ID: 'ASIA1', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session' }
  Object.assign(process.env, role)
})

describe('an upstream configuration', () => {
  test.each<[string, string, FormatName, string]>([
    ['openai', 'https://api.openai.com/v1', 'openai-responses', 'https://api.openai.com/v1/responses'],
    ['openai', 'http://10.0.0.7:8000/v1/', 'openai-chat', 'http://10.0.0.7:8000/v1/chat/completions'],
    ['anthropic', 'https://api.anthropic.com', 'anthropic-messages', 'https://api.anthropic.com/v1/messages'],
    ['anthropic', 'https://api.anthropic.com/v1', 'openai-chat', 'https://api.anthropic.com/v1/chat/completions'],
    ['bedrock', bedrock.baseUrl, 'openai-chat', `${bedrock.baseUrl}/openai/v1/chat/completions`],
    ['bedrock', bedrock.baseUrl, 'anthropic-messages', `${bedrock.baseUrl}/anthropic/v1/messages`],
  ])('%s at %s uses the format %s at %s', (kind, baseUrl, format, address) => {
    expect(urlOf(read({ kind, baseUrl }), format).href).toBe(address)
  })

  test('without a key is ready only when the function’s role replaces the key', () => {
    const x = { kind: 'openai', baseUrl: 'https://x.test/v1' }
    expect(isReady('bedrock', bedrock)).toBe(true)
    expect(isReady('x', read(x))).toBe(false)
    expect(isReady('openai', read({ ...x, models: [{ id: 'm', free: true }] }))).toBe(false)
  })

  test('for an operator’s own server needs no key and sends none', async () => {
    const own = read({ kind: 'openai', baseUrl: 'http://10.0.0.7:11434/v1', models: [{ id: 'm', free: true }] })
    expect(isReady('own', own)).toBe(true)
    const url = urlOf(own, 'openai-chat')
    expect(await headersOf(own, 'openai-chat', url, {}, '{}')).toEqual({ 'content-type': 'application/json' })
  })

  test.each<[string, object, string]>([
    ['baseUrl', { baseUrl: undefined, baseURL: 'https://x.test/v1' }, 'Unrecognized key: "baseURL"'],
    ['kind', { kind: 'ollama' }, 'expected one of "openai"|"anthropic"|"bedrock"'],
    ['models.0.contextTokens', { models: [{ id: 'm', contextTokens: '8k' }] }, 'expected number'],
    ['models.0.formats.0', { models: [{ id: 'm', formats: ['chat'] }] }, 'expected one of "openai-chat"'],
    ['models.0.prices.input', { models: [{ id: 'm', prices: { input: -1, output: 1 } }] }, '>=0'],
    ['models.0', { models: [{ id: 'm', price: 1 }] }, 'Unrecognized key: "price"'],
  ])('with a wrong %s is reported without its value', (field, more, why) => {
    const secret = { own: { kind: 'openai', baseUrl: 'https://x.test/v1', apiKey: 'sk-secret', ...more } }
    const { error } = newProvidersSecret.safeParse(secret)
    const told = error ? whatIsWrong(error).join('; ') : ''
    expect(told).toContain(`own.${field} (`)
    expect(told).toContain(why)
    expect(told).not.toMatch(/sk-secret|x\.test|8k/)
  })

  test('with an unknown kind is rejected', () => {
    expect(() => read({ kind: 'other', baseUrl: 'https://x.test' })).toThrow(/kind/)
  })
})

describe('a call to Bedrock', () => {
  const url = urlOf(bedrock, 'anthropic-messages')

  test('is signed with the function’s role for its Region', async () => {
    const headers = await headersOf(bedrock, 'anthropic-messages', url, { accept: 'text/event-stream' }, '{}')
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=ASIA1\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=accept;anthropic-version;content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    )
    expect(headers).toMatchObject({ 'x-amz-security-token': 'session', 'anthropic-version': '2023-06-01' })
    const other = await headersOf(bedrock, 'anthropic-messages', url, { accept: 'text/event-stream' }, '{"a":1}')
    expect(other.authorization).not.toBe(headers.authorization)
  })

  test('uses its own key when there is one', async () => {
    const keyed = { ...bedrock, apiKey: 'abc' }
    expect(await headersOf(keyed, 'anthropic-messages', url, {}, '{}')).toMatchObject({
      authorization: 'Bearer abc',
    })
  })
})

describe('models that an operator lists', () => {
  const list = (name: string, model: object) =>
    operatorModels(name, read({ kind: 'openai', baseUrl: 'https://x.test/v1', models: [model] }))
  const prices = { input: 1, output: 2 }

  test('have their listed price and no markup', () => {
    expect(list('own', { id: 'a/b', contextTokens: 32_000, prices })).toEqual([
      {
        id: 'own/a/b',
        provider: 'own',
        upstreamModel: 'a/b',
        formats: ['openai-chat'],
        contextTokens: 32_000,
        maxOutputTokens: null,
        imageTokens: null,
        prices: { input: 1_000_000, cachedInput: 1_000_000, cacheWrite: 1_000_000, output: 2_000_000 },
        priceVersion: 'operator',
        markup: 0,
      },
    ])
  })

  test('have the markup when the catalogue knows their provider', () => {
    expect(list('openai', { id: 'gpt-9', prices })[0]).toMatchObject({ markup: 500, prices: { output: 2_100_000 } })
  })

  test.each([
    ['no price', {}],
    ['a zero price', { prices: { input: 0, output: 0 } }],
    ['a zero price for input alone', { prices: { input: 0, output: 1 } }],
    ['a zero price for output alone', { prices: { input: 1, output: 0 } }],
  ])('with %s are not offered', (_, more) => {
    expect(list('own', { id: 'x', ...more })).toEqual([])
  })

  test('have only an input price when they create embeddings', () => {
    const embeds = { id: 'e', formats: ['openai-embeddings'], prices: { input: 0.02 } }
    expect(list('own', embeds)[0]).toMatchObject({ maxOutputTokens: 0, prices: { input: 20_000, output: 0 } })
    expect(list('own', { ...embeds, formats: ['openai-chat'] })).toEqual([])
  })

  test('may be free when the secret says so', () => {
    expect(list('own', { id: 'x', free: true })[0]).toMatchObject({ prices: { input: 0, output: 0 } })
  })
})
