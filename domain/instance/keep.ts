import { giveUpTask } from '../files/finish.ts'
import type { Basics, Ports } from '../ports.ts'
import { newClaims } from '../tokens/machine-token.ts'
import { type InstanceRecord, isKept } from './instance.ts'
import { maxKeepers, type Transition, transition } from './life-cycle.ts'

type KeepPorts = Pick<Ports, 'tasks' | 'restorePoints'>

/**
 * A machine has gone, or there was none, and the agent is not to run yet: what is still asked of the files gets a keeper.
 * One that went before all was done is followed by another, a few times; then what is left is given up.
 */
export async function keeperFor(
  deps: KeepPorts,
  known: InstanceRecord,
  decided: Transition,
  nowMs: number,
): Promise<Transition> {
  if (decided.step === 'stop' || !leavesWork(known, decided.next)) return decided
  const left = await deps.tasks.open(known.userId)
  if (left.length === 0) return decided
  const gone = isKept(known) ? known.crashes + 1 : 0
  if (gone > maxKeepers) {
    await giveUp(deps, known.userId, nowMs)
    return decided
  }
  const { next, step } = transition({ ...known, state: 'paused' }, 'keep', known.reason, nowMs)
  return { next: { ...next, crashes: gone }, step, changed: true }
}

/** Tells whoever waits for something on the volume that nobody gets it done. */
export async function giveUp(deps: KeepPorts, userId: string, nowMs: number): Promise<void> {
  for (const task of await deps.tasks.open(userId)) await giveUpTask(deps, userId, task, nowMs)
}

/**
 * Takes away what is known and kept of the files of an instance whose volume is empty: what was asked, its restore points,
 * and all their pieces. False when there is more of it than one call takes away.
 */
export async function forgetFiles(
  deps: KeepPorts & Pick<Ports, 'remains'>,
  { userId, id }: InstanceRecord,
  nowMs: number,
): Promise<boolean> {
  await giveUp(deps, userId, nowMs)
  const points = await deps.restorePoints.list(userId)
  for (const point of points) if (point.instanceId === id) await deps.restorePoints.remove(userId, point.id)
  return deps.remains.erase(id)
}

/** A keeper that was stopped because the agent is wanted leaves its work to the agent's machine. */
const leavesWork = (known: InstanceRecord, next: InstanceRecord): boolean =>
  next.state === 'paused' || (next.state === 'resuming' && isKept(known) && known.state !== 'closing')

type Signing = Pick<Ports, 'machineTokens'> & Pick<Basics, 'clock'>

/** What a machine is told when it starts, by what it is for; the driver adds where the service is. */
export async function environmentOf(deps: Signing, record: InstanceRecord): Promise<Record<string, string>> {
  const { userId, id: instanceId, generation } = record
  const now = deps.clock.now()
  const sign = (audience: 'llm' | 'files' | 'agent') =>
    deps.machineTokens.sign(newClaims({ audience, userId, instanceId, generation }, now))
  if (record.state === 'erasing') return { BERTH_ROLE: 'eraser', BERTH_AGENT_TOKEN: await sign('agent') }
  const [files, agent] = await Promise.all([sign('files'), sign('agent')])
  const own = { BERTH_FILES_TOKEN: files, BERTH_AGENT_TOKEN: agent }
  if (isKept(record)) return { BERTH_ROLE: 'keeper', ...own }
  return { BERTH_LLM_TOKEN: await sign('llm'), ...own, BERTH_MODEL: record.model }
}
