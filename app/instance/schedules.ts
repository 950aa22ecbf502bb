import { mainConversation } from '../../domain/chat/names.ts'
import { ulid } from '../../domain/ids.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../../domain/instance/instance.ts'
import { monthOf, type RunOutcome, type Schedule, type ShownSchedule } from '../../domain/instance/schedules.ts'
import { refusalToSpend } from '../../domain/instance/status.ts'
import { iso } from '../../domain/time.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import { receivePrompt } from '../chat/receive-message.ts'
import type { FollowUp } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import { nextRun, parseCron } from './cron.ts'
import { wakes } from './wake.ts'

type TimerPorts = Pick<Ports, 'schedules' | 'timers'>

/** Brings the timer of a schedule to what the schedule says, or takes it away with the schedule. */
export async function syncTimer({ schedules, timers }: TimerPorts, userId: string, id: string): Promise<void> {
  const schedule = await schedules.find(userId, id)
  await (schedule ? timers.set(userId, schedule) : timers.remove(id))
}

export const setTimer = (deps: TimerPorts, userId: string, scheduleId: string): FollowUp => ({
  intent: { kind: 'timer', scheduleId },
  run: () => syncTimer(deps, userId, scheduleId),
})

type RunPorts = Pick<
  Ports,
  'instances' | 'conversations' | 'schedules' | 'wallets' | 'events' | 'bus' | 'outbox' | 'timers'
> &
  Pick<Basics, 'ids' | 'clock'>

/** A schedule as its owner sees it, with its next time. */
export function showSchedule(schedule: Schedule, nowMs: number): ShownSchedule {
  const nextMs = nextRun(schedule.cron, schedule.timeZone, nowMs)
  const month = monthOf(parseCron(schedule.cron))
  return { ...schedule, nextRunAt: nextMs === null ? null : iso(nextMs), month }
}

/** A time of a user's schedule that has come; it may come twice. */
export interface DueTime {
  userId: string
  scheduleId: string
  /** ISO 8601 UTC. */
  dueAt: string
}

/** Whether the prompt is sent, or why not. */
export function outcomeOf(instance: InstanceRecord | null, money: WalletState): RunOutcome {
  if (!instance || instance.state === 'failed' || isEnding(instance)) return 'no-instance'
  if (refusalToSpend(money)) return 'wallet-empty'
  return isAsleep(instance) && !wakes(instance, 'schedule') ? 'paused' : 'sent'
}

/** Sends the agent what a schedule asks of it, once for each of its times, and notes what became of it. */
export async function runSchedule(
  deps: RunPorts,
  { userId, scheduleId, dueAt }: DueTime,
  nowMs: number,
): Promise<void> {
  const [schedule, instance, money] = await Promise.all([
    deps.schedules.find(userId, scheduleId),
    deps.instances.find(userId),
    deps.wallets.read(userId),
  ])
  // A timer that outlived its schedule goes when it fires.
  if (!schedule) return deps.timers.remove(scheduleId)
  const outcome = outcomeOf(instance, money)
  if (instance && outcome === 'sent') {
    const id = await messageIdOf(scheduleId, dueAt)
    const message = {
      id,
      role: 'user',
      text: schedule.text,
      conversation: mainConversation,
      channel: 'web',
      at: iso(nowMs),
    } as const
    await receivePrompt(deps, instance, message, 'schedule', null)
  }
  await deps.schedules.recordRun(userId, scheduleId, { at: dueAt, outcome })
}

/** The same message for the same time, so that an event that comes twice sends one. */
async function messageIdOf(scheduleId: string, dueAt: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${scheduleId} ${dueAt}`))
  return `msg_${ulid(Date.parse(dueAt), new Uint8Array(digest))}`
}
