import * as z from 'zod'
import { platform } from '../../domain/channels/platform.ts'

export const platformPlace = z
  .object({
    platform,
    name: z.string().meta({ description: 'The bot’s name on the platform.', example: '@berth_bot' }),
    startUrl: z
      .string()
      .meta({ description: 'The address that starts a chat with the bot.', example: 'https://t.me/berth_bot' }),
  })
  .meta({ id: 'ChannelPlatform' })
