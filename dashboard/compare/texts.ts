import { compare as de } from '../texts/de/compare.ts'
import { compare as en } from '../texts/en/compare.ts'
import { inLanguage } from '../texts/index.ts'

export const compareTexts = inLanguage({ en, de })
