import * as z from 'zod'
import { iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** The task of a machine, by the id that its log streams have, and the time when it was first seen. */
export const machineTask = z.object({ id: z.string(), at: timestamp })
export type MachineTask = z.infer<typeof machineTask>

/** Machines whose log can be read. */
export const maxMachineTasks = 8

const taskIdOf = (taskArn: string): string => taskArn.split('/').at(-1) ?? taskArn

/** Newest first. */
export function withTask(tasks: readonly MachineTask[], taskArn: string | null, nowMs: number): MachineTask[] {
  if (taskArn === null || tasks.some(({ id }) => id === taskIdOf(taskArn))) return [...tasks]
  return [{ id: taskIdOf(taskArn), at: iso(nowMs) }, ...tasks].slice(0, maxMachineTasks)
}

/** Tasks that may have written since then. A machine has stopped before the next one is started. */
export function tasksSince(
  { tasks, taskArn }: { tasks: readonly MachineTask[]; taskArn: string | null },
  sinceMs: number,
  nowMs: number,
): string[] {
  const all = withTask(tasks, taskArn, nowMs)
  return all
    .filter((_, index) => {
      const next = all[index - 1]
      return next === undefined || Date.parse(next.at) >= sinceMs
    })
    .map(({ id }) => id)
}
