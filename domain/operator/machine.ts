import * as z from 'zod'
import { explain } from '../instance/explain.ts'
import { type InstanceRecord, instanceFacts, type ShownState, shownState, shownStates } from '../instance/instance.ts'
import { iso, minuteMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { userId } from './trail.ts'

/** The sweep runs each minute; a machine due longer ago than this is stuck, ms. */
const stuckMs = 3 * minuteMs

export const fleetMachine = z
  .object({
    user: userId,
    instance: instanceFacts.shape.id,
    state: z.enum(shownStates),
    generation: z.int(),
    imageVersion: z.string(),
    why: z.string().meta({ description: 'In one sentence.', example: 'The first machine is being made.' }),
    failure: z.string().nullable().meta({ description: 'Its code, where one is in the way.', example: 'capacity' }),
    failedStarts: z.int(),
    crashes: z.int(),
    since: timestamp.nullable().meta({ description: 'The time since which it is stuck or failed.' }),
  })
  .meta({ id: 'FleetMachine' })
type FleetMachine = z.infer<typeof fleetMachine>

export const fleetCounts = z.partialRecord(z.enum(shownStates), z.int())

export const machineTotals = z.object({
  awake: z.int().meta({ description: 'Machines that run, start or stop.', example: 37 }),
  failed: z.int().meta({ example: 0 }),
  stuck: z.int().meta({ example: 0 }),
  complete: z.boolean().meta({ description: 'False if only the first 1,600 instances were counted.' }),
})
export type MachineTotals = z.infer<typeof machineTotals>

export const showMachine = (record: InstanceRecord, sinceMs: number | null): FleetMachine => ({
  user: record.userId,
  instance: record.id,
  state: shownState(record),
  generation: record.generation,
  imageVersion: record.imageVersion,
  why: explain(record),
  failure: record.failure?.code ?? null,
  failedStarts: record.failedStarts,
  crashes: record.crashes,
  since: sinceMs === null ? null : iso(sinceMs),
})

const awakeStates: readonly ShownState[] = ['provisioning', 'running', 'pausing', 'resuming', 'refreshing']

export const isAwake = (record: Pick<InstanceRecord, 'state' | 'desiredState'>): boolean =>
  awakeStates.includes(shownState(record))

export const isMissed = (dueMs: number, nowMs: number): boolean => dueMs < nowMs - stuckMs

/** Stuck: unchecked in time, failing to start, or dying repeatedly. */
export const isStuck = (record: InstanceRecord, dueMs: number, nowMs: number): boolean =>
  isMissed(dueMs, nowMs) || record.failedStarts > 0 || record.crashes > 1

export function countStates(all: readonly InstanceRecord[]): z.infer<typeof fleetCounts> {
  const counts: z.infer<typeof fleetCounts> = {}
  for (const record of all) {
    const state = shownState(record)
    counts[state] = (counts[state] ?? 0) + 1
  }
  return counts
}
