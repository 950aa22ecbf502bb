import * as z from 'zod'

/** What would break a line, hide, or turn the direction of a text around the name: in a mail's subject, a header, a terminal. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
/** Anything that is seen: a name of joiners and fillers alone would be none. */
const seen = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** A name that its owner gives to something, on one line, in any script; NFC, so that what looks the same is the same. `missing` is said when there is none. */
export const name = (missing: string) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .min(1, missing)
    .max(100)
    .refine((text) => !unseen.test(text), 'Use one line of text, without control characters.')
    .refine((text) => text === '' || seen.test(text), missing)
