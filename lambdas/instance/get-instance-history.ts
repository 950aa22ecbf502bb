import * as z from 'zod'
import { listRuns } from '../../app/instance/list-runs.ts'
import { run, runIds, showRun } from '../../domain/instance/run.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceHistory = operation({
  id: 'getInstanceHistory',
  summary: 'List the runs of the machine, newest first',
  description:
    'A run is one machine of your agent, from the request to start it until it has stopped. Contains the current ' +
    'run, and the runs that ended in the last 90 days, also those of a deleted instance. The machine sleeps between ' +
    'two runs.',
  http: { method: 'GET', path: '/instance/history' },
  auth: 'user',
  scope: 'mcp:instance.read',
  viewed: 'account',
  input: z.strictObject({ cursor, limit: pageLimit }),
  output: z.object({ runs: z.array(run), nextCursor: z.string().nullable() }),
  uses: { instances: 'read', runs: 'read' },
  run: async ({ input: { cursor, limit }, actor, deps, now }) => {
    const page = await listRuns(deps, actor.userId, { after: fromCursor(cursor, runIds), limit }, now)
    return { runs: page.items.map((each) => showRun(each, now)), nextCursor: toCursor(page.next) }
  },
})
