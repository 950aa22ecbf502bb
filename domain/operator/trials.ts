import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import { isOpen, type TrialDay, type TrialTerms, trialTerms } from '../trial/terms.ts'

export const shownTrials = trialTerms
  .extend({
    givenMicros: unsignedMicros.meta({ description: 'Given today, in µUSD.', example: 750_000 }),
    begun: z.int().meta({ description: 'Trials that began today.', example: 3 }),
    open: z.boolean().meta({ description: 'Whether one more may begin.' }),
    stopped: z.string().nullable().meta({
      description: 'Why an operator has stopped them; null while they go on.',
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
