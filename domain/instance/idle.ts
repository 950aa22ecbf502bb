import { planById } from '../billing/plans.ts'
import { iso, minuteMs, secondMs } from '../time.ts'
import type { InstanceRecord } from './instance.ts'

/** When a quiet machine is asked to sleep, and when it is stopped whatever it says, ms without activity. */
export interface IdleLimits {
  idleMs: number
  ceilingMs: number
}

/** How long a machine stays awake after what nobody waits for, such as the turn of a schedule, ms. */
export const unattendedIdleMs = 2 * minuteMs

export function idleLimits(plan: string): IdleLimits {
  const { minutes, ceilingMinutes } = planById(plan).idle
  return { idleMs: minutes * minuteMs, ceilingMs: ceilingMinutes * minuteMs }
}

/** How long a machine may take to answer whether it is ready to sleep; without an answer it stays awake, ms. */
export const answerMs = 3 * minuteMs

/** How often the answer is read, ms: the sweep's own pace. */
export const checkIntervalMs = minuteMs

/** A machine that is busy is asked again after what it says, within these bounds, ms. */
const retryBoundsMs = [minuteMs, 15 * minuteMs] as const

/** Clocks of two functions differ by no more than this, ms. */
const skewMs = 5 * secondMs
/** The answer to the question, or none yet. Anything but an answer counts as doubt. */
export type DrainAnswer = 'none' | 'ready' | { busyForSeconds: number }

/** The last moment at which the control plane saw something happen, ms since 1970. */
export const quietSince = ({ lastActivityAt, startedAt, createdAt }: InstanceRecord): number =>
  Math.max(...[lastActivityAt, startedAt, createdAt].map((at) => (at === null ? 0 : Date.parse(at))))

/** How long the start of a machine keeps it awake: of one that a schedule woke, nobody is there, ms. */
export const idleAfterStartMs = ({ plan, wokenBy }: Pick<InstanceRecord, 'plan' | 'wokenBy'>): number =>
  wokenBy === 'schedule' ? unattendedIdleMs : idleLimits(plan).idleMs

/**
 * From when on a machine is asked to sleep if nothing happens: long after a person was there, soon after all else, ms
 * since 1970.
 */
export function idleFrom(record: InstanceRecord): number {
  const { lastActivityAt, attendedAt, startedAt, createdAt, plan } = record
  const after = (at: string | null, ms: number) => (at === null ? 0 : Date.parse(at) + ms)
  const { idleMs } = idleLimits(plan)
  return Math.max(
    after(attendedAt ?? createdAt, idleMs),
    after(lastActivityAt, unattendedIdleMs),
    after(startedAt, idleAfterStartMs(record)),
  )
}

/** When a running machine will be asked to sleep if nothing happens; null for any other. */
export const idleStopAt = (record: InstanceRecord): string | null =>
  record.state === 'running' ? iso(idleFrom(record)) : null

/** `wait` is to check again at `untilMs`; `ask` is to ask the machine; `stop` is to let it sleep. */
export type IdleDecision =
  | { do: 'wait'; untilMs: number }
  | { do: 'ask' }
  | { do: 'stop'; because: 'ready' | 'ceiling' }

/**
 * Whether a running machine sleeps now. Time only proposes, the machine's answer decides, and doubt keeps it awake;
 * past its plan's ceiling it is stopped all the same.
 * @param open whether a prompt waits for the machine or is in its hands
 */
export function decideIdle(record: InstanceRecord, open: boolean, answer: DrainAnswer, nowMs: number): IdleDecision {
  const { idleMs, ceilingMs } = idleLimits(record.plan)
  const quiet = quietSince(record)
  const wait = (untilMs: number): IdleDecision => ({ do: 'wait', untilMs: Math.min(untilMs, quiet + ceilingMs) })
  const idleFromMs = idleFrom(record)
  if (nowMs < idleFromMs) return wait(idleFromMs)
  if (nowMs >= quiet + ceilingMs) return { do: 'stop', because: 'ceiling' }
  if (open) return wait(nowMs + answerMs)
  const { drain } = record
  if (!drain || drain.askedMs < quiet) return { do: 'ask' }
  // An answer given long ago, when nobody came to read it, says nothing of now.
  if (answer === 'ready') return nowMs < drain.askedMs + 2 * answerMs ? { do: 'stop', because: 'ready' } : { do: 'ask' }
  const patience = answer === 'none' ? answerMs : retryMs(answer.busyForSeconds)
  if (nowMs < drain.askedMs + patience)
    return wait(answer === 'none' ? nowMs + checkIntervalMs : drain.askedMs + patience)
  // A machine that does not answer stays awake for a while.
  return answer === 'none' && nowMs < drain.askedMs + idleMs ? wait(drain.askedMs + idleMs) : { do: 'ask' }
}

const retryMs = (seconds: number): number => Math.min(Math.max(seconds * secondMs, retryBoundsMs[0]), retryBoundsMs[1])

/** From when on a prompt may have come in without waking the machine, ms since 1970. */
export const mayBeMissedSince = ({ drain }: Pick<InstanceRecord, 'drain'>): number => (drain?.askedMs ?? 0) - skewMs
