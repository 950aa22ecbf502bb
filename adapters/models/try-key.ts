import { type FormatName, isEmbedding } from '../../domain/models/model.ts'
import { pricedModels } from '../../domain/models/prices.ts'
import { headersOf, isReady, operatorModels, type Upstream, urlOf } from './upstream.ts'

const timeoutMs = 20_000

/** Maximum number of tokens of the answer, so that the call costs almost nothing. */
const tokens = 16

/** @returns the cheapest model and the status (200: the key is valid); null if no model can be called */
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
  // OpenAI's newer models reject `max_tokens`; other providers do not know the new name.
  if (format === 'openai-chat' && provider === 'openai') return { model, messages, max_completion_tokens: tokens }
  return { model, messages, max_tokens: tokens }
}
