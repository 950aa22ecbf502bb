import { mainConversation } from '../../domain/chat/names.ts'
import { ulid } from '../../domain/ids.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../../domain/instance/instance.ts'
import {
  checkInterval,
  cronAt,
  isOver,
  minuteOf,
  monthOf,
  type RunOutcome,
  type Schedule,
  type ScheduleAsked,
  type ScheduledBy,
  type ShownSchedule,
} from '../../domain/instance/schedules.ts'
import { refusalToSpend } from '../../domain/instance/status.ts'
import { iso } from '../../domain/time.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import { receivePrompt } from '../chat/receive-message.ts'
import type { FollowUp } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import { checkTimeZone, nextRun, parseCron } from './cron.ts'
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
  const { cron, timeZone, at, lastRun } = schedule
  const onceMs = at !== null && !lastRun && Date.parse(at) > nowMs ? Date.parse(at) : null
  const nextMs = at === null ? nextRun(cron, timeZone, nowMs) : onceMs
  const month = monthOf(parseCron(cron))
  return { ...schedule, nextRunAt: nextMs === null ? null : iso(nextMs), month }
}

/** The schedule that is asked for. @throws validation that names what is wrong with it */
export function newSchedule(
  { cron, at, timeZone, text }: ScheduleAsked,
  { id, by, plan }: { id: string; by: ScheduledBy; plan: string },
  nowMs: number,
): Schedule {
  const made = { id, by, text, createdAt: iso(nowMs), lastRun: null }
  if (at !== undefined) {
    const ms = minuteOf(at, nowMs)
    return { ...made, at: iso(ms), cron: cronAt(ms), timeZone: 'UTC' }
  }
  const line = cron ?? ''
  checkInterval(parseCron(line), plan)
  checkTimeZone(timeZone)
  return { ...made, at: null, cron: line, timeZone }
}

/** Takes away what came once and has nothing left to say, so that there is room for more. */
export async function removeOver(
  { schedules }: Pick<Ports, 'schedules'>,
  userId: string,
  plan: string,
  nowMs: number,
): Promise<void> {
  const over = (await schedules.list(userId)).filter((schedule) => isOver(schedule, plan, nowMs))
  await Promise.all(over.map((schedule) => schedules.remove(userId, schedule)))
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
  // What comes once is set again when nobody knows whether it was set.
  const at = schedule.at ?? dueAt
  const outcome = outcomeOf(instance, money)
  if (instance && outcome === 'sent') {
    const id = await messageIdOf(scheduleId, at)
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
  await deps.schedules.recordRun(userId, scheduleId, { at, outcome })
}

/** The same message for the same time, so that an event that comes twice sends one. */
async function messageIdOf(scheduleId: string, at: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${scheduleId} ${at}`))
  return `msg_${ulid(Date.parse(at), new Uint8Array(digest))}`
}
