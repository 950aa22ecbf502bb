import { randomBytes } from 'node:crypto'
import { checkouts } from '../../../adapters/dynamo/checkouts.ts'
import { events } from '../../../adapters/dynamo/events.ts'
import { graces } from '../../../adapters/dynamo/graces.ts'
import { instances } from '../../../adapters/dynamo/instances.ts'
import { users } from '../../../adapters/dynamo/users.ts'
import { wallets } from '../../../adapters/dynamo/wallets.ts'
import { applyPaymentEvent, type BillingPorts } from '../../../domain/billing/apply-event.ts'
import type { PaymentEvent, SeenSubscription } from '../../../domain/billing/payment-event.ts'
import type { Payments } from '../../../domain/billing/ports.ts'
import { newTopUp } from '../../../domain/billing/top-up.ts'
import { ulid } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import { balances } from '../../../domain/wallet/wallet.ts'
import { intercept, startEngine } from '../../adapters/engine.ts'

export const start = Date.parse('2026-11-20T12:00:00.000Z')

/** A provider that knows subscriptions and remembers what was asked of it. */
export interface Provider {
  subscriptions: Map<string, SeenSubscription>
  asked: string[]
}

/** What billing does, over the real stores, with a provider, a bus and a mailbox that only remember. */
export async function openWorld() {
  const engine = await startEngine()
  const { env } = engine
  const provider: Provider = { subscriptions: new Map(), asked: [] }
  const mails: { to: string; subject: string }[] = []
  const next = (prefix: string) => `${prefix}_${ulid(start, randomBytes(16))}`
  const note = async (what: string) => void provider.asked.push(what)
  const payments: Partial<Payments> = {
    customer: async ({ id }) => `cus_${id}`,
    subscription: async (id) => provider.subscriptions.get(id) ?? null,
    undoSubscription: (id) => note(`undo ${id}`),
    endSubscription: (id) => note(`end ${id}`),
    refund: (id) => note(`refund ${id}`),
  }
  const stores = {
    checkouts: checkouts(env),
    events: events(env),
    graces: graces(env),
    instances: instances(env),
    users: users(env),
    wallets: wallets(env),
  }
  const basics = {
    clock: { now: () => start, sleep: async () => {} },
    ids: { next, digits: () => '000000' },
    settings: env.settings(),
  }
  const deps: BillingPorts = {
    ...stores,
    ...basics,
    // safe because a test that needs another of the provider's verbs puts it here
    payments: payments as Payments,
    bus: { publish: async () => {} },
    mail: { send: async (mail) => void mails.push(mail) },
  }

  async function user(ageMs = 0) {
    const id = next('usr')
    await stores.users.findOrCreate(`${id.toLowerCase()}@example.com`, id, start - ageMs)
    return id
  }

  return {
    deps,
    provider,
    payments,
    mails,
    next,
    user,
    apply: (event: PaymentEvent, nowMs = start) => applyPaymentEvent(deps, event, nowMs),
    /** An open page of the user's, paid by `session`. */
    async topUp(userId: string, cents: number) {
      const id = next('chk')
      await stores.checkouts.create(newTopUp(id, userId, 'topup', cents * 10_000, start))
      await stores.checkouts.setSession(userId, id, `cs_${id}`)
      return id
    },
    /** The wallet and its ledger, after checking that the books balance. */
    async books(userId: string) {
      const wallet = await stores.wallets.read(userId)
      const { items } = await stores.wallets.transactions(userId, { after: null, limit: 1000 })
      expect(balances(wallet)).toBe(true)
      expect(items.reduce((sum, { amountMicros }) => sum + amountMicros, 0)).toBe(wallet.total)
      return { wallet, lines: items.map(({ type, amountMicros }) => `${type} ${amountMicros / 10_000}`).sort() }
    },
    close: () => engine.stop(),
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
export const at = iso(start)

/** Every order of a list. */
export function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((one, index) => orders(items.toSpliced(index, 1)).map((rest) => [one, ...rest]))
}

const writes = new Set(['PutItemCommand', 'UpdateItemCommand', 'TransactWriteItemsCommand'])

/**
 * Kills whoever makes the n-th write from now (0: the next), right before or right after it reached the store: no
 * retry, as when the process is gone. Calling it off answers whether there was such a write.
 */
export function killAt(nth: number, when: 'before' | 'after'): () => boolean {
  let left = nth
  let met = false
  const off = intercept(async (send, commandName) => {
    if (met || !writes.has(commandName) || left-- > 0) return send()
    met = true
    if (when === 'after') await send()
    throw new Error('killed')
  })
  return () => {
    off()
    return met
  }
}
