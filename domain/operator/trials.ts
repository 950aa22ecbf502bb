import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import { isOpen, type TrialDay, type TrialTerms, trialTerms } from '../trial/terms.ts'

export const shownTrials = trialTerms
  .extend({
    givenMicros: unsignedMicros.meta({ description: 'Given today, in µUSD.', example: 750_000 }),
    begun: z.int().meta({ description: 'Trials that began today.', example: 3 }),
    open: z.boolean().meta({ description: 'Whether another trial may start.' }),
    stopped: z.string().nullable().meta({
      description: 'The reason why an operator stopped trials; null while they are open.',
      example: 'Somebody farms them.',
    }),
  })
  .meta({ id: 'Trials' })

export const showTrials = (terms: TrialTerms, day: TrialDay): z.infer<typeof shownTrials> => ({
  ...terms,
  givenMicros: day.givenMicros,
  begun: day.trials,
  open: isOpen(terms, day),
  stopped: day.stopped,
})
