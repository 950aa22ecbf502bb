import { tokens as de } from '../texts/de/tokens.ts'
import { tokens as en } from '../texts/en/tokens.ts'
import { inLanguage } from '../texts/index.ts'

export const tokenTexts = inLanguage({ en, de })
