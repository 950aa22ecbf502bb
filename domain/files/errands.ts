import type { Errand, TaskResult } from '../agent/task.ts'
import { conflict, DomainError, notFound } from '../errors.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../instance/instance.ts'
import type { Basics, Ports } from '../ports.ts'
import { secondMs } from '../time.ts'

type AskPorts = Pick<Ports, 'tasks' | 'bus'> & Pick<Basics, 'ids' | 'clock'>

/** How long a caller waits for a machine's answer, ms: less than what API Gateway gives. */
export const answerMs = 20 * secondMs
const pollMs = 150

/** An instance whose files somebody can get at: its machine, or a keeper. @throws not-found, conflict */
export function mustServe(instance: InstanceRecord | null): InstanceRecord {
  if (!instance || instance.state === 'deleted') throw notFound('instance; subscribe to a plan to get one')
  if (instance.state === 'failed') throw conflict('The instance has failed. Resume it, then try again.')
  if (isEnding(instance)) throw conflict('The instance is being deleted.')
  return instance
}

/** Asks for something on the volume: the machine that runs does it, for an instance that sleeps a keeper is opened. */
export async function askMachine(
  deps: Pick<Ports, 'tasks' | 'bus'>,
  instance: InstanceRecord,
  taskId: string,
  errand: Errand,
  nowMs: number,
): Promise<void> {
  await deps.tasks.ask(instance.userId, taskId, errand, nowMs)
  await callKeeper(deps, instance)
}

/** Has the reconciler look whether something waits to be done for an instance that sleeps. */
export async function callKeeper({ bus }: Pick<Ports, 'bus'>, instance: InstanceRecord): Promise<void> {
  if (isAsleep(instance)) await bus.publish('instance.wanted', instance.userId)
}

/**
 * Has the user's machine, or a keeper, do something and waits for it.
 * @throws conflict when it takes too long, or what the machine says is in the way
 */
export async function answered(
  deps: AskPorts,
  instance: InstanceRecord,
  errand: Errand,
): Promise<{ taskId: string; result: TaskResult }> {
  const { userId } = instance
  const taskId = deps.ids.next('tsk')
  const startMs = deps.clock.now()
  await askMachine(deps, instance, taskId, errand, startMs)
  while (deps.clock.now() - startMs < answerMs) {
    await deps.clock.sleep(pollMs)
    const found = await deps.tasks.find(userId, taskId)
    if (found?.state === 'done') return { taskId, result: found.result }
    if (found?.state === 'failed') throw new DomainError(found.failure.code, found.failure.message)
  }
  await deps.tasks.drop(userId, taskId)
  throw conflict(
    isAsleep(instance)
      ? 'The instance is paused, and a keeper for its files is on its way. Try again in half a minute.'
      : 'The machine did not answer in time: it starts or is busy. Try again in a moment.',
  )
}
