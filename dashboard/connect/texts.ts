import { doctor as de } from '../texts/de/doctor.ts'
import { doctor as en } from '../texts/en/doctor.ts'
import { inLanguage } from '../texts/index.ts'

export const words = inLanguage({ en, de })
