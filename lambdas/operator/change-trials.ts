import * as z from 'zod'
import { conflict } from '../../domain/errors.ts'
import { reason } from '../../domain/operator/trail.ts'
import { shownTrials, showTrials } from '../../domain/operator/trials.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const changeTrials = operation({
  id: 'changeTrials',
  summary: 'Stop or resume trials',
  description: 'While trials are stopped, nobody can start one. Running trials continue.',
  http: { method: 'POST', path: '/operator/trials' },
  auth: 'operator',
  commits: true,
  input: z.strictObject({ action: z.enum(['stop', 'resume']).meta({ example: 'stop' }), reason }),
  output: z.object({ trials: shownTrials }),
  errors: ['conflict'],
  uses: { trialBudget: 'write' },
  run: async ({ input, deps: { trialBudget }, now, outboxFor }) => {
    const terms = trialBudget.terms()
    if (!terms) throw conflict('This stage has no trials.')
    const outbox = outboxFor('trials')
    await (input.action === 'stop' ? trialBudget.stop(input.reason, iso(now), outbox) : trialBudget.resume(outbox))
    return { trials: showTrials(terms, await trialBudget.day(now)) }
  },
})
