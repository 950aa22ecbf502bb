import { type Errand, type TaskResult, taskLifeMs } from '../agent/task.ts'
import { conflict, DomainError, notFound } from '../errors.ts'
import type { InstanceRecord } from '../instance/instance.ts'
import type { Basics, Ports } from '../ports.ts'
import { secondMs } from '../time.ts'

type AskPorts = Pick<Ports, 'tasks'> & Pick<Basics, 'ids' | 'clock'>

/** How long a caller waits for a machine's answer, ms: less than what API Gateway gives. */
export const answerMs = 20 * secondMs
const pollMs = 150

/** Where a user's files can be read: on the machine that runs, or in the newest restore point. */
export const isAwake = ({ state }: Pick<InstanceRecord, 'state'>): boolean =>
  state === 'running' || state === 'resuming' || state === 'refreshing' || state === 'provisioning'

/** @throws not-found without an instance, conflict when no machine runs that could do it */
export function mustRun(instance: InstanceRecord | null): InstanceRecord {
  if (!instance || instance.state === 'deleted') throw notFound('instance; subscribe to a plan to get one')
  if (!isAwake(instance)) throw conflict('The instance is paused. Resume it, then try again.')
  return instance
}

/**
 * Has the user's machine do something and waits for it.
 * @throws conflict when it takes too long, or what the machine says is in the way
 */
export async function answered(
  deps: AskPorts,
  userId: string,
  errand: Errand,
): Promise<{ taskId: string; result: TaskResult }> {
  const taskId = deps.ids.next('tsk')
  const startMs = deps.clock.now()
  await deps.tasks.ask(userId, taskId, errand, startMs)
  while (deps.clock.now() - startMs < answerMs) {
    await deps.clock.sleep(pollMs)
    const found = await deps.tasks.find(userId, taskId)
    if (found?.state === 'done') return { taskId, result: found.result }
    if (found?.state === 'failed') throw new DomainError(found.failure.code, found.failure.message)
  }
  await deps.tasks.drop(userId, taskId)
  throw conflict('The machine did not answer in time: it starts or is busy. Try again in a moment.')
}

/** True for a task that no machine will do any more. */
export const isOverdue = (at: string, nowMs: number): boolean => nowMs - Date.parse(at) > taskLifeMs * 4
