import * as z from 'zod'
import { readFleet } from '../../app/operator/fleet.ts'
import { fleetCounts, fleetMachine, showMachine } from '../../domain/operator/machine.ts'
import { operation } from '../kit/operation.ts'

const mostStuck = 100

export const getFleet = operation({
  id: 'getFleet',
  summary: 'Count machines by state, and list stuck and failed ones',
  description:
    'The counts include machines that run or start. Stuck and failed machines have a reason and a time. Paused ' +
    'machines are in no list.',
  http: { method: 'GET', path: '/operator/fleet' },
  auth: 'operator',
  output: z.object({
    counts: fleetCounts.meta({ description: 'By state. Paused and deleted instances are not counted.' }),
    complete: z.boolean().meta({ description: 'False if only the first 1,600 instances were counted.' }),
    stuck: z.array(fleetMachine),
    failed: z.array(fleetMachine).meta({ description: 'Latest first, at most a hundred.' }),
  }),
  uses: { fleet: 'read' },
  run: async ({ deps, now }) => {
    const { counts, complete, stuck, failed } = await readFleet(deps, now)
    return {
      counts,
      complete,
      stuck: stuck.slice(0, mostStuck).map(({ record, dueMs }) => showMachine(record, dueMs < now ? dueMs : null)),
      failed: failed.map(({ record, sinceMs }) => showMachine(record, sinceMs)),
    }
  },
})
