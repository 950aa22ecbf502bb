import { connect as de } from '../texts/de/connect.ts'
import { connect as en } from '../texts/en/connect.ts'
import { inLanguage } from '../texts/index.ts'

export const connectTexts = inLanguage({ en, de })
