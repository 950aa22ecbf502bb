import { basics } from '../../../adapters/basics.ts'
import { readEnv } from '../../../adapters/env.ts'
import { post } from '../../../adapters/models/post.ts'
import type { Ports } from '../../../adapters/ports.ts'
import type { Basics } from '../../../app/ports/basics.ts'
import type { Models } from '../../../app/ports/models.ts'
import { turnTrigger } from '../../../domain/chat/message.ts'
import { DomainError } from '../../../domain/errors.ts'
import { modelId } from '../../../domain/models/catalogue.ts'
import type { PricedModel } from '../../../domain/models/model.ts'
import { ownPrices, ownPriceVersion } from '../../../domain/models/prices.ts'
import { turnClaims } from '../../../domain/tokens/machine-token.ts'
import { decideHold, decideSettle } from '../../../domain/wallet/holds.ts'
import type { Transaction } from '../../../domain/wallet/ledger.ts'
import { hourOf, unpaidCounted } from '../../../domain/wallet/limits.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { isBalanced } from '../../domain/wallet/balanced.ts'

const unused = () => {
  throw new Error('not part of a model call')
}

interface Books {
  state: WalletState
  lines: Transaction[]
  /** Store requests, in order. */
  calls: string[]
  failures: number
}

/** One user's wallet in memory: the domain's own moves, one after another. */
export function memoryWallets(available: number): { wallets: Ports['wallets']; books: Books } {
  const books: Books = {
    state: { ...newWallet('usr_1'), available, total: available, generation: 1 },
    lines: [],
    calls: [],
    failures: 0,
  }
  const wallets: Pick<Ports['wallets'], 'read' | 'hold' | 'settle'> = {
    read: async () => books.state,
    hold: async (_userId, callId, ask, nowMs) => {
      books.calls.push('hold')
      if (books.state.generation !== ask.generation) return { held: false, because: 'unknown', counts: {} }
      const micros = decideHold(books.state, ask, nowMs)
      books.state.holds[callId] = { micros, expiresMs: nowMs + 1, trigger: ask.trigger ?? 'chat' }
      books.state.available -= micros
      check(books)
      return { held: true, micros, total: books.state.total, counts: {} }
    },
    settle: async (_userId, callId, costMicros, line) => {
      books.calls.push('settle')
      if (books.failures-- > 0) throw new DomainError('internal', 'the store is down')
      if (!books.state.holds[callId]) return null
      const move = decideSettle(books.state, callId, costMicros)
      delete books.state.holds[callId]
      books.state = { ...books.state, available: move.available, total: move.total }
      check(books)
      if (line.failure)
        books.state.unpaid = { ...books.state.unpaid, [hourOf(0)]: unpaidCounted(line.failure.unpaidMicros) }
      if (move.costMicros === 0 && !line.failure) return null
      const written: Transaction = {
        ...line,
        id: `txn_${books.lines.length}`,
        type: 'usage',
        amountMicros: move.costMicros === 0 ? 0 : -move.costMicros,
        balanceMicros: move.total,
      }
      books.lines.push(written)
      return written
    },
  }
  return { wallets: wallets as Ports['wallets'], books } // safe because a model call only holds and settles
}

function check({ state }: Books): void {
  if (!isBalanced(state)) throw new Error(`the books do not balance: ${JSON.stringify(state)}`)
}

export const echo: PricedModel = {
  id: modelId({ provider: 'local', upstreamModel: 'echo' }),
  provider: 'local',
  upstreamModel: 'echo',
  formats: ['openai-chat'],
  contextTokens: 128_000,
  maxOutputTokens: 8_192,
  imageTokens: 100,
  prices: ownPrices['local/echo'] ?? unused(),
  priceVersion: ownPriceVersion,
  markup: 0,
}

/** The models port over one upstream, with the adapter's own HTTP client. */
export const modelsOver = (url: string, list: PricedModel[] = [echo]): Models => ({
  list: async () => list,
  find: async (id) => list.find((model) => model.id === id) ?? null,
  defaultModel: async () => list[0] ?? unused(),
  pseudonym: async () => 'someone',
  call: (model, { format, body, headers, query }, signal) =>
    post(new URL(`${url}/${format}${query}`), { ...headers, 'x-model': model.id }, body, signal).catch(() => {
      throw new DomainError('provider-error', 'no connection')
    }),
})

/** The fields that an operator denied. */
export const denying = (...names: string[]): Ports['denials'] => ({
  current: async () => ({ fields: new Set(names), stops: {} }),
  find: unused,
  save: unused,
})

/** No stored bodies. */
export const noBodies: Pick<Ports, 'callBodies' | 'leases'> = {
  callBodies: { putAddress: unused, read: unused, remove: unused },
  leases: { acquire: unused, renew: unused, release: unused, isHeld: unused },
}

/** Turn tokens in plain text: `<user>/<trigger>/<prompt>`. */
export const turnTokens: Ports['machineTokens'] = {
  sign: async ({ userId, trigger, promptId }) => `${userId}/${trigger}/${promptId}`,
  verify: async (token, _audience, now) => {
    const [userId, said, id = ''] = token.split('/')
    const read = turnTrigger.safeParse(said)
    if (!userId || !read.success) return null
    return turnClaims({ userId, instanceId: 'ins_1', generation: 1 }, { trigger: read.data, id }, now)
  },
}

export const testBasics = (): Basics => ({
  ...basics(readEnv({ STAGE: 'local', PUBLIC_ORIGIN: 'http://127.0.0.1', CELL: '00', IMAGE_VERSION: '1' })),
  clock: { now: () => Date.now(), sleep: async () => {} },
})
