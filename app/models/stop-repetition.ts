import { DomainError } from '../../domain/errors.ts'
import { fingerprintOf } from '../../domain/fingerprint.ts'
import type { ModelCall } from '../../domain/models/api-format.ts'
import { alikeLimit } from '../../domain/models/call-limits.ts'
import { endOf, RepetitionBreaker } from '../../domain/models/repetition.ts'
import type { Turn } from '../../domain/models/trigger.ts'
import { secondMs } from '../../domain/time.ts'
import { walletEmpty } from '../../domain/wallet/payment-required.ts'
import type { Events } from '../ports/chat.ts'
import type { Wallets } from '../ports/wallet.ts'

/** This process's observations of every user. */
const breaker = new RepetitionBreaker()

/**
 * Refuses an agent that repeats itself, after `admit` and a check for money, and notifies its user once. Returns a
 * function that counts the call, to be called once its money is held.
 * @throws repeated-calls, wallet-empty, and what `admit` throws
 */
export async function stopRepetition(
  { events, wallets }: { events: Events; wallets: Wallets },
  userId: string,
  call: ModelCall,
  turn: Turn,
  nowMs: number,
  admit: () => Promise<void>,
): Promise<() => void> {
  const { trigger } = turn
  const promptId = trigger === 'chat' ? turn.promptId : null
  const kind = fingerprintOf(endOf(call))
  const repetition = breaker.check(userId, kind, promptId, nowMs)
  if (!repetition) return () => breaker.count(userId, kind, promptId, nowMs)
  await admit()
  const { available, holds } = await wallets.read(userId)
  if (available === 0 && Object.keys(holds).length === 0) throw walletEmpty()
  if (repetition.begins) {
    breaker.pause(userId, repetition.untilMs)
    const runaway = { model: call.model, trigger, alikeCalls: alikeLimit }
    await events.record(userId, 'instance.runaway', runaway).catch(() => {})
  }
  const retryAfterSeconds = Math.ceil((repetition.untilMs - nowMs) / secondMs)
  const message = `The agent repeats itself: ${alikeLimit} alike calls without a new message. It goes on when its user writes to it, or in ${retryAfterSeconds} seconds.`
  throw new DomainError('repeated-calls', message, { retryAfterSeconds })
}
