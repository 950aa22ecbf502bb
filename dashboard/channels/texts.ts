import { channels as de } from '../texts/de/channels.ts'
import { channels as en } from '../texts/en/channels.ts'
import { inLanguage } from '../texts/index.ts'

export const channelTexts = inLanguage({ en, de })
