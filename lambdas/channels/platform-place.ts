import * as z from 'zod'
import { platform } from '../../domain/channels/platform.ts'

export const platformPlace = z
  .object({
    platform,
    name: z.string().meta({ description: 'The bot’s name there.', example: '@berth_bot' }),
    startUrl: z.string().meta({ description: 'Where a chat with us begins.', example: 'https://t.me/berth_bot' }),
  })
  .meta({ id: 'ChannelPlatform' })
