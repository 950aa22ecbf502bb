import { providerSecret } from '../../local/model/providers.ts'
import { fillSecrets, initialValue } from '../../local/secrets.ts'
import { readTemplate } from '../../local/template.ts'
import { writeAssembly } from './assembly.ts'

test('passwords follow their rules and differ', () => {
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

test('local values are written every time, all others once', async () => {
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

test('a provider is there when its key is in the environment, the built-in model always', () => {
  const local = { kind: 'openai', baseUrl: 'http://echo/v1', apiKey: 'local' }
  expect(providerSecret('http://echo/v1', {})).toEqual({ local })
  const keyed = providerSecret('http://echo/v1', { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: '' })
  expect(keyed).toEqual({
    local,
    anthropic: { kind: 'anthropic', baseUrl: expect.stringMatching(/^https:/), apiKey: 'k' },
  })
})
