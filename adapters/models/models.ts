import { createHmac } from 'node:crypto'
import type { Models } from '../../app/ports/models.ts'
import { DomainError, providerError } from '../../domain/errors.ts'
import { meaningsOf, providers } from '../../domain/models/catalogue.ts'
import { isEmbedding, type PricedModel } from '../../domain/models/model.ts'
import { pricedModels } from '../../domain/models/prices.ts'
import { minuteMs } from '../../domain/time.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'
import { memoize } from '../memoize.ts'
import { post } from './post.ts'
import { headersOf, isReady, operatorModels, providersSecret, type Upstream, urlOf } from './upstream.ts'

/** Minimum interval of re-reading the secret after a refused key, which may have been replaced. */
const refusedMs = minuteMs

/** Model providers over HTTP. Prices are from the bundled list and from the secret. */
export const models = (env: Env): Models => {
  const readUpstreams = secretReader(env.secret('providers'), providersSecret)
  let last: Offer | undefined

  const offer = async (): Promise<Offer> => {
    const upstreams = await readUpstreams()
    if (last?.upstreams !== upstreams) last = offerOf(upstreams)
    return last
  }
  const list = async () => (await offer()).models

  const upstreamOf = async (model: PricedModel, maxAgeMs?: number): Promise<Upstream> => {
    const found = (await readUpstreams(maxAgeMs))[model.provider]
    if (!found) throw providerError('This model is not set up here. Choose another one from /models.')
    return found
  }

  return {
    list,
    find: async (name) => {
      const { byName } = await offer()
      for (const meaning of meaningsOf(name)) {
        const model = byName.get(meaning)
        if (model) return model
      }
      return null
    },
    defaultModel: async () => {
      const ready = (await list()).filter((model) => !isEmbedding(model))
      const vendors = providers.filter((name) => name !== 'local')
      const byPreference = vendors.flatMap((name) => ready.filter(({ provider }) => provider === name))
      const first = byPreference[0] ?? ready.find(({ provider }) => provider !== 'local') ?? ready[0]
      if (!first) throw providerError('No model provider is set up. Put a key into the providers secret.')
      return first
    },
    pseudonym: async (model, userId) => {
      const upstream = await upstreamOf(model)
      return pseudonyms(upstream, userId, () => pseudonymOf(userId, upstream))
    },
    call: async (model, { format, body, headers, query }, signal) => {
      const attempt = async (upstream: Upstream) => {
        const url =
          query === '' ? urls(upstream, format, () => urlOf(upstream, format)) : urlOf(upstream, format, query)
        const given = { ...headers, 'accept-encoding': 'identity' }
        return post(url, await headersOf(upstream, format, url, given, body), body, signal).catch(() => {
          throw new DomainError('provider-error', providerError().message, { details: { upstream: ['no connection'] } })
        })
      }
      const upstream = await upstreamOf(model)
      const response = await attempt(upstream)
      if (response.status !== 401) return response
      const reread = await upstreamOf(model, refusedMs)
      if (reread.apiKey === upstream.apiKey) return response
      response.cancel()
      return attempt(reread)
    },
  }
}

const urls = memoize<Upstream, URL>()

/** An upstream's pseudonyms of users; they depend on its key. */
const pseudonyms = memoize<Upstream, string>()

const pseudonymOf = (userId: string, { apiKey, baseUrl }: Upstream): string =>
  createHmac('sha256', apiKey || baseUrl)
    .update(userId)
    .digest('base64url')

/** A name is a model id, or the provider's own name of the first model that has it. */
interface Offer {
  upstreams: Record<string, Upstream>
  models: PricedModel[]
  byName: ReadonlyMap<string, PricedModel>
}

function offerOf(upstreams: Record<string, Upstream>): Offer {
  const models = readyOf(upstreams)
  const byName = new Map<string, PricedModel>()
  for (const name of ['id', 'upstreamModel'] as const) {
    for (const model of models) if (!byName.has(model[name])) byName.set(model[name], model)
  }
  return { upstreams, models, byName }
}

function readyOf(upstreams: Record<string, Upstream>): PricedModel[] {
  const ready = Object.entries(upstreams).filter(([name, upstream]) => isReady(name, upstream))
  const names = new Set(ready.map(([name]) => name))
  const own = ready.flatMap(([name, upstream]) => operatorModels(name, upstream))
  const ids = new Set(own.map(({ id }) => id))
  return [...pricedModels.filter(({ provider, id }) => names.has(provider) && !ids.has(id)), ...own]
}
