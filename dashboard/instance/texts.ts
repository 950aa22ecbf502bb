import { instance as de } from '../texts/de/instance.ts'
import { instance as en } from '../texts/en/instance.ts'
import { inLanguage } from '../texts/index.ts'

export const instanceTexts = inLanguage({ en, de })
