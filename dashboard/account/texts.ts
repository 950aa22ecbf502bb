import { account as de } from '../texts/de/account.ts'
import { account as en } from '../texts/en/account.ts'
import { inLanguage } from '../texts/index.ts'

export const accountTexts = inLanguage({ en, de })
