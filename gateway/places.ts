import { isId } from './message.ts'
import { isAfter } from './snowflakes.ts'

interface Place {
  serverId: string | null
  name: string | null
  /** The newest known message. */
  lastId: string | null
}

/** Discord announces direct channels only by their messages, so this many are remembered. */
const mostDirect = 1_000

export class Places {
  readonly #channels = new Map<string, Place>()
  readonly #servers = new Map<string, { name: string; roles: string[] }>()

  /** @returns a function that gives the channels with messages newer than an id */
  joined(d: unknown, serverId: string, self: string): (after: string) => string[] {
    const server = Object(d) as { name?: unknown; roles?: unknown; channels?: unknown; threads?: unknown } // safe because all are unknown
    const roles = listOf(server.roles).flatMap(
      ({ id, tags }) => (isId(id) && (Object(tags) as { bot_id?: unknown }).bot_id === self ? [id] : []), // safe because bot_id is unknown
    )
    this.#servers.set(serverId, { name: textOf(server.name), roles })
    const ids = [...listOf(server.channels), ...listOf(server.threads)].flatMap(
      (each) => this.opened(each, serverId) ?? [],
    )
    return (after) => ids.filter((id) => isAfter(this.#channels.get(id)?.lastId ?? '0', after))
  }

  opened(d: unknown, serverId?: string): string | null {
    const { id, guild_id, name, last_message_id: last } = Object(d) as Record<string, unknown> // safe because all are unknown
    if (!isId(id)) return null
    const server = serverId ?? (isId(guild_id) ? guild_id : null)
    const before = this.#channels.get(id)
    this.#channels.set(id, {
      serverId: server,
      name: textOf(name) || null,
      lastId: isId(last) ? last : (before?.lastId ?? null),
    })
    return id
  }

  wrote(channelId: string, serverId: unknown, messageId: string): void {
    const before = this.#channels.get(channelId)
    // The channel with the newest message is last.
    this.#channels.delete(channelId)
    const server = isId(serverId) ? serverId : null
    this.#channels.set(channelId, { serverId: server, name: null, ...before, lastId: messageId })
    if (server === null) this.#forgetOldDirect()
  }

  closed(channelId: string): void {
    this.#channels.delete(channelId)
  }

  /** @returns the server's channels */
  left(serverId: string): string[] {
    this.#servers.delete(serverId)
    const ids = [...this.#channels].flatMap(([id, place]) => (place.serverId === serverId ? [id] : []))
    for (const id of ids) this.#channels.delete(id)
    return ids
  }

  directChannels = (): string[] => [...this.#channels].flatMap(([id, { serverId }]) => (serverId === null ? [id] : []))

  serverOf = (channelId: string): string | undefined => this.#channels.get(channelId)?.serverId ?? undefined

  /** `#general · Harbour`. */
  titleOf(channelId: string): string | undefined {
    const place = this.#channels.get(channelId)
    const server = this.#servers.get(place?.serverId ?? '')
    const parts = [place?.name ? `#${place.name}` : '', server?.name ?? ''].filter(Boolean)
    return parts.length > 0 ? parts.join(' · ') : undefined
  }

  rolesIn = (channelId: string): readonly string[] =>
    this.#servers.get(this.#channels.get(channelId)?.serverId ?? '')?.roles ?? []

  #forgetOldDirect(): void {
    const direct = this.directChannels()
    for (const id of direct.slice(0, Math.max(0, direct.length - mostDirect))) this.#channels.delete(id)
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map((each) => Object(each) as Record<string, unknown>) : [] // safe because every value is unknown
