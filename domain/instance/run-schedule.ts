import { ulid } from '../ids.ts'
import type { Basics, Ports } from '../ports.ts'
import { iso } from '../time.ts'
import type { WalletState } from '../wallet/wallet.ts'
import { changeInstance } from './change.ts'
import { type InstanceRecord, isAsleep, isEnding } from './instance.ts'
import type { RunOutcome } from './schedules.ts'

type RunPorts = Pick<Ports, 'instances' | 'conversations' | 'schedules' | 'wallets' | 'events' | 'bus'> &
  Pick<Basics, 'ids'>

/** A time of a user's schedule that has come; it may come twice. */
export interface Due {
  userId: string
  scheduleId: string
  /** ISO 8601 UTC. */
  dueAt: string
}

/** A schedule wakes only what idleness paused: not what its user paused, nor what nobody pays for. */
const wakes = (one: InstanceRecord): boolean => isAsleep(one) && one.reason === 'idle'

/** Whether the prompt is sent, or why not. */
export function outcomeOf(instance: InstanceRecord | null, money: WalletState): RunOutcome {
  if (!instance || instance.state === 'failed' || isEnding(instance)) return 'no-instance'
  if (money.available <= 0 || money.owed > 0) return 'wallet-empty'
  return isAsleep(instance) && !wakes(instance) ? 'paused' : 'sent'
}

/** Sends the agent what a schedule asks of it, once for each of its times, and notes what became of it. */
export async function runSchedule(deps: RunPorts, { userId, scheduleId, dueAt }: Due, nowMs: number): Promise<void> {
  const [schedule, instance, money] = await Promise.all([
    deps.schedules.find(userId, scheduleId),
    deps.instances.find(userId),
    deps.wallets.read(userId),
  ])
  if (!schedule) return
  const outcome = outcomeOf(instance, money)
  if (outcome === 'sent') await send(deps, userId, schedule.text, await messageIdOf(scheduleId, dueAt), nowMs)
  await deps.schedules.ran(userId, scheduleId, { at: dueAt, outcome })
}

/** The prompt first, then a look at the instance: one that fell asleep meanwhile is seen, or sees the prompt. */
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
  if (instance && wakes(instance)) await changeInstance(deps, userId, 'wake', 'schedule', nowMs)
}

/** The same message for the same time, so that an event that comes twice sends one. */
async function messageIdOf(scheduleId: string, dueAt: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${scheduleId} ${dueAt}`))
  return `msg_${ulid(Date.parse(dueAt), new Uint8Array(digest))}`
}
