import * as z from 'zod'

/** What would break a line, hide, or turn the direction of a text around the name: in a mail's subject, a header, a terminal. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** A name that its owner gives to something, on one line. `missing` is said when there is none. */
export const name = (missing: string) =>
  z
    .string()
    .trim()
    .min(1, missing)
    .max(100)
    .refine((text) => !unseen.test(text), 'Use one line of text, without control characters.')
