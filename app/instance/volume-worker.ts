import { maxVolumeWorkers } from '../../domain/instance/deadlines-and-retries.ts'
import { type InstanceRecord, isInMaintenance } from '../../domain/instance/instance.ts'
import { type Transition, transition } from '../../domain/instance/life-cycle.ts'
import { referenceRuntime } from '../../domain/instance/reference-runtime.ts'
import { newClaims } from '../../domain/tokens/machine-token.ts'
import { failOpenTasks } from '../files/volume-jobs.ts'
import type { Clock } from '../ports/basics.ts'
import type { Artifacts, RestorePoints, Tasks } from '../ports/files.ts'
import type { MachineTokens } from '../ports/tokens.ts'

type VolumeWorkerPorts = { tasks: Tasks; restorePoints: RestorePoints }

/**
 * Starts a worker for open tasks when the machine has gone and the agent is not to run. A worker that ends early is
 * replaced a few times; then the remaining tasks are failed.
 */
export async function volumeWorkerFor(
  deps: VolumeWorkerPorts,
  known: InstanceRecord,
  decided: Transition,
  nowMs: number,
): Promise<Transition> {
  if (decided.step === 'stop' || !leavesWork(known, decided.next)) return decided
  const left = await deps.tasks.listOpen(known.userId)
  if (left.length === 0) return decided
  const gone = isInMaintenance(known) ? known.crashes + 1 : 0
  if (gone > maxVolumeWorkers) {
    await failOpenTasks(deps, known.userId, nowMs)
    return decided
  }
  // The same step may have ended the run of the agent's machine.
  const asleep = { ...known, state: 'paused' as const, lastRun: decided.next.lastRun }
  const { next, step } = transition(asleep, 'maintain', known.reason, nowMs)
  return { next: { ...next, crashes: gone }, step, changed: true }
}

/** Removes tasks, restore points and pieces of an empty volume. False when one call cannot remove them all. */
export async function removeStoredFiles(
  deps: VolumeWorkerPorts & { artifacts: Artifacts },
  { userId, id }: InstanceRecord,
  nowMs: number,
): Promise<boolean> {
  await failOpenTasks(deps, userId, nowMs)
  const points = await deps.restorePoints.list(userId)
  for (const point of points) if (point.instanceId === id) await deps.restorePoints.remove(userId, point.id)
  return deps.artifacts.erase(id)
}

/** A volume worker that stops because the agent is wanted leaves its tasks to the agent's machine. */
const leavesWork = (known: InstanceRecord, next: InstanceRecord): boolean =>
  next.state === 'paused' ||
  (next.state === 'resuming' && isInMaintenance(known) && known.state !== 'maintenance-stopping')

type Signing = { machineTokens: MachineTokens; clock: Clock }

/** The machine's environment variables by role; its host adds the service's address. */
export async function environmentOf(deps: Signing, record: InstanceRecord): Promise<Record<string, string>> {
  const { userId, id: instanceId, generation } = record
  const now = deps.clock.now()
  const sign = (audience: 'llm' | 'files' | 'agent') =>
    deps.machineTokens.sign(newClaims({ audience, userId, instanceId, generation }, now))
  if (record.state === 'erasing') return { BERTH_ROLE: 'volume-eraser', BERTH_AGENT_TOKEN: await sign('agent') }
  const [files, agent] = await Promise.all([sign('files'), sign('agent')])
  const own = { BERTH_FILES_TOKEN: files, BERTH_AGENT_TOKEN: agent }
  if (isInMaintenance(record)) return { BERTH_ROLE: 'volume-worker', ...own }
  const environment = { BERTH_LLM_TOKEN: await sign('llm'), ...own, BERTH_MODEL: record.model }
  return record.runtime === referenceRuntime ? environment : { ...environment, BERTH_RUNTIME_NAME: record.runtime }
}
