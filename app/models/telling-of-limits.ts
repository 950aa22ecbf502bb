import { Throttle } from '../../domain/models/throttle.ts'
import { minuteMs } from '../../domain/time.ts'
import { LimitReached } from '../../domain/wallet/limits.ts'
import type { Events } from '../ports/chat.ts'
import type { Wallets } from '../ports/wallet.ts'

export type TellingPorts = { wallets: Wallets; events: Events }

/** While a limit refuses calls, each process checks at this interval whether its owner was notified. */
const checks = new Throttle(minuteMs)

/** Rethrows a refusal; a limit's first refusal in its period is an event. A failing store changes nothing. */
export const tellingOfLimits =
  ({ wallets, events }: TellingPorts, userId: string, nowMs: number) =>
  async (refusal: unknown): Promise<never> => {
    if (!(refusal instanceof LimitReached)) throw refusal
    const { limit } = refusal
    const { token, ...reached } = limit
    if (checks.due(`${userId} ${token?.id} ${limit.of} ${limit.period} ${limit.capMicros}`, nowMs)) {
      const data = { ...reached, ...(token && { tokenId: token.id, name: token.name }) }
      const event = events.entry(userId, 'wallet.limit_reached', data)
      await wallets.noteReached(userId, limit, nowMs, event).catch(() => {})
    }
    throw refusal
  }
