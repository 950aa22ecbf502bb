import * as z from 'zod'
import { unsignedMicros } from '../money.ts'

/** The value for a stage without trials: a function's variable is never empty. */
const none = 'none'

const count = z.int().min(1).max(100_000)

/** An operator's offer to people who have not paid yet. */
export const trialTerms = z.strictObject({
  budgetMicros: unsignedMicros.meta({ description: 'All trials of a UTC day together are given no more, in µUSD.' }),
  creditMicros: unsignedMicros.min(1).meta({ description: 'One trial’s credit, in µUSD.', example: 250_000 }),
  hours: z.int().min(1).max(168).meta({ description: 'How long a trial lasts.', example: 24 }),
  perNetwork: count.meta({ description: 'Trials a UTC day of one IPv4 address or IPv6 /64.' }),
  perDomain: count.meta({ description: 'Trials a UTC day of addresses of one mail domain.' }),
})
export type TrialTerms = z.infer<typeof trialTerms>

/** As a function's variable has them. */
export const termsText = (terms: TrialTerms | null): string => (terms === null ? none : JSON.stringify(terms))

/** @throws an error when it is neither terms nor none */
export const readTerms = (text: string): TrialTerms | null =>
  text === none ? null : trialTerms.parse(JSON.parse(text))

/** The credit given on a UTC day, and an operator's reason for giving no more. */
export interface TrialDay {
  givenMicros: number
  trials: number
  /** An operator's reason; null while trials go on. */
  stopped: string | null
}

/** Whether one more trial fits into the day. */
export const isOpen = ({ budgetMicros, creditMicros }: TrialTerms, { givenMicros, stopped }: TrialDay): boolean =>
  stopped === null && givenMicros + creditMicros <= budgetMicros
