import type { Message } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { conflict, DomainError } from '../../domain/errors.ts'
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
  type ScheduleChange,
  type ScheduledBy,
  type ScheduleRun,
  type ShownSchedule,
  timeThatCame,
} from '../../domain/instance/schedules.ts'
import { refusalToSpend } from '../../domain/instance/status.ts'
import { iso } from '../../domain/time.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import { receivePrompt } from '../chat/receive-message.ts'
import type { FollowUp } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import { nextRun, parseCron, requireTimeZone } from './cron.ts'
import { wakes } from './wake.ts'

type TimerPorts = Pick<Ports, 'schedules' | 'timers'>

/** Sets or removes the timer of a schedule, and repeats that if the schedule changes meanwhile. */
export async function syncTimer({ schedules, timers }: TimerPorts, userId: string, id: string): Promise<void> {
  let known: string | null = null
  for (;;) {
    const schedule = await schedules.find(userId, id)
    const wanted = schedule && !schedule.paused ? schedule : null
    const { cron, timeZone, at } = wanted ?? {}
    const seen = JSON.stringify([cron, timeZone, at])
    if (seen === known) return
    await (wanted ? timers.set(userId, wanted) : timers.remove(id))
    known = seen
  }
}

export const setTimer = (deps: TimerPorts, userId: string, scheduleId: string): FollowUp => ({
  intent: { kind: 'timer', scheduleId },
  run: () => syncTimer(deps, userId, scheduleId),
})

type RunPorts = Pick<
  Ports,
  'instances' | 'conversations' | 'schedules' | 'wallets' | 'events' | 'bus' | 'outbox' | 'timers'
> &
  Pick<Basics, 'ids' | 'clock' | 'alarms'>

export function showSchedule(schedule: Schedule, nowMs: number): ShownSchedule {
  const { cron, timeZone, at, paused, runs } = schedule
  const onceMs = at !== null && !timeThatCame(schedule) && Date.parse(at) > nowMs ? Date.parse(at) : null
  const nextMs = at === null ? nextRun(cron, timeZone, nowMs) : onceMs
  const month = monthOf(parseCron(cron))
  return { ...schedule, lastRun: runs[0] ?? null, nextRunAt: nextMs === null || paused ? null : iso(nextMs), month }
}

/** @throws validation that names the wrong field */
export function newSchedule(
  { cron, at, timeZone, text }: ScheduleAsked,
  { id, by, plan }: { id: string; by: ScheduledBy; plan: string },
  nowMs: number,
): Schedule {
  const made = { id, by, text, createdAt: iso(nowMs), paused: false, runs: [] }
  const zone = requireTimeZone(timeZone)
  return { ...made, ...(at === undefined ? timesOf(cron ?? '', zone, plan) : timeOf(at, nowMs)) }
}

/** @throws validation that names the wrong field */
export function changedSchedule(
  before: Schedule,
  { cron, at, timeZone, text = before.text, paused = before.paused }: ScheduleChange,
  plan: string,
  nowMs: number,
): Schedule {
  const changed = { ...before, text, paused }
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

/** Removes past one-time schedules that have nothing left to report, to make room for new ones. */
export async function removeOver(
  { schedules }: Pick<Ports, 'schedules'>,
  userId: string,
  plan: string,
  nowMs: number,
): Promise<void> {
  const over = (await schedules.list(userId)).filter((schedule) => isOver(schedule, plan, nowMs))
  await Promise.all(over.map((schedule) => schedules.remove(userId, schedule)))
}

/** A due time of a schedule; its event may arrive twice. */
export interface DueTime {
  userId: string
  scheduleId: string
  /** ISO 8601 UTC. */
  dueAt: string
}

/** `sent` if the prompt may be sent, otherwise the reason. */
export function outcomeOf(instance: InstanceRecord | null, money: WalletState): RunOutcome {
  if (!instance || instance.state === 'failed' || isEnding(instance)) return 'no-instance'
  if (refusalToSpend(money)) return 'wallet-empty'
  return isAsleep(instance) && !wakes(instance, 'schedule') ? 'paused' : 'sent'
}

/** Sends the schedule's prompt once per due time, and records the result. */
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
  // A timer that outlived its schedule is removed when it fires.
  if (!schedule || schedule.paused) return deps.timers.remove(scheduleId)
  // A one-time schedule keeps its own time as the key, because its timer may be set again and fire twice.
  const at = schedule.at ?? dueAt
  const wanted = outcomeOf(instance, money)
  const asked = instance && wanted === 'sent' ? promptOf(schedule, await messageIdOf(scheduleId, at), nowMs) : null
  const outcome = instance && asked ? await askOnce(deps, instance, asked) : wanted
  const messageId = outcome === 'sent' ? (asked?.id ?? null) : null
  await deps.schedules.recordRun(userId, scheduleId, { at, outcome, messageId })
  // No event for a user's own pause, because that user knows that schedules wait.
  if (outcome === 'no-instance' || outcome === 'wallet-empty')
    await deps.events.record(userId, 'schedule.failed', { scheduleId, at, outcome })
}

/** If too many prompts wait, the machine answers nothing, and its owner sees it as paused. */
async function askOnce(deps: RunPorts, instance: InstanceRecord, asked: Message): Promise<RunOutcome> {
  try {
    await receivePrompt(deps, instance, asked, 'schedule', null)
    return 'sent'
  } catch (refusal) {
    if (refusal instanceof DomainError && refusal.code === 'conflict') return 'paused'
    throw refusal
  }
}

/** @returns null if the user has none with this id @throws conflict, wallet-empty, wallet-suspended */
export async function runScheduleNow(
  deps: RunPorts,
  userId: string,
  scheduleId: string,
  nowMs: number,
): Promise<ScheduleRun | null> {
  const [schedule, instance, money] = await Promise.all([
    deps.schedules.find(userId, scheduleId),
    deps.instances.find(userId),
    deps.wallets.read(userId),
  ])
  if (!schedule) return null
  const refusal = refusalToSpend(money)
  if (refusal) throw refusal
  const outcome = outcomeOf(instance, money)
  if (!instance || outcome === 'no-instance') throw conflict('There is no machine that could be asked.')
  if (outcome === 'paused') throw conflict('Its machine was paused. Resume it first.')
  const run = { at: iso(nowMs), outcome, messageId: deps.ids.next('msg') }
  const remember: FollowUp = {
    intent: { kind: 'schedule-run', scheduleId, run },
    run: () => deps.schedules.recordRun(userId, scheduleId, run),
  }
  await receivePrompt(deps, instance, promptOf(schedule, run.messageId, nowMs), 'schedule', null, [], [remember])
  return run
}

const promptOf = ({ text }: Schedule, id: string, nowMs: number): Message => ({
  id,
  role: 'user',
  text,
  conversation: mainConversation,
  channel: 'web',
  at: iso(nowMs),
})

/** The same id for the same time, so that a repeated event sends one message. */
async function messageIdOf(scheduleId: string, at: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${scheduleId} ${at}`))
  return `msg_${ulid(Date.parse(at), new Uint8Array(digest))}`
}
