import * as z from 'zod'
import { secondMs } from '../time.ts'

export const platforms = ['telegram', 'slack', 'discord'] as const
export const platform = z.enum(platforms)
export type Platform = z.infer<typeof platform>

export const platformPlace = z
  .object({
    platform,
    name: z.string().meta({ description: 'The bot’s name on the platform.', example: '@berth_bot' }),
    startUrl: z
      .string()
      .meta({ description: 'The address that starts a chat with the bot.', example: 'https://t.me/berth_bot' }),
  })
  .meta({ id: 'ChannelPlatform' })
export type PlatformPlace = z.infer<typeof platformPlace>

/** A direct chat is one person and the agent; everything else is a group. */
export const chatKind = z.enum(['direct', 'group'])
type ChatKind = z.infer<typeof chatKind>

interface PlatformLimits {
  /** Characters of one sent message, as JavaScript counts them. */
  textCharacters: number
  /** Least time between two versions of a growing reply, ms. */
  paceMs: Record<ChatKind, number>
  fileBytes: { received: number; sent: number }
}

const MiB = 1024 * 1024

/** The platform's `retry_after` overrides the pace. */
export const platformLimits: Readonly<Record<Platform, PlatformLimits>> = {
  telegram: {
    textCharacters: 4096,
    paceMs: { direct: secondMs, group: 3 * secondMs },
    fileBytes: { received: 20 * MiB, sent: 50 * MiB },
  },
  slack: {
    textCharacters: 12_000,
    paceMs: { direct: secondMs, group: secondMs },
    fileBytes: { received: 25 * MiB, sent: 25 * MiB },
  },
  discord: {
    textCharacters: 2000,
    paceMs: { direct: 1.2 * secondMs, group: 1.2 * secondMs },
    fileBytes: { received: 25 * MiB, sent: 10 * MiB },
  },
}
