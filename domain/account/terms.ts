import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import { type TermsVersion, termsVersions } from './terms-versions.ts'

export const acceptedTerms = z
  .object({ version: z.string().meta({ example: '2026-11-01' }), at: timestamp })
  .meta({ id: 'AcceptedTerms' })
export type AcceptedTerms = z.infer<typeof acceptedTerms>

export const shownTerms = z.enum(termsVersions).optional().meta({
  description: 'The version of the terms that the page showed. Signing in accepts it, and the account stores it.',
})

/** Null when the shown version is not newer than the accepted one. */
export function newlyAccepted(
  before: AcceptedTerms | null,
  shown: TermsVersion | undefined,
  at: string,
): AcceptedTerms | null {
  if (shown === undefined) return null
  const order: readonly string[] = termsVersions
  return before && order.indexOf(before.version) >= order.indexOf(shown) ? null : { version: shown, at }
}
