import { applyPaymentEvent } from '../../../app/billing/apply-event.ts'
import type { Payments } from '../../../app/ports/billing.ts'
import { newCheckout } from '../../../domain/billing/checkout.ts'
import type { PaymentEvent, ProviderSubscription } from '../../../domain/billing/payment-event.ts'
import { intercept } from '../../adapters/engine.ts'
import { isBalanced } from '../../domain/wallet/balanced.ts'
import { openWorld, startMs as start } from '../../world.ts'

/** A provider that knows subscriptions and records every request it gets. */
interface Provider {
  subscriptions: Map<string, ProviderSubscription>
  asked: string[]
}

/** The billing use cases over the real stores, with a provider, an event bus and a mailbox that only record. */
export async function openBilling() {
  const provider: Provider = { subscriptions: new Map(), asked: [] }
  const mails: { to: string; subject: string }[] = []
  let deliveries = 0
  const note = async (what: string) => void provider.asked.push(what)
  const payments: Partial<Payments> = {
    customer: async ({ id }) => `cus_${id}`,
    subscription: async (id) => provider.subscriptions.get(id) ?? null,
    undoSubscription: (id) => note(`undo ${id}`),
    cancelSubscription: (id) => note(`cancel ${id}`),
    endSubscription: (id) => note(`end ${id}`),
    refund: (id) => note(`refund ${id}`),
  }
  const { ports, nextId, newUserId, close } = await openWorld({
    ports: ['checkouts', 'conversations', 'events', 'gracePeriods', 'suspensions'],
    replace: () => ({
      // safe because a test that needs another method of the provider adds it here
      payments: payments as Payments,
      bus: { publish: async () => {} },
      mail: { send: async (mail) => void mails.push(mail) },
    }),
  })

  return {
    deps: ports,
    provider,
    payments,
    mails,
    nextId,
    async user(ageMs = 0) {
      const id = newUserId()
      await ports.users.findOrCreate(`${id.toLowerCase()}@example.com`, id, start - ageMs)
      return id
    },
    /** Every delivery has its own millisecond. */
    apply: (event: PaymentEvent, nowMs = start + ++deliveries) => applyPaymentEvent(ports, event, nowMs),
    /** An open checkout page of the user, paid by `session`. */
    async topUp(userId: string, cents: number) {
      const id = nextId('chk')
      await ports.checkouts.create(newCheckout(id, { userId, kind: 'topup', amountMicros: cents * 10_000 }, start))
      await ports.checkouts.setSession(userId, id, `cs_${id}`)
      return id
    },
    /** The wallet and its ledger, after checking that the books balance. */
    async books(userId: string) {
      const wallet = await ports.wallets.read(userId)
      const { items } = await ports.wallets.transactions(userId, { after: null, limit: 1000 })
      expect(isBalanced(wallet)).toBe(true)
      expect(items.reduce((sum, { amountMicros }) => sum + amountMicros, 0)).toBe(wallet.total)
      return { wallet, lines: items.map(({ type, amountMicros }) => `${type} ${amountMicros / 10_000}`).sort() }
    },
    close,
  }
}

export type Billing = Awaited<ReturnType<typeof openBilling>>

/** All permutations of a list. */
export function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((first, index) => orders(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}

const writes = new Set(['PutItemCommand', 'UpdateItemCommand', 'TransactWriteItemsCommand'])

/**
 * Fails the n-th write from now (0: the next), right before or right after it reaches the store, as if the process
 * died: nothing retries. The returned function removes the fault and says whether the write happened.
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
