/** The gateway: sessions over WebSockets, and what the account's changes are to each of them. */
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import type { Account } from '../account.ts'
import type { Application } from '../application.ts'
import type { Faults } from '../faults.ts'
import { newId } from '../ids.ts'
import { presentChannel, presentServer, presentUser } from '../present.ts'
import type { Channel, Message, Server } from '../records.ts'
import { opcodes, Session } from './session.ts'

const intents = { servers: 1 << 0, serverMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 }
const allIntents = (1 << 26) - 1
const closeCodes = {
  unknownOpcode: 4001,
  decode: 4002,
  notAuthenticated: 4003,
  authentication: 4004,
  sequence: 4007,
  timedOut: 4009,
  intents: 4013,
  disallowed: 4014,
}

const payload = z.object({ op: z.int(), d: z.unknown() })
const identify = z.object({ token: z.string(), intents: z.int().min(0), properties: z.looseObject({}) })
const resume = z.object({ token: z.string(), session_id: z.string(), seq: z.int() })

interface GatewayOptions {
  account: Account
  application: Application
  faults: Faults
  server: HttpServer
  url: () => string
  presentToBot: (message: Message, mayRead: boolean) => Record<string, unknown>
  heartbeatMs: number
}

export class Gateway {
  /** How often a session was begun, and one taken up again. */
  identified = 0
  resumed = 0
  readonly #options: GatewayOptions
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #sessions = new Map<string, Session>()
  #held: (() => void)[] = []

  constructor(options: GatewayOptions) {
    this.#options = options
    options.server.on('upgrade', (request: IncomingMessage, socket, head) => {
      const { pathname } = new URL(request.url ?? '/', 'http://discord')
      if (pathname !== '/gateway' || options.faults.downUntilMs > Date.now()) return void socket.destroy()
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#accept(opened))
    })
    this.#follow(options.account)
  }

  /** The connected clients. */
  get connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== null).length
  }

  /** Ends every connection; sessions go on. Without a code the network is gone. */
  drop(code?: number): void {
    for (const socket of this.#sockets.clients)
      if (code === undefined) socket.terminate()
      else socket.close(code)
  }

  /** Asks all clients to reconnect. */
  askToReconnect(): void {
    this.#tell({ op: opcodes.reconnect, d: null })
  }

  /** Says that sessions are over, or only that they must be resumed. */
  invalidate(resumable: boolean): void {
    if (!resumable) this.forget()
    this.#tell({ op: opcodes.invalidSession, d: resumable })
  }

  /** Clients must start a new session. */
  forget(): void {
    this.#sessions.clear()
  }

  close(): void {
    this.drop()
    this.#sockets.close()
  }

  #tell(message: object): void {
    for (const socket of this.#sockets.clients) socket.send(JSON.stringify(message))
  }

  #accept(socket: WebSocket): void {
    const { heartbeatMs, faults } = this.#options
    let session: Session | null = null
    let heardMs = Date.now()
    const timer = setInterval(() => {
      if (Date.now() - heardMs > 2 * heartbeatMs) socket.close(closeCodes.timedOut)
    }, heartbeatMs)
    socket.on('close', () => {
      clearInterval(timer)
      if (session?.socket === socket) session.socket = null
    })
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const read = payload.safeParse(parse(String(data)))
      if (!read.success) return socket.close(closeCodes.decode)
      const { op, d } = read.data
      heardMs = Date.now()
      if (op === opcodes.heartbeat) {
        if (!faults.deaf) socket.send(JSON.stringify({ op: opcodes.heartbeatAck }))
      } else if (op === opcodes.identify) session = this.#identify(socket, d)
      else if (op === opcodes.resume) session = this.#resume(socket, d)
      else socket.close(session ? closeCodes.unknownOpcode : closeCodes.notAuthenticated)
    })
    socket.send(JSON.stringify({ op: opcodes.hello, d: { heartbeat_interval: heartbeatMs } }))
  }

  #identify(socket: WebSocket, given: unknown): Session | null {
    const { application, account, url } = this.#options
    const read = identify.safeParse(given)
    if (!read.success) socket.close(closeCodes.decode)
    else if (read.data.token !== application.botToken) socket.close(closeCodes.authentication)
    else if (read.data.intents > allIntents) socket.close(closeCodes.intents)
    else if (read.data.intents & intents.messageContent && !application.messageContent)
      socket.close(closeCodes.disallowed)
    else {
      this.identified += 1
      const session = new Session(newId(), read.data.intents, socket)
      this.#sessions.set(session.id, session)
      const servers = this.#serversOfBot()
      session.dispatch('READY', {
        v: 10,
        user: presentUser(account.bot),
        guilds: servers.map(({ id }) => ({ id, unavailable: true })),
        session_id: session.id,
        resume_gateway_url: url(),
        application: { id: application.id, flags: 0 },
      })
      if (session.intents & intents.servers)
        for (const server of servers) session.dispatch('GUILD_CREATE', this.#joined(server))
      return session
    }
    return null
  }

  #resume(socket: WebSocket, given: unknown): Session | null {
    const read = resume.safeParse(given)
    if (!read.success) {
      socket.close(closeCodes.decode)
      return null
    }
    if (read.data.token !== this.#options.application.botToken) {
      socket.close(closeCodes.authentication)
      return null
    }
    const session = this.#sessions.get(read.data.session_id)
    if (!session?.resume(socket, read.data.seq)) {
      socket.send(JSON.stringify({ op: opcodes.invalidSession, d: false }))
      return null
    }
    this.resumed += 1
    return session
  }

  #serversOfBot(): Server[] {
    const { account } = this.#options
    return [...account.servers.values()].filter(({ members }) => members.has(account.bot.id))
  }

  #joined(server: Server) {
    const { account } = this.#options
    return {
      ...presentServer(server),
      joined_at: new Date(0).toISOString(),
      large: false,
      unavailable: false,
      member_count: server.members.size,
      members: [],
      channels: account.channelsOf(server.id).map((channel) => presentChannel(account, channel)),
      threads: [],
      presences: [],
      voice_states: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    }
  }

  #follow(account: Account): void {
    const message = (t: string) => (said: Message) =>
      this.#dispatch(t, said.channel, (session) => ({
        ...this.#options.presentToBot(said, (session.intents & intents.messageContent) !== 0),
        channel_type: said.channel.type,
        ...(said.channel.guild_id && { guild_id: said.channel.guild_id, member: { roles: [] } }),
      }))
    account.on('created', message('MESSAGE_CREATE'))
    account.on('updated', message('MESSAGE_UPDATE'))
    account.on('deleted', ({ id, channel }) =>
      this.#dispatch('MESSAGE_DELETE', channel, () => ({
        id,
        channel_id: channel.id,
        ...(channel.guild_id && { guild_id: channel.guild_id }),
      })),
    )
    account.on('joined', (server) => this.#send(intents.servers, 'GUILD_CREATE', () => this.#joined(server)))
    account.on('left', ({ id }) => this.#send(intents.servers, 'GUILD_DELETE', () => ({ id })))
    account.on('channelGone', (channel) =>
      this.#send(intents.servers, 'CHANNEL_DELETE', () => presentChannel(account, channel)),
    )
  }

  #dispatch(t: string, channel: Channel, d: (session: Session) => unknown): void {
    const { account } = this.#options
    if (!account.isIn(channel, account.bot.id)) return
    this.#send(channel.guild_id ? intents.serverMessages : intents.directMessages, t, d)
  }

  #send(wanted: number, t: string, d: (session: Session) => unknown): void {
    const { faults } = this.#options
    const sessions = [...this.#sessions.values()].filter((session) => session.intents & wanted)
    const send = () => {
      for (const session of sessions)
        for (let time = 0; time <= faults.duplicates; time += 1) session.dispatch(t, d(session))
    }
    this.#held.push(send)
    if (this.#held.length < faults.reordered) return
    faults.reordered = 0
    for (const held of this.#held.splice(0).reverse()) held()
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
