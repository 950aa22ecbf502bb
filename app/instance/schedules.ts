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

/**
 * Brings the timer of a schedule to what the schedule says, also when that is changed meanwhile, or takes it away with
 * the schedule.
 */
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

/** A schedule as its owner sees it, with its next time. */
export function showSchedule(schedule: Schedule, nowMs: number): ShownSchedule {
  const { cron, timeZone, at, paused, runs } = schedule
  const onceMs = at !== null && !timeThatCame(schedule) && Date.parse(at) > nowMs ? Date.parse(at) : null
  const nextMs = at === null ? nextRun(cron, timeZone, nowMs) : onceMs
  const month = monthOf(parseCron(cron))
  return { ...schedule, lastRun: runs[0] ?? null, nextRunAt: nextMs === null || paused ? null : iso(nextMs), month }
}

/** The schedule that is asked for. @throws validation that names what is wrong with it */
export function newSchedule(
  { cron, at, timeZone, text }: ScheduleAsked,
  { id, by, plan }: { id: string; by: ScheduledBy; plan: string },
  nowMs: number,
): Schedule {
  const made = { id, by, text, createdAt: iso(nowMs), paused: false, runs: [] }
  const zone = requireTimeZone(timeZone)
  return { ...made, ...(at === undefined ? timesOf(cron ?? '', zone, plan) : timeOf(at, nowMs)) }
}

/** A schedule after the change that is asked for. @throws validation that names what is wrong with it */
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

/** A time that comes once. */
function timeOf(at: string, nowMs: number): Pick<Schedule, 'at' | 'cron' | 'timeZone'> {
  const ms = minuteOf(at, nowMs)
  return { at: iso(ms), cron: cronAt(ms), timeZone: 'UTC' }
}

/** Times that come again and again. */
function timesOf(cron: string, timeZone: string, plan: string): Pick<Schedule, 'at' | 'cron' | 'timeZone'> {
  checkInterval(parseCron(cron), plan)
  return { at: null, cron, timeZone }
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
  if (!schedule || schedule.paused) return deps.timers.remove(scheduleId)
  // A single run is set again if its timer's state is unknown.
  const at = schedule.at ?? dueAt
  const wanted = outcomeOf(instance, money)
  const asked = instance && wanted === 'sent' ? promptOf(schedule, await messageIdOf(scheduleId, at), nowMs) : null
  const outcome = instance && asked ? await askOnce(deps, instance, asked) : wanted
  const messageId = outcome === 'sent' ? (asked?.id ?? null) : null
  await deps.schedules.recordRun(userId, scheduleId, { at, outcome, messageId })
  // A user who paused the machine knows that its schedules wait.
  if (outcome === 'no-instance' || outcome === 'wallet-empty')
    await deps.events.record(userId, 'schedule.failed', { scheduleId, at, outcome })
}

/** Asks, unless more than may wait does already: then the machine answers nothing, and its owner sees it as paused. */
async function askOnce(deps: RunPorts, instance: InstanceRecord, asked: Message): Promise<RunOutcome> {
  try {
    await receivePrompt(deps, instance, asked, 'schedule', null)
    return 'sent'
  } catch (refusal) {
    if (refusal instanceof DomainError && refusal.code === 'conflict') return 'paused'
    throw refusal
  }
}

/**
 * Asks what a schedule asks out of its turn. @returns null if the user has none with this id @throws the obstacle:
 * conflict, wallet-empty, wallet-suspended
 */
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

/** The agent's prompt, as a message of its main conversation. */
const promptOf = ({ text }: Schedule, id: string, nowMs: number): Message => ({
  id,
  role: 'user',
  text,
  conversation: mainConversation,
  channel: 'web',
  at: iso(nowMs),
})

/** The same message for the same time, so that an event that comes twice sends one. */
async function messageIdOf(scheduleId: string, at: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${scheduleId} ${at}`))
  return `msg_${ulid(Date.parse(at), new Uint8Array(digest))}`
}
