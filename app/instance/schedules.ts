import { ulid } from '../../domain/ids.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../../domain/instance/instance.ts'
import type { RunOutcome, Schedule, ShownSchedule } from '../../domain/instance/schedules.ts'
import { iso } from '../../domain/time.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import type { Basics, Ports } from '../ports.ts'
import { changeInstance } from './change.ts'
import { nextRun } from './cron.ts'

type RunPorts = Pick<Ports, 'instances' | 'conversations' | 'schedules' | 'wallets' | 'events' | 'bus'> &
  Pick<Basics, 'ids'>

/** A schedule as its owner sees it, with its next time. */
export function showSchedule(schedule: Schedule, nowMs: number): ShownSchedule {
  const nextMs = nextRun(schedule.cron, schedule.timeZone, nowMs)
  return { ...schedule, nextRunAt: nextMs === null ? null : iso(nextMs) }
}

/** A time of a user's schedule that has come; it may come twice. */
export interface DueTime {
  userId: string
  scheduleId: string
  /** ISO 8601 UTC. */
  dueAt: string
}

/** A schedule wakes only what idleness paused: not what its user paused, nor what nobody pays for. */
const isWokenBySchedule = (instance: InstanceRecord): boolean => isAsleep(instance) && instance.reason === 'idle'

/** Whether the prompt is sent, or why not. */
export function outcomeOf(instance: InstanceRecord | null, money: WalletState): RunOutcome {
  if (!instance || instance.state === 'failed' || isEnding(instance)) return 'no-instance'
  if (money.available <= 0 || money.owed > 0) return 'wallet-empty'
  return isAsleep(instance) && !isWokenBySchedule(instance) ? 'paused' : 'sent'
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
  if (!schedule) return
  const outcome = outcomeOf(instance, money)
  if (outcome === 'sent') await send(deps, userId, schedule.text, await messageIdOf(scheduleId, dueAt), nowMs)
  await deps.schedules.recordRun(userId, scheduleId, { at: dueAt, outcome })
}

/** The prompt first, then a read of the instance: one that fell asleep meanwhile is seen, or sees the prompt. */
async function send(deps: RunPorts, userId: string, text: string, messageId: string, nowMs: number): Promise<void> {
  const at = iso(nowMs)
  const message = { id: messageId, role: 'user' as const, text, channel: 'web' as const, at }
  await deps.conversations.receive(userId, message, {
    id: deps.ids.next('prm'),
    kind: 'message',
    messageId,
    conversation: 'web',
    channel: 'web',
    trigger: 'schedule',
    text,
    at,
  })
  const instance = await deps.instances.touch(userId, at)
  await deps.events.record(userId, 'message.received', { message })
  if (instance && isWokenBySchedule(instance)) await changeInstance(deps, userId, 'wake', 'schedule', nowMs)
}

/** The same message for the same time, so that an event that comes twice sends one. */
async function messageIdOf(scheduleId: string, dueAt: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${scheduleId} ${dueAt}`))
  return `msg_${ulid(Date.parse(dueAt), new Uint8Array(digest))}`
}
