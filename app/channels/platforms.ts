import type { Chat } from '../../domain/channels/inbound.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import type { ChatPlatform } from '../ports/chat-platform.ts'

export type ChatPlatforms = Readonly<Record<Platform, ChatPlatform>>

export const platformOf = (platforms: ChatPlatforms, { platform }: Pick<Chat, 'platform'>): ChatPlatform =>
  platforms[platform]
