import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { providersSecret } from '../../../adapters/models/upstream.ts'
import { providerSecret } from '../../../local/model/providers.ts'
import { fillSecrets, initialValue } from '../../../local/resources/secrets.ts'
import { readTemplate } from '../../../local/template/template.ts'
import { answering, type Script, startUpstream } from '../../lambdas/llm/upstream.ts'
import { writeAssembly } from '../assembly.ts'

test('generated passwords follow their rules and differ', () => {
  const rules = { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true, ExcludeCharacters: 'aA0' } }
  expect(initialValue(rules)).toMatch(/^[b-zB-Z1-9]{64}$/)
  expect(initialValue(rules)).not.toBe(initialValue(rules))
  expect(initialValue({})).toHaveLength(32)
})

test('a generated password goes into its place in the template', () => {
  const GenerateSecretString = { SecretStringTemplate: '{"user":"x"}', GenerateStringKey: 'current', PasswordLength: 8 }
  expect(JSON.parse(initialValue({ GenerateSecretString }))).toEqual({
    user: 'x',
    current: expect.stringMatching(/^.{8}$/),
  })
})

test('local values are written at every start, all others once', async () => {
  const secret = (name: string, more = {}) => ({
    Type: 'AWS::SecretsManager::Secret',
    Properties: { Name: name, ...more },
  })
  const resources = {
    A: secret('berth/local/stripe', { SecretString: '{}' }),
    B: secret('berth/local/machine-token-keys', { GenerateSecretString: {} }),
    C: secret('berth/local/plain', { SecretString: 'given' }),
  }
  const template = readTemplate(writeAssembly({ S: { resources } }))
  const stored = new Map<string, string>()
  const store = {
    has: async (name: string) => stored.has(name),
    put: async (name: string, value: string) => void stored.set(name, value),
  }
  await fillSecrets(template, store, { stripe: { secretKey: 'one' } })
  const generated = stored.get('berth/local/machine-token-keys')
  await fillSecrets(template, store, { stripe: { secretKey: 'two' } })
  expect(Object.fromEntries(stored)).toEqual({
    'berth/local/stripe': '{"secretKey":"two"}',
    'berth/local/machine-token-keys': generated,
    'berth/local/plain': 'given',
  })
})

describe('the providers', () => {
  const local = { kind: 'openai', baseUrl: 'http://echo/v1', apiKey: 'local' }
  let printed: string[]
  const secretOf = (env: Record<string, string>) => {
    printed = []
    return providerSecret('http://echo/v1', env, (line) => printed.push(line))
  }

  test('are those with a key in the environment, and always the built-in model', async () => {
    expect(await secretOf({})).toEqual({ local })
    const own = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', OPENAI_BASE_URL: 'https://api.openai.com/v1' }
    expect(await secretOf(own)).toEqual({ local })
    const keyed = await secretOf({ ...own, ANTHROPIC_API_KEY: 'k', OPENROUTER_API_KEY: 'r', OPENAI_API_KEY: '' })
    expect(keyed).toEqual({
      local,
      anthropic: { kind: 'anthropic', baseUrl: 'http://127.0.0.1:9', apiKey: 'k' },
      openrouter: { kind: 'openai', baseUrl: expect.stringMatching(/^https:/), apiKey: 'r' },
    })
    expect(printed).toEqual([])
  })

  describe('from a providers file', () => {
    const fileOf = (text: string) => {
      const file = join(mkdtempSync(join(tmpdir(), 'providers-')), 'providers.json')
      writeFileSync(file, text)
      return { PROVIDERS_FILE: file, OPENROUTER_API_KEY: 'r' }
    }
    const up = { kind: 'anthropic', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k', models: [{ id: 'm', free: true }] }

    test('are added, and replace a provider of the same name', async () => {
      const secret = await secretOf(fileOf(JSON.stringify({ up, openrouter: up })))
      expect(secret).toEqual({ local, up, openrouter: up })
      expect(printed).toEqual(['PROVIDERS_FILE: 2 models of up, openrouter are offered'])
    })

    test.each([
      ['{', /PROVIDERS_FILE .* cannot be used: the whole \(this is not JSON\)/],
      [JSON.stringify({ up: { ...up, models: [{ id: 'm' }] } }), /up\.models\.0 \(m has no price/],
      [JSON.stringify({ up: { ...up, kind: 'ollama' } }), /up\.kind/],
    ])('stop the start when the service could not use them: %s', async (text, problem) => {
      await expect(secretOf(fileOf(text))).rejects.toThrow(problem)
    })

    test('stop the start when the file is missing', async () => {
      await expect(secretOf({ PROVIDERS_FILE: '/nowhere/providers.json' })).rejects.toThrow(/ENOENT/)
    })
  })

  describe('from a custom server', () => {
    let upstream: Awaited<ReturnType<typeof startUpstream>>
    beforeAll(async () => {
      upstream = await startUpstream()
    })
    afterAll(() => upstream.close())
    const own = () => ({ OPENAI_BASE_URL: `${upstream.url}/v1/` })
    const data = [
      { id: 'llama3.2:3b' },
      { id: 'qwen/qwen3', max_model_len: 32_768 },
      { id: 'nomic-embed-text' },
      { id: 'mxb', mode: 'embedding', max_input_tokens: 8_191 },
      { id: 'embedded', mode: 'chat', max_input_tokens: 9, max_output_tokens: 8 },
      { id: 'no good' },
      {},
      null,
    ]

    test('are the models that it lists, free of charge', async () => {
      upstream.use(answering(200, { object: 'list', data }))
      const secret = await secretOf({ ...own(), OPENAI_API_KEY: 'k' })
      expect(upstream.seen).toMatchObject([{ path: '/v1/models', headers: { authorization: 'Bearer k' } }])
      expect(secret).toEqual({
        local,
        own: {
          kind: 'openai',
          baseUrl: own().OPENAI_BASE_URL,
          apiKey: 'k',
          models: [
            { id: 'llama3.2:3b', formats: ['openai-chat'], free: true },
            { id: 'qwen/qwen3', formats: ['openai-chat'], contextTokens: 32_768, free: true },
            { id: 'nomic-embed-text', formats: ['openai-embeddings'], free: true },
            { id: 'mxb', formats: ['openai-embeddings'], contextTokens: 8_191, free: true },
            { id: 'embedded', formats: ['openai-chat'], contextTokens: 9, maxOutputTokens: 8, free: true },
          ],
        },
      })
      expect(providersSecret.safeParse(secret).success).toBe(true)
      expect(printed).toEqual([
        expect.stringMatching(/^OPENAI_BASE_URL: 5 models of .* offered as own\/…, free of charge$/),
      ])
    })

    test('cost the price in the environment', async () => {
      upstream.use(answering(200, { data: [{ id: 'm' }] }))
      const secret = providersSecret.parse(await secretOf({ ...own(), BERTH_MODEL_PRICE: '0.10/0.40' }))
      expect(secret.own?.models).toMatchObject([{ id: 'm', prices: { input: 0.1, output: 0.4 } }])
    })

    test.each<[string, Script]>([
      ['refuses', answering(401, {})],
      ['lists no valid model', answering(200, { models: [] })],
      [
        'redirects',
        (response, { path }) =>
          path === '/v1/models'
            ? void response.writeHead(302, { location: '/elsewhere' }).end()
            : answering(200, { data })(response, { path, headers: {}, body: {} }, 1),
      ],
      ['breaks off', (response) => void response.destroy()],
    ])('are none when it %s, which is logged', async (_, script) => {
      upstream.use(script)
      expect(await secretOf(own())).toEqual({ local })
      expect(printed).toEqual([expect.stringMatching(/^OPENAI_BASE_URL: no models of .* are offered \(.+\)$/)])
    })

    test.each([
      [{ OPENAI_BASE_URL: 'localhost:11434' }, /OPENAI_BASE_URL is "localhost:11434": give an address/],
      [{ BERTH_MODEL_PRICE: 'cheap' }, /BERTH_MODEL_PRICE is "cheap": give dollars/],
      [{ BERTH_MODEL_PRICE: '0/0' }, /give dollars/],
    ])('are not guessed from an invalid value: %p', async (env, problem) => {
      await expect(secretOf({ ...own(), ...env })).rejects.toThrow(problem)
    })
  })
})
