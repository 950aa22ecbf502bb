import type { Message } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { conflict, DomainError } from '../../domain/errors.ts'
import { ulid } from '../../domain/ids.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import type { RunOutcome, Schedule, ScheduleRun } from '../../domain/instance/schedules.ts'
import { refusalToSpend } from '../../domain/instance/status.ts'
import { iso } from '../../domain/time.ts'
import { outcomeOf } from '../instance/schedules.ts'
import type { FollowUp } from '../outbox/outbox.ts'
import type { Schedules, Timers } from '../ports/instance.ts'
import type { Part } from '../ports/part.ts'
import { type ReceivePorts, receivePrompt } from './receive-message.ts'

type RunPorts = ReceivePorts & { schedules: Schedules; timers: Timers }

/** A due time of a schedule; its event may arrive twice. */
interface DueTime {
  userId: string
  scheduleId: string
  /** ISO 8601 UTC. */
  dueAt: string
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
  ...also: Part[]
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
  if (!instance || outcome === 'no-instance') throw conflict('No machine can answer.')
  if (outcome === 'paused') throw conflict('The machine is paused. Resume it first.')
  const run = { at: iso(nowMs), outcome, messageId: deps.ids.next('msg') }
  const remember: FollowUp = {
    intent: { kind: 'schedule-run', scheduleId, run },
    run: () => deps.schedules.recordRun(userId, scheduleId, run),
  }
  const prompt = promptOf(schedule, run.messageId, nowMs)
  await receivePrompt(deps, instance, prompt, 'schedule', null, { followUps: [remember], also })
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
