import { DomainError } from '../../domain/errors.ts'
import type { ModelCall } from '../../domain/models/dialect.ts'
import { alikeLimit, pauseMs, RunawayBreaker } from '../../domain/models/runaway.ts'
import type { Turn } from '../../domain/models/trigger.ts'
import type { Ports } from '../../domain/ports.ts'
import { secondMs } from '../../domain/time.ts'

/** What this function has seen of every user. */
const breaker = new RunawayBreaker()

/** Refuses an agent that repeats itself, and tells its user once. @throws rate-limited */
export async function stopRunaway(
  { events }: Pick<Ports, 'events'>,
  userId: string,
  call: ModelCall,
  { trigger, promptId }: Turn,
  nowMs: number,
): Promise<void> {
  const verdict = breaker.judge(userId, call, promptId, nowMs)
  if (verdict === 'go') return
  if (verdict === 'stopping') {
    await events
      .record(userId, 'instance.runaway', { model: call.model, trigger, alikeCalls: alikeLimit })
      .catch(() => {})
  }
  const minutes = pauseMs / secondMs / 60
  throw new DomainError(
    'rate-limited',
    `The agent repeats itself: ${alikeLimit} alike calls without a new message. It goes on when its user writes to it, or in ${minutes} minutes.`,
    { retryAfterSeconds: pauseMs / secondMs },
  )
}
