import { webhooks as de } from '../texts/de/webhooks.ts'
import { webhooks as en } from '../texts/en/webhooks.ts'
import { inLanguage } from '../texts/index.ts'

export const webhookTexts = inLanguage({ en, de })
