import { catalogue as de } from '../texts/de/catalogue.ts'
import { catalogue as en } from '../texts/en/catalogue.ts'
import { inLanguage } from '../texts/index.ts'

export const catalogueTexts = inLanguage({ en, de })
