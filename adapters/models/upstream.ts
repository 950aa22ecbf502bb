import * as z from 'zod'
import { providers } from '../../domain/models/catalogue.ts'
import { type FormatName, formatNames, isEmbedding, type PricedModel } from '../../domain/models/model.ts'
import { operatorPrices } from '../../domain/models/prices.ts'
import { roleSigner } from '../aws/signer.ts'

/** Dollars per million tokens. A free model must say `free`, because a price of zero counts as unknown. */
const operatorModel = z.strictObject({
  // Sent in a response header.
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  formats: z.array(z.enum(formatNames)).min(1).optional(),
  contextTokens: z.int().min(1).nullish(),
  maxOutputTokens: z.int().min(1).nullish(),
  imageTokens: z.int().min(1).nullish(),
  free: z.boolean().optional(),
  prices: z
    .strictObject({
      input: z.number().min(0),
      // Embeddings have no output.
      output: z.number().min(0).optional(),
      cachedInput: z.number().min(0).optional(),
      cacheWrite: z.number().min(0).optional(),
    })
    .optional(),
})

/** `models` lists models that the price list does not have, such as those of a private server. */
const upstream = z.object({
  kind: z.enum(['openai', 'anthropic', 'bedrock']),
  baseUrl: z.url(),
  apiKey: z.string().default(''),
  models: z.array(operatorModel).optional(),
})
export type Upstream = z.infer<typeof upstream>

/** The secret `providers`: upstreams by the prefix of their models' names. */
export const providersSecret = z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/), upstream)

/** Strict check before the secret is written: an unknown field is probably misspelt, though calls ignore it. */
export const newProvidersSecret = z.record(providersSecret.keyType, upstream.strict())

const providerNames: ReadonlySet<string> = new Set(providers)

/** Bedrock needs no key, because it uses the function's role; neither does a private provider with listed models. */
export const isReady = (name: string, { kind, apiKey, models = [] }: Upstream): boolean =>
  apiKey !== '' || kind === 'bedrock' || (models.length > 0 && !providerNames.has(name))

const kinds = {
  openai: {
    formats: ['openai-chat'],
    paths: {
      'openai-chat': '/chat/completions',
      'openai-responses': '/responses',
      'anthropic-messages': '/messages',
      'openai-embeddings': '/embeddings',
    },
  },
  anthropic: {
    formats: ['openai-chat', 'anthropic-messages'],
    paths: {
      'openai-chat': '/v1/chat/completions',
      'openai-responses': '/v1/responses',
      'anthropic-messages': '/v1/messages',
      'openai-embeddings': '/v1/embeddings',
    },
  },
  bedrock: {
    formats: ['openai-chat'],
    paths: {
      'openai-chat': '/openai/v1/chat/completions',
      'openai-responses': '/openai/v1/responses',
      'anthropic-messages': '/anthropic/v1/messages',
      'openai-embeddings': '/openai/v1/embeddings',
    },
  },
} as const satisfies Record<Upstream['kind'], { formats: readonly FormatName[]; paths: Record<FormatName, string> }>

/** Base URLs of the kind `openai` end with the version; others may. */
export function urlOf({ kind, baseUrl }: Upstream, format: FormatName, query = ''): URL {
  const base = baseUrl.replace(/\/+$/, '')
  return new URL((kind === 'openai' ? base : base.replace(/\/v1$/, '')) + kinds[kind].paths[format] + query)
}

const anthropicVersion = '2023-06-01'

export async function headersOf(
  { kind, apiKey }: Upstream,
  format: FormatName,
  url: URL,
  given: Readonly<Record<string, string>>,
  body: string,
): Promise<Record<string, string>> {
  const headers = {
    ...given,
    ...(format === 'anthropic-messages' && { 'anthropic-version': anthropicVersion }),
    'content-type': 'application/json',
  }
  if (kind === 'bedrock' && apiKey === '') {
    const region = /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(url.host)?.[1] ?? 'us-east-1'
    const { protocol, hostname, host, pathname: path } = url
    const query = Object.fromEntries(url.searchParams)
    const request = { method: 'POST', protocol, hostname, path, query, headers: { ...headers, host }, body }
    return (await roleSigner('bedrock', region).sign(request)).headers
  }
  if (apiKey === '') return headers
  if (kind !== 'bedrock' && format === 'anthropic-messages') return { ...headers, 'x-api-key': apiKey }
  return { ...headers, authorization: `Bearer ${apiKey}` }
}

export function operatorModels(name: string, { kind, models = [] }: Upstream): PricedModel[] {
  return models.flatMap(({ id, prices, free, formats = kinds[kind].formats, ...limits }) => {
    const embeds = isEmbedding({ formats: [...formats] })
    const priced = operatorPrices(prices ?? null, free === true, providerNames.has(name), embeds)
    if (!priced) return []
    const { contextTokens = null, maxOutputTokens = embeds ? 0 : null, imageTokens = null } = limits
    const shape = { formats: [...formats], contextTokens, maxOutputTokens, imageTokens }
    return [{ id: `${name}/${id}`, provider: name, upstreamModel: id, ...shape, ...priced }]
  })
}
