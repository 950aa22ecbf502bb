import { operator as de } from '../texts/de/operator.ts'
import { operator as en } from '../texts/en/operator.ts'
import { inLanguage } from '../texts/index.ts'

/** What the console says: fetched with it, because nobody else reads it. */
export const words = inLanguage({ en, de })
