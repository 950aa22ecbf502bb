import { type InstanceRecord, isAsleep, isEnding } from '../../domain/instance/instance.ts'
import {
  checkInterval,
  cronAt,
  isOver,
  minuteOf,
  monthOf,
  type RunOutcome,
  type Schedule,
  type ScheduleChange,
  type ScheduledBy,
  type ScheduleInput,
  type ShownSchedule,
  timeThatCame,
  windowMinutesOf,
} from '../../domain/instance/schedules.ts'
import { refusalToSpend } from '../../domain/instance/status.ts'
import { iso, minuteMs } from '../../domain/time.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import type { FollowUp } from '../outbox/outbox.ts'
import type { Schedules, Timers } from '../ports/instance.ts'
import { nextRun, parseCron, requireTimeZone } from './cron.ts'
import { wakes } from './wake.ts'

type TimerPorts = { schedules: Schedules; timers: Timers }

/** Sets or removes the timer of a schedule, and repeats that if the schedule changes meanwhile. */
export async function syncTimer({ schedules, timers }: TimerPorts, userId: string, id: string): Promise<void> {
  let known: string | null = null
  for (;;) {
    const schedule = await schedules.find(userId, id)
    const active = schedule && !schedule.paused ? schedule : null
    const { cron, timeZone, at, exact } = active ?? {}
    const times = JSON.stringify([cron, timeZone, at, exact])
    if (times === known) return
    await (active ? timers.set(userId, active) : timers.remove(id))
    known = times
  }
}

export const setTimer = (deps: TimerPorts, userId: string, scheduleId: string): FollowUp => ({
  intent: { kind: 'timer', scheduleId },
  run: () => syncTimer(deps, userId, scheduleId),
})

export function showSchedule(schedule: Schedule, nowMs: number): ShownSchedule {
  const { cron, timeZone, at, paused, runs } = schedule
  const fields = parseCron(cron)
  const windowMinutes = windowMinutesOf(schedule, fields)
  const lastMs = at === null ? 0 : Date.parse(at) + windowMinutes * minuteMs
  const onceMs = at !== null && !timeThatCame(schedule) && lastMs > nowMs ? Date.parse(at) : null
  const nextMs = at === null ? nextRun(cron, timeZone, nowMs) : onceMs
  const nextRunAt = nextMs === null || paused ? null : iso(nextMs)
  return { ...schedule, lastRun: runs[0] ?? null, nextRunAt, windowMinutes, month: monthOf(fields) }
}

/** @throws validation that names the wrong field */
export function newSchedule(
  { cron, at, timeZone, text, exact }: ScheduleInput,
  { id, by, plan }: { id: string; by: ScheduledBy; plan: string },
  nowMs: number,
): Schedule {
  const made = { id, by, text, exact, createdAt: iso(nowMs), paused: false, runs: [] }
  const zone = requireTimeZone(timeZone)
  return { ...made, ...(at === undefined ? timesOf(cron ?? '', zone, plan) : timeOf(at, nowMs)) }
}

/** @throws validation that names the wrong field */
export function changedSchedule(
  before: Schedule,
  { cron, at, timeZone, text = before.text, paused = before.paused, exact = before.exact }: ScheduleChange,
  plan: string,
  nowMs: number,
): Schedule {
  const changed = { ...before, text, paused, exact }
  const zone = timeZone === undefined ? before.timeZone : requireTimeZone(timeZone)
  if (at !== undefined) return { ...changed, ...timeOf(at, nowMs) }
  if (cron === undefined && (timeZone === undefined || before.at !== null)) return changed
  return { ...changed, ...timesOf(cron ?? before.cron, zone, plan) }
}

function timeOf(at: string, nowMs: number): Pick<Schedule, 'at' | 'cron' | 'timeZone'> {
  const ms = minuteOf(at, nowMs)
  return { at: iso(ms), cron: cronAt(ms), timeZone: 'UTC' }
}

function timesOf(cron: string, timeZone: string, plan: string): Pick<Schedule, 'at' | 'cron' | 'timeZone'> {
  checkInterval(parseCron(cron), plan)
  return { at: null, cron, timeZone }
}

/** Removes past one-time schedules that have nothing left to report, to make room for new ones. @returns the others */
export async function removeOver(
  { schedules }: { schedules: Schedules },
  userId: string,
  plan: string,
  nowMs: number,
): Promise<Schedule[]> {
  const all = await schedules.list(userId)
  const over = all.filter((schedule) => isOver(schedule, plan, nowMs))
  await Promise.all(over.map((schedule) => schedules.remove(userId, schedule)))
  return all.filter((schedule) => !over.includes(schedule))
}

/** `sent` if the prompt may be sent, otherwise the reason. */
export function outcomeOf(instance: InstanceRecord | null, money: WalletState): RunOutcome {
  if (!instance || instance.state === 'failed' || isEnding(instance)) return 'no-instance'
  if (refusalToSpend(money)) return 'wallet-empty'
  return isAsleep(instance) && !wakes(instance, 'schedule') ? 'paused' : 'sent'
}
