import * as z from 'zod'
import { countStates, fleetCounts, fleetMachine, isStuck, showMachine } from '../../domain/operator/machine.ts'
import { operation } from '../kit/operation.ts'

/** Most machines read in each of the sixteen shards, and most failed ones. */
const perShard = 100
const mostFailed = 100

const mostStuck = 100

export const getFleet = operation({
  id: 'getFleet',
  summary: 'Machines by state; stuck and failed ones with why and since when',
  description: 'The number of machines that are awake or starting. One that sleeps is in no list, and costs nothing.',
  http: { method: 'GET', path: '/operator/fleet' },
  auth: 'operator',
  output: z.object({
    counts: fleetCounts.meta({ description: 'By state; what sleeps or is deleted is not counted.' }),
    complete: z.boolean().meta({ description: 'False when there are more: the counts are of the first 1,600.' }),
    stuck: z.array(fleetMachine),
    failed: z.array(fleetMachine).meta({ description: 'The latest first; a hundred at most.' }),
  }),
  uses: { fleet: 'read' },
  run: async ({ deps, now }) => {
    const [awake, failed] = await Promise.all([deps.fleet.awake(perShard), deps.fleet.failed(mostFailed)])
    const stuck = awake.instances.filter(({ record, dueMs }) => isStuck(record, dueMs, now))
    const all = [...awake.instances, ...failed.instances].map(({ record }) => record)
    return {
      counts: countStates(all),
      complete: !awake.more && !failed.more,
      stuck: stuck.slice(0, mostStuck).map(({ record, dueMs }) => showMachine(record, dueMs < now ? dueMs : null)),
      failed: failed.instances.map(({ record, sinceMs }) => showMachine(record, sinceMs)),
    }
  },
})
