import * as z from 'zod'
import { unsignedMicros } from '../money.ts'

/** Stands for a stage without trials: a function's variable is never empty. */
const none = 'none'

const count = z.int().min(1).max(100_000)

export const trialTerms = z.strictObject({
  budgetMicros: unsignedMicros.meta({ description: 'The budget of all trials of a UTC day, in µUSD.' }),
  creditMicros: unsignedMicros.min(1).meta({ description: 'The credit of one trial, in µUSD.', example: 250_000 }),
  hours: z.int().min(1).max(168).meta({ description: 'The length of a trial.', example: 24 }),
  perNetwork: count.meta({
    description: 'The maximum number of trials per UTC day from one IPv4 address or IPv6 /64.',
  }),
  perDomain: count.meta({ description: 'The maximum number of trials per UTC day from one e-mail domain.' }),
})
export type TrialTerms = z.infer<typeof trialTerms>

/** In the form of a function's variable. */
export const termsText = (terms: TrialTerms | null): string => (terms === null ? none : JSON.stringify(terms))

/** @throws an error when it is neither terms nor none */
export const readTerms = (text: string): TrialTerms | null =>
  text === none ? null : trialTerms.parse(JSON.parse(text))

export interface TrialDay {
  givenMicros: number
  trials: number
  /** An operator's reason; null while trials are open. */
  stopped: string | null
}

export const isOpen = ({ budgetMicros, creditMicros }: TrialTerms, { givenMicros, stopped }: TrialDay): boolean =>
  stopped === null && givenMicros + creditMicros <= budgetMicros
