import { createHmac } from 'node:crypto'
import * as z from 'zod'
import { DomainError, providerError } from '../../domain/errors.ts'
import { providers } from '../../domain/models/catalogue.ts'
import type { Format, PricedModel } from '../../domain/models/model.ts'
import type { Models } from '../../domain/models/ports.ts'
import { pricedModels } from '../../domain/models/pricing.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'

const provider = z.object({ kind: z.enum(['openai', 'anthropic']), baseUrl: z.url(), apiKey: z.string() })
type Provider = z.infer<typeof provider>

/** The `providers` secret: how each provider is reached, by its name in the catalogue. */
export const providersSecret = z.record(z.string(), provider)

const anthropicVersion = '2023-06-01'

/** Model providers over HTTP, priced by the price list that ships with this version. */
export const models = (env: Env): Models => {
  const setUp = secretReader(env.secret('providers'), providersSecret)

  const list = async () => {
    const ready = await setUp()
    return pricedModels.filter((one) => ready[one.provider]?.apiKey)
  }

  const providerOf = async (model: PricedModel): Promise<Provider> => {
    const found = (await setUp())[model.provider]
    if (!found) throw providerError('This model is not set up here. Choose another one from /models.')
    return found
  }

  return {
    list,
    find: async (id) => {
      const ready = await list()
      return ready.find((one) => one.id === id) ?? ready.find((one) => one.upstreamModel === id) ?? null
    },
    defaultModel: async () => {
      const ready = await list()
      const byPreference = providers.flatMap((name) => ready.filter((one) => one.provider === name))
      const [first] = byPreference
      if (!first) throw providerError('No model provider is set up. Put a key into the providers secret.')
      return first
    },
    pseudonym: async (model, userId) =>
      createHmac('sha256', (await providerOf(model)).apiKey)
        .update(userId)
        .digest('base64url'),
    call: async (model, format, body, headers, signal) => {
      const { kind, baseUrl, apiKey } = await providerOf(model)
      const key: Record<string, string> =
        format === 'anthropic-messages'
          ? { 'x-api-key': apiKey, 'anthropic-version': anthropicVersion }
          : { authorization: `Bearer ${apiKey}` }
      return fetch(addressOf(kind, baseUrl, format), {
        method: 'POST',
        body,
        headers: { ...headers, ...key, 'content-type': 'application/json', 'accept-encoding': 'identity' },
        // a redirect would carry our key and the user's text to an address nobody chose
        redirect: 'manual',
        signal,
      }).catch(() => {
        throw new DomainError('provider-error', providerError().message, { details: { upstream: ['no connection'] } })
      })
    },
  }
}

const paths = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'anthropic-messages': '/messages',
} as const satisfies Record<Format, string>

/** Base URLs of the openai kind end in their version; those of the anthropic kind may or may not. */
function addressOf(kind: Provider['kind'], baseUrl: string, format: Format): string {
  const base = baseUrl.replace(/\/+$/, '')
  return (kind === 'anthropic' ? `${base.replace(/\/v1$/, '')}/v1` : base) + paths[format]
}
