import * as z from 'zod'
import { fleetTotals } from '../../app/operator/fleet.ts'
import { machineTotals } from '../../domain/operator/machine.ts'
import { shownSums, showSums } from '../../domain/operator/totals.ts'
import { operation } from '../kit/operation.ts'

export const getTotals = operation({
  id: 'getTotals',
  summary: 'Get the numbers of awake and failed machines, and the totals of the last week',
  description:
    'The check of all wallets against their ledgers also adds them up, over the seven days before it began. Until the ' +
    'first check has finished, there are no such totals.',
  http: { method: 'GET', path: '/operator/totals' },
  auth: 'operator',
  output: z.object({
    machines: machineTotals,
    ledger: shownSums.nullable().meta({ description: 'Null before the first finished check.' }),
  }),
  uses: { booksCheck: 'read', fleet: 'read' },
  run: async ({ deps, now }) => {
    const [machines, last] = await Promise.all([fleetTotals(deps, now), deps.booksCheck.last()])
    return { machines, ledger: last?.lastSums ? showSums(last.lastSums) : null }
  },
})
