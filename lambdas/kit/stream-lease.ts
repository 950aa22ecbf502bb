import type { Sessions } from '../../app/ports/account.ts'
import type { Clock } from '../../app/ports/basics.ts'
import type { Leases, Slots } from '../../app/ports/rates.ts'
import type { Tokens } from '../../app/ports/tokens.ts'
import type { UserActor } from '../../domain/actor.ts'
import { tooManyOpen } from '../../domain/errors.ts'
import { recheckMs } from '../../domain/lifetimes.ts'
import { downloadSlots, listenerSlots, streamSlots } from '../../domain/rates/rate-limits.ts'
import { statusOf } from '../../domain/tokens/pat.ts'

interface Lease {
  /** True while the caller's session or token is valid, and the slot is still the stream's. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/** A lease with one of the user's slots for event streams. */
export interface StreamLease extends Lease {
  /** Aborted by `release`. */
  signal: AbortSignal
}

type CallerPorts = { sessions: Sessions; tokens: Tokens; clock: Clock }

/** Renews while the caller's session or token is valid. */
export const callerLease = (actor: UserActor, { sessions, tokens, clock }: CallerPorts): Lease => ({
  async renew() {
    const nowMs = clock.now()
    if (actor.kind === 'session') return sessions.isOpen(actor.sessionId, nowMs)
    const record = await tokens.find(actor.tokenId)
    return record !== null && statusOf(record, nowMs) === 'active'
  },
  release: async () => {},
})

/** Holds one of the slots of a subject. @throws rate-limited when others took all slots a moment ago */
async function leaseSlot(
  { leases, clock }: { leases: Leases; clock: Clock },
  subject: string,
  slots: Slots,
  refusal: string,
): Promise<Lease> {
  const slot = await leases.acquire(subject, slots, clock.now())
  if (!slot.acquired) throw tooManyOpen(slot.retryAfterSeconds, refusal)
  return {
    renew: () => leases.renew(subject, slot.id, slots, clock.now()),
    release: async () => {
      await leases.release(subject, slot.id)
    },
  }
}

/** Renewed while all of them are. */
const allOf = (...parts: readonly Lease[]): Lease => ({
  renew: async () => (await Promise.all(parts.map((part) => part.renew()))).every(Boolean),
  release: async () => {
    await Promise.all(parts.map((part) => part.release()))
  },
})

/** A lease that ends with the caller's session or token. @throws rate-limited when the user has too many downloads */
export const leaseDownload = async (actor: UserActor, deps: CallerPorts & { leases: Leases }): Promise<Lease> =>
  allOf(
    callerLease(actor, deps),
    await leaseSlot(
      deps,
      `downloads#${actor.userId}`,
      downloadSlots,
      `At most ${downloadSlots.max} downloads may run at once.`,
    ),
  )

/**
 * A reader that names itself replaces its former slot, so reloading a page is never refused. A token or session over
 * its limit replaces its own oldest slot. @throws rate-limited when others took all slots a moment ago
 */
export async function leaseStream(
  actor: UserActor,
  deps: CallerPorts & { leases: Leases },
  holder = '',
): Promise<StreamLease> {
  const client = actor.kind === 'session' ? actor.sessionId : actor.tokenId
  const slots = { ...streamSlots, client, holder }
  const refusal = `At most ${streamSlots.max} streams may be open at once.`
  return abortable(allOf(await leaseSlot(deps, `streams#${actor.userId}`, slots, refusal), callerLease(actor, deps)))
}

/** As `leaseStream`, with one of the slots that all listening calls share. @throws rate-limited */
export async function leaseListener(actor: UserActor, deps: CallerPorts & { leases: Leases }): Promise<StreamLease> {
  const own = await leaseStream(actor, deps)
  const slots = { ...listenerSlots, client: actor.userId }
  try {
    return abortable(allOf(own, await leaseSlot(deps, 'listeners', slots, 'Too many clients listen at the moment.')))
  } catch (refusal) {
    await own.release()
    throw refusal
  }
}

function abortable(lease: Lease): StreamLease {
  const released = new AbortController()
  return {
    ...lease,
    signal: released.signal,
    release: async () => {
      released.abort()
      await lease.release()
    },
  }
}

/** Ends, or throws `error`, when the lease cannot be renewed, however long the next part takes. Releases the lease. */
export function untilRevoked<T>(
  source: AsyncIterable<T>,
  lease: Lease,
  { everyMs = recheckMs, error }: { everyMs?: number; error?: Error } = {},
): AsyncIterableIterator<T, undefined> {
  const parts = source[Symbol.asyncIterator]()
  const done = { done: true, value: undefined } as const
  let ended = false
  let revoked = false
  let interrupt = () => {}
  const end = () => {
    if (ended) return
    ended = true
    clearInterval(timer)
    lease.release().catch(() => {}) // A slot that cannot be released lapses.
    parts.return?.().catch(() => {}) // The source ends at its next wait; nobody reads on.
  }
  const timer = setInterval(async () => {
    if (await lease.renew().catch(() => false)) return
    revoked = true
    end()
    interrupt()
  }, everyMs)
  return {
    next: () =>
      new Promise((resolve, reject) => {
        interrupt = () => (revoked && error ? reject(error) : resolve(done))
        if (ended) return interrupt()
        parts.next().then(
          (part) => {
            if (part.done) end()
            resolve(part.done ? done : part)
          },
          (failure) => {
            end()
            reject(failure)
          },
        )
      }),
    return: async () => {
      end()
      interrupt()
      return done
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
