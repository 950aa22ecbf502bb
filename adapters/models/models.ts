import { createHmac } from 'node:crypto'
import { DomainError, providerError } from '../../domain/errors.ts'
import { aliases, providers } from '../../domain/models/catalogue.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import type { Models } from '../../domain/models/ports.ts'
import { pricedModels } from '../../domain/models/pricing.ts'
import { minuteMs } from '../../domain/time.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'
import { memory } from '../memory.ts'
import { post } from './post.ts'
import { addressOf, authorised, isReady, ownModels, providersSecret, type Upstream } from './upstream.ts'

/** A refused key may have been replaced by now: the secret is read again, this often at most. */
const refusedMs = minuteMs

/** Model providers over HTTP, priced by the list that ships with this version and by what the secret says itself. */
export const models = (env: Env): Models => {
  const setUp = secretReader(env.secret('providers'), providersSecret)
  let offered: Offered | undefined

  const offeredBy = (from: Record<string, Upstream>): Offered => {
    if (offered?.from !== from) offered = offer(from)
    return offered
  }
  const list = async () => offeredBy(await setUp()).models

  const upstreamOf = async (model: PricedModel, maxAgeMs?: number): Promise<Upstream> => {
    const found = (await setUp(maxAgeMs))[model.provider]
    if (!found) throw providerError('This model is not set up here. Choose another one from /models.')
    return found
  }

  const find = async (asked: string): Promise<PricedModel | null> => {
    const id = Object.hasOwn(aliases, asked) ? (aliases[asked] ?? asked) : asked
    return offeredBy(await setUp()).byName.get(id) ?? null
  }

  return {
    list,
    find,
    defaultModel: async () => {
      const ready = await list()
      const byPreference = providers.flatMap((name) => ready.filter((one) => one.provider === name))
      const first = byPreference[0] ?? ready[0]
      if (!first) throw providerError('No model provider is set up. Put a key into the providers secret.')
      return first
    },
    pseudonym: async (model, userId) => {
      const upstream = await upstreamOf(model)
      return pseudonyms(upstream, userId, () => pseudonymOf(userId, upstream))
    },
    call: async (model, format, body, headers, signal) => {
      const attempt = async (upstream: Upstream) => {
        const url = addressOf(upstream, format)
        const given = { ...headers, 'accept-encoding': 'identity' }
        return post(url, await authorised(upstream, format, url, given, body), body, signal).catch(() => {
          throw new DomainError('provider-error', providerError().message, { details: { upstream: ['no connection'] } })
        })
      }
      const upstream = await upstreamOf(model)
      const answer = await attempt(upstream)
      if (answer.status !== 401) return answer
      const now = await upstreamOf(model, refusedMs)
      if (now.apiKey === upstream.apiKey) return answer
      answer.drop()
      return attempt(now)
    },
  }
}

/** What an upstream calls its users; another key makes other names. */
const pseudonyms = memory<Upstream, string>()

const pseudonymOf = (userId: string, { apiKey, baseUrl }: Upstream): string =>
  createHmac('sha256', apiKey || baseUrl)
    .update(userId)
    .digest('base64url')

/** The models of one reading of the secret. A name is an id, or else what a provider calls the first that has it. */
interface Offered {
  from: Record<string, Upstream>
  models: PricedModel[]
  byName: ReadonlyMap<string, PricedModel>
}

function offer(from: Record<string, Upstream>): Offered {
  const models = readyOf(from)
  const byName = new Map<string, PricedModel>()
  for (const name of ['id', 'upstreamModel'] as const) {
    for (const one of models) if (!byName.has(one[name])) byName.set(one[name], one)
  }
  return { from, models, byName }
}

function readyOf(from: Record<string, Upstream>): PricedModel[] {
  const ready = Object.entries(from).filter(([, upstream]) => isReady(upstream))
  const names = new Set(ready.map(([name]) => name))
  const own = ready.flatMap(([name, upstream]) => ownModels(name, upstream))
  const ids = new Set(own.map(({ id }) => id))
  return [...pricedModels.filter((one) => names.has(one.provider) && !ids.has(one.id)), ...own]
}
