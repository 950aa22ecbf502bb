import type { APIActionRowComponent, APIButtonComponentWithCustomId, APIUser } from 'discord-api-types/v10'

export interface User extends Pick<APIUser, 'id' | 'username' | 'discriminator' | 'global_name' | 'avatar'> {
  bot?: boolean
}

interface Role {
  id: string
  name: string
  /** A decimal number of bits. */
  permissions: string
  /** The role that a bot brought with it. */
  tags?: { bot_id: string }
}

export interface Server {
  id: string
  name: string
  owner_id: string
  roles: Role[]
  /** A member's roles by the user's id. */
  members: Map<string, string[]>
}

export const channelTypes = { server: 0, direct: 1 } as const

export interface Channel {
  id: string
  type: (typeof channelTypes)[keyof typeof channelTypes]
  guild_id?: string
  name?: string
  /** The partner of a direct channel, besides the bot. */
  recipient?: User
  /** Oldest first. */
  messages: Message[]
}

export interface Attachment {
  id: string
  filename: string
  content_type: string
  bytes: Buffer
}

export type Components = APIActionRowComponent<APIButtonComponentWithCustomId>[]

/** Flags of a message. */
export const messageFlags = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  hasSnapshot: 1 << 14,
} as const

export interface Message {
  id: string
  channel: Channel
  author: User
  content: string
  /** 0 is said, 19 an answer, 20 the reply to a command. */
  type: 0 | 19 | 20
  flags: number
  timestamp: string
  edited_timestamp: string | null
  mentions: User[]
  mention_roles: string[]
  mention_everyone: boolean
  attachments: Attachment[]
  components: Components
  answers: Message | null
  /** The message that it forwards. */
  forwards?: Message
  nonce?: string
  /** The application, when it was made by the token of an interaction. */
  webhook_id?: string
  interaction?: { id: string; name: string; user: User }
}
