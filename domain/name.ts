import * as z from 'zod'

/** Characters that break a line, are invisible or change the text direction. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
/** Any visible character: a name of joiners and fillers alone would be empty. */
const visible = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/**
 * A name on one line, in any script; NFC, so that equal looks are equal texts. @param missing message for an empty name
 */
export const name = (missing: string) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .min(1, missing)
    .max(100)
    .refine((text) => !invisible.test(text), 'Use one line of text, without control characters.')
    .refine((text) => text === '' || visible.test(text), missing)
