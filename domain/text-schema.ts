import * as z from 'zod'
import { wellFormed } from './text.ts'

/**
 * Text that people or agents write. A lone surrogate in it, which a program that cuts text within a character leaves behind,
 * becomes U+FFFD. In every other field of a request a lone surrogate is refused.
 */
export const text = () => z.string().overwrite((written) => written.toWellFormed())

/** A JSON object whose content is nothing but shown; its texts and names are kept as `text` keeps them. */
export const jsonShown = () => z.record(z.string(), z.unknown()).overwrite((given) => wellFormed(given))
