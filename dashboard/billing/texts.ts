import { billing as de } from '../texts/de/billing.ts'
import { billing as en } from '../texts/en/billing.ts'
import { inLanguage } from '../texts/index.ts'

export const billingTexts = inLanguage({ en, de })
