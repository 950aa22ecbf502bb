/** Model providers of the local service. */
import { readProvidersFile } from '../../adapters/models/providers-file.ts'
import { messageOf, StartProblem } from '../kit/problem.ts'
import type { JsonObject } from '../template/json.ts'

const vendors = [
  { name: 'openai', kind: 'openai', variable: 'OPENAI', baseUrl: 'https://api.openai.com/v1' },
  { name: 'anthropic', kind: 'anthropic', variable: 'ANTHROPIC', baseUrl: 'https://api.anthropic.com/v1' },
  { name: 'openrouter', kind: 'openai', variable: 'OPENROUTER', baseUrl: 'https://openrouter.ai/api/v1' },
]

/** Provider name of another OpenAI-compatible server's models. */
const ownProvider = 'own'

/** Timeout of such a server, ms, and maximum number of its models. */
const listTimeoutMs = 2_000
const maxModels = 200

/**
 * The `providers` secret: the built-in model, vendors with a key in our environment, models of the server of
 * OPENAI_BASE_URL, and PROVIDERS_FILE, whose entries take precedence. @throws StartProblem for an invalid variable
 */
export async function providerSecret(
  echoUrl: string,
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<JsonObject> {
  const local = { kind: 'openai', baseUrl: echoUrl, apiKey: 'local' }
  const own = readUrl(env, 'OPENAI_BASE_URL')
  const isOwn = own !== undefined && new URL(own).hostname !== 'api.openai.com'
  const keyed = vendors.flatMap(({ name, kind, variable, baseUrl }) => {
    const apiKey = env[`${variable}_API_KEY`]
    if (!apiKey || (name === 'openai' && isOwn)) return []
    return [[name, { kind, baseUrl: readUrl(env, `${variable}_BASE_URL`) ?? baseUrl, apiKey }] as const]
  })
  const secret: JsonObject = { local, ...Object.fromEntries(keyed) }
  if (isOwn) {
    const models = await listModels(own, env.OPENAI_API_KEY, readPrice(env), print)
    if (models.length > 0)
      secret[ownProvider] = { kind: 'openai', baseUrl: own, apiKey: env.OPENAI_API_KEY ?? '', models }
  }
  return { ...secret, ...readFile(env.PROVIDERS_FILE, print) }
}

function readFile(file: string | undefined, print: (line: string) => void): JsonObject {
  if (!file) return {}
  const { upstreams, models, faults } = readProvidersFile(file)
  if (faults.length > 0) throw new StartProblem(`PROVIDERS_FILE ${file} cannot be used: ${faults.join('; ')}`)
  print(`PROVIDERS_FILE: ${models.length} models of ${Object.keys(upstreams).join(', ')} are offered`)
  return { ...upstreams }
}

function readUrl(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name]
  if (!value) return undefined
  if (URL.canParse(value) && /^https?:/.test(value)) return value
  throw new StartProblem(`${name} is "${value}": give an address such as http://127.0.0.1:11434/v1, or unset it`)
}

/** Dollars per million tokens; undefined if not set. */
function readPrice({ BERTH_MODEL_PRICE: value }: NodeJS.ProcessEnv): { input: number; output: number } | undefined {
  if (!value) return undefined
  const [input = 0, output = 0, ...more] = value.split('/').map(Number)
  if (input > 0 && output > 0 && more.length === 0) return { input, output }
  throw new StartProblem(
    `BERTH_MODEL_PRICE is "${value}": give dollars per million tokens of input and output, such as 0.10/0.40, or unset it`,
  )
}

/** Models of a server. A server that does not answer is reported and offers no models. */
async function listModels(
  baseUrl: string,
  apiKey: string | undefined,
  prices: { input: number; output: number } | undefined,
  print: (line: string) => void,
): Promise<JsonObject[]> {
  const address = `${baseUrl.replace(/\/+$/, '')}/models`
  try {
    const response = await fetch(address, {
      headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      redirect: 'error',
      signal: AbortSignal.timeout(listTimeoutMs),
    })
    if (!response.ok) throw new Error(`it answered ${response.status}`)
    const models = modelsIn(await response.json(), prices)
    const cost = prices ? `at ${prices.input} and ${prices.output} dollars a million tokens` : 'free of charge'
    print(`OPENAI_BASE_URL: ${models.length} models of ${baseUrl} are offered as ${ownProvider}/…, ${cost}`)
    return models
  } catch (error) {
    print(`OPENAI_BASE_URL: no models of ${address} are offered (${messageOf(error)})`)
    return []
  }
}

function modelsIn(listed: unknown, prices: { input: number; output: number } | undefined): JsonObject[] {
  const data = (listed as { data?: unknown } | null)?.data
  if (!Array.isArray(data)) throw new Error('it answered no list of models')
  const named = data.filter((each) => typeof each?.id === 'string' && /^[\x21-\x7e]{1,200}$/.test(each.id))
  // vLLM reports the context length, LiteLLM also the mode and the maximum output.
  return named.slice(0, maxModels).map(({ id, mode, max_model_len, max_input_tokens, max_output_tokens }) => ({
    id,
    formats: [(mode ? mode === 'embedding' : /embed|^bge-/i.test(id)) ? 'openai-embeddings' : 'openai-chat'],
    ...limit('contextTokens', max_model_len ?? max_input_tokens),
    ...limit('maxOutputTokens', max_output_tokens),
    ...(prices ? { prices } : { free: true }),
  }))
}

const limit = (name: string, tokens: unknown): JsonObject =>
  Number.isInteger(tokens) && Number(tokens) > 0 ? { [name]: Number(tokens) } : {}
