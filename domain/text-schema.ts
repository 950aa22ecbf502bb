import * as z from 'zod'
import { wellFormed } from './text.ts'

/** A lone surrogate, left by a cut within a character, becomes U+FFFD; every other field of a request refuses it. */
export const text = () => z.string().overwrite((written) => written.toWellFormed())

/** A JSON object that is only shown; its texts and names are treated as by `text`. */
export const jsonShown = () => z.record(z.string(), z.unknown()).overwrite((given) => wellFormed(given))
