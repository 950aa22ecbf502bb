import { type FormatName, isEmbedding } from '../../domain/models/model.ts'
import { pricedModels } from '../../domain/models/prices.ts'
import { headersOf, isReady, operatorModels, type Upstream, urlOf } from './upstream.ts'

const timeoutMs = 20_000

/** How long a call to each provider may be, so that it costs about nothing. */
const tokens = 16

/**
 * Calls a provider's cheapest model with one word.
 * @returns the model, and the status of the answer: 200 when the key is good; null when nothing can be called there
 */
export async function tryKey(name: string, upstream: Upstream): Promise<{ model: string; status: number } | null> {
  const known = [...operatorModels(name, upstream), ...pricedModels.filter(({ provider }) => provider === name)]
  const [cheapest] = known
    .filter((model) => !isEmbedding(model))
    .sort((a, b) => a.prices.input + a.prices.output - b.prices.input - b.prices.output)
  if (!cheapest || !isReady(name, upstream)) return null
  const format: FormatName =
    cheapest.formats.find((each) => each === 'anthropic-messages') ?? cheapest.formats[0] ?? 'openai-chat'
  const model = cheapest.upstreamModel
  const body = JSON.stringify(bodyOf(format, name, model))
  const url = urlOf(upstream, format)
  const headers = await headersOf(upstream, format, url, {}, body)
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
  await answer.body?.cancel()
  return { model: cheapest.id, status: answer.status }
}

function bodyOf(format: FormatName, provider: string, model: string): object {
  const messages = [{ role: 'user', content: 'Hi' }]
  if (format === 'openai-responses') return { model, input: 'Hi', max_output_tokens: tokens }
  // OpenAI's newer models refuse the older name, and others know no other.
  if (format === 'openai-chat' && provider === 'openai') return { model, messages, max_completion_tokens: tokens }
  return { model, messages, max_tokens: tokens }
}
