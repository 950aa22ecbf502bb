/** The only listener at Discord's gateway: resumes as Discord documents it, else reads missed messages. */
import { setTimeout as sleep } from 'node:timers/promises'
import { getDiscord } from './api.ts'
import { connect, type Ending, type SessionState } from './connection.ts'
import type { Log } from './log.ts'
import { isId, isOfBot, messageOf, showsSomething } from './message.ts'
import { Places } from './places.ts'
import { type Heard, Sender } from './sender.ts'
import type { Settings } from './settings.ts'
import { snowflakeAt } from './snowflakes.ts'

/** Servers, their messages, direct messages; and the text of all messages. */
const intents = (1 << 0) | (1 << 9) | (1 << 12)
const messageContent = 1 << 15

/** A start reads the messages of the time that it may have taken, ms. */
const startGapMs = 3 * 60_000
/** Events in flight at the end of a connection, ms. */
const overlapMs = 10_000
/** Delays between connections: they double. */
const pauses = { firstMs: 1_000, longestMs: 60_000 }
/** Interval of retries that will probably fail, ms: Discord resets a token that begins 1,000 sessions a day. */
const hopelessPauseMs = 5 * 60_000
/** Messages of one channel that are read for a gap. */
const mostMissed = 500
/** Remembered messages, so that reading a gap passes none on twice. */
const mostKnown = 10_000
/** Time at shutdown for events that still wait for the webhook, ms. */
const lastWordsMs = 8_000

export class Listener {
  readonly #settings: Settings
  readonly #log: Log
  readonly #stop = new AbortController()
  readonly #sender: Sender
  readonly #places = new Places()
  /** Events are handled one at a time: missed ones before new ones. */
  #handling: Promise<void> = Promise.resolve()
  #heardMs = Date.now() - startGapMs
  /** The time of a server's last event before the gap, until the server appears again; ms since 1970. */
  readonly #gaps = new Map<string, number>()
  readonly #known = new Set<string>()
  readonly #end = new AbortController()
  #failures = 0

  constructor(settings: Settings, log: Log) {
    this.#settings = settings
    this.#log = log
    this.#sender = new Sender(settings, log, this.#end.signal)
  }

  async run(): Promise<void> {
    let session: SessionState | null = null
    let intentBits = intents | messageContent
    while (!this.#stop.signal.aborted) {
      const ending: Ending = await this.#connect(session, intentBits).catch((error: Error) => {
        this.#log(`the gateway was not found: ${error.message}`)
        return { kind: 'again', session }
      })
      session = ending.kind === 'again' ? ending.session : null
      if (ending.kind === 'without-content') {
        intentBits = intents
        this.#log('Discord does not let this application read messages that do not mention it: going on without')
      }
      if (ending.kind === 'hopeless')
        this.#log(`Discord refuses the connection (${ending.code}): see the bot's token and set-up`)
      await this.#pause(ending.kind === 'hopeless' ? hopelessPauseMs : this.#nextPauseMs())
    }
    await this.#handling
  }

  /** Ends the connection, and leaves the session to the next listener. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.race([this.settled(), sleep(lastWordsMs, undefined, { ref: false })])
    this.#end.abort()
  }

  async settled(): Promise<void> {
    await this.#handling
    await this.#sender.drained()
  }

  async #connect(session: SessionState | null, intentBits: number): Promise<Ending> {
    const { botToken: token } = this.#settings
    const url = session?.url ?? (await this.#gatewayUrl())
    const { signal } = this.#stop
    const invalidWaitMs = (1_000 + Math.random() * 4_000) * this.#settings.pace
    return connect({
      invalidWaitMs,
      url,
      token,
      intents: intentBits,
      session,
      signal,
      dispatched: (event) => this.#dispatched(event),
    })
  }

  async #gatewayUrl(): Promise<string> {
    const answer = Object(await getDiscord(this.#settings, '/gateway/bot', this.#stop.signal)) as {
      url?: unknown
      session_start_limit?: { remaining?: unknown; reset_after?: unknown }
    } // safe because every value is unknown, or read as such
    const { remaining, reset_after: waitMs } = answer.session_start_limit ?? {}
    if (remaining === 0 && typeof waitMs === 'number') {
      this.#log('no session may be begun for now: waiting')
      await sleep(waitMs, undefined, { signal: this.#stop.signal })
    }
    if (typeof answer.url !== 'string') throw new Error('Discord named no address')
    return answer.url
  }

  #nextPauseMs(): number {
    this.#failures += 1
    if (this.#failures > 1) this.#log(`no session for ${this.#failures} connections`)
    const longest = Math.min(pauses.longestMs, pauses.firstMs * 2 ** (this.#failures - 1))
    return longest * (0.5 + Math.random() / 2)
  }

  #pause = (ms: number) => sleep(ms * this.#settings.pace, undefined, { signal: this.#stop.signal }).catch(() => {})

  #dispatched({ t, d }: { t: string; d: unknown }): void {
    if (t === 'READY') this.#ready(d)
    if (t === 'READY' || t === 'RESUMED') this.#failures = 0
    if (t === 'RESUMED') this.#log('resumed')
    const at = Date.now()
    this.#heardMs = at
    this.#handling = this.#handling
      .then(() => this.#handle(t, d, at))
      .catch((error: Error) => {
        if (!this.#stop.signal.aborted) this.#log(`${t} could not be handled: ${error.message}`)
      })
  }

  /** A new session knows nothing of what was sent since the last one. */
  #ready(d: unknown): void {
    const { user, guilds } = Object(d) as { user?: { id?: unknown }; guilds?: unknown } // safe because what is read of both is unknown
    if (isId(user?.id)) this.#sender.self = user.id
    const sinceMs = this.#heardMs - overlapMs
    for (const guild of Array.isArray(guilds) ? guilds : []) {
      const { id } = Object(guild) as { id?: unknown } // safe because it is unknown
      if (isId(id)) this.#gaps.set(id, sinceMs)
    }
    this.#log('a new session')
    const direct = this.#places.directChannels()
    this.#handling = this.#handling.then(async () => {
      for (const id of direct) await this.#readMissed(id, sinceMs)
    })
  }

  async #handle(t: string, d: unknown, at: number): Promise<void> {
    if (t === 'GUILD_CREATE') await this.#joined(d)
    else if (t === 'MESSAGE_CREATE' || t === 'MESSAGE_UPDATE') this.#said(t, d, at)
    else if (t === 'CHANNEL_CREATE' || t === 'CHANNEL_UPDATE' || t === 'THREAD_CREATE') this.#places.opened(d)
    else if (t === 'CHANNEL_DELETE' || t === 'THREAD_DELETE') this.#closed(d, at)
    else if (t === 'GUILD_DELETE') this.#left(d, at)
  }

  async #joined(d: unknown): Promise<void> {
    const { id } = Object(d) as { id?: unknown } // safe because it is unknown
    if (!isId(id)) return
    const written = this.#places.joined(d, id, this.#sender.self)
    const sinceMs = this.#gaps.get(id)
    this.#gaps.delete(id)
    if (sinceMs === undefined) return
    for (const channelId of written(snowflakeAt(sinceMs))) await this.#readMissed(channelId, sinceMs)
  }

  #said(t: Heard['t'], d: unknown, at: number, serverId?: string): void {
    const message = messageOf(d, serverId)
    if (!message) return
    this.#places.wrote(message.channel_id, message.guild_id, message.id)
    const { channel_id: id } = message
    // Without the privileged intent, messages that are not for the bot have no text.
    const isEmpty = message.guild_id !== undefined && message.content === '' && !showsSomething(message)
    if (isOfBot(message) || isEmpty) return
    if (t === 'MESSAGE_CREATE' && !this.#isNew(message.id)) return
    this.#sender.add({ t, d: message, at, title: this.#places.titleOf(id), roles: this.#places.rolesIn(id) })
  }

  #isNew(messageId: string): boolean {
    if (this.#known.has(messageId)) return false
    this.#known.add(messageId)
    const [oldest] = this.#known
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
    return true
  }

  #closed(d: unknown, at: number): void {
    const { id, guild_id } = Object(d) as { id?: unknown; guild_id?: unknown } // safe because both are unknown
    if (!isId(id)) return
    this.#places.closed(id)
    this.#gone(id, guild_id, at)
  }

  /** Removed from a server. An unavailable server still has the bot. */
  #left(d: unknown, at: number): void {
    const { id, unavailable } = Object(d) as { id?: unknown; unavailable?: unknown } // safe because both are unknown
    if (!isId(id) || unavailable === true) return
    for (const channelId of this.#places.left(id)) this.#gone(channelId, id, at)
  }

  #gone(id: string, serverId: unknown, at: number): void {
    const d = { id, ...(isId(serverId) && { guild_id: serverId }) }
    this.#sender.add({ t: 'CHANNEL_DELETE', d, at, roles: [] })
  }

  /** Passes on a channel's messages since then, oldest first. The webhook ignores repeated events. */
  async #readMissed(channelId: string, sinceMs: number): Promise<void> {
    let after = snowflakeAt(sinceMs)
    try {
      for (let read = 0; read < mostMissed; read += 100) {
        const path = `/channels/${channelId}/messages?after=${after}&limit=100`
        const found: unknown = await getDiscord(this.#settings, path, this.#stop.signal)
        const messages = Array.isArray(found) ? found.toReversed() : []
        for (const message of messages)
          this.#said('MESSAGE_CREATE', message, Date.now(), this.#places.serverOf(channelId))
        const last = messageOf(messages.at(-1))?.id
        if (!last || messages.length < 100) return
        after = last
      }
    } catch (error) {
      this.#log(`what was missed in a channel could not be read: ${error instanceof Error ? error.message : error}`)
    }
  }
}
