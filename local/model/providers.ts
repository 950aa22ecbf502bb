/** Which model providers the local service may ask. */
import type { JsonObject } from '../json.ts'
import type { Environment } from '../options.ts'

const real = [
  { name: 'openai', kind: 'openai', variable: 'OPENAI_API_KEY', baseUrl: 'https://api.openai.com/v1' },
  { name: 'anthropic', kind: 'anthropic', variable: 'ANTHROPIC_API_KEY', baseUrl: 'https://api.anthropic.com/v1' },
  { name: 'openrouter', kind: 'openai', variable: 'OPENROUTER_API_KEY', baseUrl: 'https://openrouter.ai/api/v1' },
]

/** The `providers` secret: the built-in model always, and each provider whose key is in our environment. */
export function providerSecret(echoUrl: string, env: Environment): JsonObject {
  const keyed = real.flatMap(({ name, kind, variable, baseUrl }) => {
    const apiKey = env[variable]
    return apiKey ? [[name, { kind, baseUrl, apiKey }] as const] : []
  })
  return { local: { kind: 'openai', baseUrl: echoUrl, apiKey: 'local' }, ...Object.fromEntries(keyed) }
}
