import { notifications as de } from '../texts/de/notifications.ts'
import { notifications as en } from '../texts/en/notifications.ts'
import { inLanguage } from '../texts/index.ts'

export const words = inLanguage({ en, de })
