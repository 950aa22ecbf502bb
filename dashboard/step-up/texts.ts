import { stepUp as de } from '../texts/de/step-up.ts'
import { stepUp as en } from '../texts/en/step-up.ts'
import { inLanguage } from '../texts/index.ts'

export const stepUpTexts = inLanguage({ en, de })
