/** Everything there is at this Discord, and what changes in it. */
import { EventEmitter } from 'node:events'
import { fixedId, isAfter, newId } from './ids.ts'
import {
  type Attachment,
  type Channel,
  type Components,
  channelTypes,
  type Message,
  messageFlags,
  type Server,
  type User,
} from './records.ts'

export type Said = Partial<
  Pick<
    Message,
    'content' | 'attachments' | 'components' | 'answers' | 'forwards' | 'flags' | 'nonce' | 'webhook_id' | 'interaction'
  >
> & {
  /** The mentions that notify; null means all. */
  mayMention?: Mentionable | null
}

export interface Mentionable {
  parse?: string[]
  users?: string[]
  roles?: string[]
}

/** The notifications to listeners: the gateway's sessions, and the pages. */
interface AccountEvents {
  created: [Message]
  updated: [Message]
  deleted: [Message]
  joined: [Server]
  left: [Server]
  channelGone: [Channel]
  typing: [Channel]
}

const administrator = String(1 << 3)
const member = String((1 << 10) | (1 << 11) | (1 << 16))
/** How long the same nonce gives the same message, and how long typing is shown, ms. */
const nonceMs = 5 * 60_000
const typingMs = 10_000

export class Account extends EventEmitter<AccountEvents> {
  readonly bot: User
  readonly users = new Map<string, User>()
  readonly servers = new Map<string, Server>()
  readonly channels = new Map<string, Channel>()
  readonly attachments = new Map<string, Attachment>()
  /** Users who take no messages of the bot's. */
  readonly blocking = new Set<string>()
  readonly #typingUntil = new Map<string, number>()
  readonly #nonces = new Map<string, { message: Message; untilMs: number }>()

  constructor(applicationId: string, botName: string) {
    super()
    this.setMaxListeners(0)
    this.bot = { id: applicationId, username: botName, discriminator: '0', global_name: null, avatar: null, bot: true }
    this.users.set(this.bot.id, this.bot)
  }

  addUser(name: string): User {
    const user = {
      id: fixedId(`user ${name}`),
      username: name.toLowerCase(),
      discriminator: '0',
      global_name: name,
      avatar: null,
    }
    this.users.set(user.id, user)
    return user
  }

  /** A server with the bot in it, and its channels. */
  addServer(name: string, ownerId: string, memberIds: readonly string[], channels: readonly string[]): Server {
    const id = fixedId(`server ${name}`)
    const botRole = {
      id: fixedId(`bot of ${name}`),
      name: this.bot.username,
      permissions: member,
      tags: { bot_id: this.bot.id },
    }
    const admins = { id: fixedId(`admins of ${name}`), name: 'Admins', permissions: administrator }
    const server: Server = {
      id,
      name,
      owner_id: ownerId,
      roles: [{ id, name: '@everyone', permissions: member }, botRole, admins],
      members: new Map([
        [this.bot.id, [botRole.id]],
        [ownerId, []],
        ...memberIds.map((memberId): [string, string[]] => [memberId, []]),
      ]),
    }
    this.servers.set(id, server)
    for (const channel of channels) this.addChannel(server, channel)
    this.emit('joined', server)
    return server
  }

  addChannel(server: Server, name: string): Channel {
    const id = fixedId(`${name} of ${server.id}`)
    const channel = { id, type: channelTypes.server, guild_id: server.id, name, messages: [] }
    this.channels.set(channel.id, channel)
    return channel
  }

  /** The direct channel of a person and the bot, made when it is first asked for. */
  directOf(userId: string): Channel | null {
    const recipient = this.users.get(userId)
    if (!recipient || recipient.bot) return null
    const found = [...this.channels.values()].find((channel) => channel.recipient?.id === userId)
    if (found) return found
    const channel = { id: fixedId(`direct ${userId}`), type: channelTypes.direct, recipient, messages: [] }
    this.channels.set(channel.id, channel)
    return channel
  }

  channelsOf(serverId: string): Channel[] {
    return [...this.channels.values()].filter((channel) => channel.guild_id === serverId)
  }

  /** Whether somebody is where the channel is. */
  isIn(channel: Channel, userId: string): boolean {
    if (channel.guild_id === undefined) return userId === this.bot.id || channel.recipient?.id === userId
    return this.servers.get(channel.guild_id)?.members.has(userId) ?? false
  }

  message(channelId: string, messageId: string): Message | undefined {
    return this.channels.get(channelId)?.messages.find(({ id }) => id === messageId)
  }

  /** The message that its author made under this nonce in the past few minutes. */
  madeUnder(authorId: string, nonce: string): Message | null {
    const found = this.#nonces.get(`${authorId} ${nonce}`)
    return found && found.untilMs > Date.now() ? found.message : null
  }

  say(channel: Channel, author: User, said: Said): Message {
    const message: Message = {
      id: newId(),
      channel,
      author,
      content: said.content ?? '',
      type: said.interaction ? 20 : said.answers ? 19 : 0,
      flags: (said.flags ?? 0) | (said.forwards ? messageFlags.hasSnapshot : 0),
      timestamp: new Date().toISOString(),
      edited_timestamp: null,
      ...this.#mentioned(channel, said.content ?? '', said.mayMention ?? null),
      // A person's answer calls whom it answers.
      ...(!author.bot && said.answers && { mentions: [said.answers.author] }),
      attachments: said.attachments ?? [],
      components: said.components ?? [],
      answers: said.answers ?? null,
      ...(said.forwards && { forwards: said.forwards }),
      ...(said.nonce !== undefined && { nonce: said.nonce }),
      ...(said.webhook_id !== undefined && { webhook_id: said.webhook_id }),
      ...(said.interaction && { interaction: said.interaction }),
    }
    for (const attachment of message.attachments) this.attachments.set(attachment.id, attachment)
    if (said.nonce !== undefined)
      this.#nonces.set(`${author.id} ${said.nonce}`, { message, untilMs: Date.now() + nonceMs })
    channel.messages.push(message)
    if (author.bot) this.#typingUntil.delete(channel.id)
    this.emit('created', message)
    return message
  }

  edit(
    message: Message,
    change: { content?: string; components?: Components; flags?: number; mayMention?: Mentionable | null },
  ): void {
    const taken = message.flags & messageFlags.loading
    Object.assign(message, {
      ...(change.content !== undefined && {
        content: change.content,
        ...this.#mentioned(message.channel, change.content, change.mayMention ?? null),
      }),
      ...(change.components && { components: change.components }),
      flags: (change.flags ?? message.flags) & ~messageFlags.loading,
      // The replacement of the loading message is new, not an edit.
      ...(!taken && { edited_timestamp: new Date().toISOString() }),
    })
    this.emit('updated', message)
  }

  delete(message: Message): void {
    message.channel.messages = message.channel.messages.filter((each) => each !== message)
    this.emit('deleted', message)
  }

  type(channel: Channel): void {
    this.#typingUntil.set(channel.id, Date.now() + typingMs)
    this.emit('typing', channel)
  }

  isTyping = (channel: Channel): boolean => (this.#typingUntil.get(channel.id) ?? 0) > Date.now()

  /** The bot is thrown out, or brought back. */
  removeBot(server: Server): void {
    server.members.delete(this.bot.id)
    this.emit('left', server)
  }
  addBot(server: Server): void {
    const own = server.roles.filter(({ tags }) => tags?.bot_id === this.bot.id).map(({ id }) => id)
    server.members.set(this.bot.id, own)
    this.emit('joined', server)
  }

  deleteChannel(channel: Channel): void {
    this.channels.delete(channel.id)
    this.emit('channelGone', channel)
  }

  /** Messages around: those after or before an id, newest first. */
  history(channel: Channel, { after, before, limit }: { after?: string; before?: string; limit: number }): Message[] {
    const found = channel.messages.filter(
      ({ id }) => (after === undefined || isAfter(id, after)) && (before === undefined || isAfter(before, id)),
    )
    return (after === undefined ? found.slice(-limit) : found.slice(0, limit)).toReversed()
  }

  #mentioned(channel: Channel, content: string, may: Mentionable | null) {
    const ids = (pattern: RegExp) => [...new Set([...content.matchAll(pattern)].map(([, id = '']) => id))]
    const allows = (kind: 'users' | 'roles' | 'everyone', id?: string) =>
      may === null ||
      (may.parse?.includes(kind) ?? false) ||
      (kind !== 'everyone' && id !== undefined && (may[kind]?.includes(id) ?? false))
    const roles = this.servers.get(channel.guild_id ?? '')?.roles ?? []
    return {
      mentions: ids(/<@!?(\d+)>/g).flatMap((id) => {
        const user = this.users.get(id)
        return user && allows('users', id) ? [user] : []
      }),
      mention_roles: ids(/<@&(\d+)>/g).filter((id) => roles.some((role) => role.id === id) && allows('roles', id)),
      mention_everyone: /@(everyone|here)\b/.test(content) && allows('everyone'),
    }
  }
}
