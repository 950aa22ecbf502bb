const opcodes = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

export interface SessionState {
  id: string
  /** The last event's sequence number; null before the first event. */
  sequence: number | null
  url: string
}

export type Ending =
  /** Resume the session; null starts a new one. */
  | { kind: 'again'; session: SessionState | null }
  /** Discord refused privileged events: start a new session without them. */
  | { kind: 'without-content' }
  /** Retrying fails: the token is wrong, or there are too many servers for one connection. */
  | { kind: 'hopeless'; code: number }

interface ConnectionOptions {
  url: string
  token: string
  intents: number
  /** Null starts a new session. */
  session: SessionState | null
  /** Called in the order of the events. */
  dispatched(event: { t: string; d: unknown }): void
  /** Discord requires a wait of one to five seconds before a new session; ms. */
  invalidWaitMs: number
  signal: AbortSignal
}

/** Close codes that end the session, by Discord's list. */
const sessionOver = [1000, 1001, 4003, 4007, 4009]
const hopeless = [4004, 4010, 4011, 4012, 4013]
const contentRefused = 4014

/** Any code but 1000 and 1001, which would end the session. */
const ourClose = 4900

const helloMs = 20_000

/** Connects, identifies or resumes, and passes on events until the connection ends. */
export function connect(options: ConnectionOptions): Promise<Ending> {
  const { token, intents, dispatched, signal } = options
  let session = options.session
  const url = new URL(options.url)
  url.search = '?v=10&encoding=json'
  const socket = new WebSocket(url)
  const { promise, resolve } = Promise.withResolvers<Ending>()
  let beat: NodeJS.Timeout | undefined
  let leave: NodeJS.Timeout | undefined
  let acknowledged = true
  let over = false

  function end(ending: Ending): void {
    if (over) return
    over = true
    for (const timer of [beat, leave, silent]) clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    // Do not wait for a server that does not answer the close.
    socket.close(ourClose)
    resolve(ending)
  }
  const abort = () => end({ kind: 'again', session })
  const send = (op: number, d: unknown) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ op, d }))
  }
  const silent = setTimeout(abort, helloMs)
  signal.addEventListener('abort', abort)

  function heartbeat(everyMs: number): void {
    if (!acknowledged) {
      end({ kind: 'again', session })
      return
    }
    acknowledged = false
    send(opcodes.heartbeat, session?.sequence ?? null)
    beat = setTimeout(heartbeat, everyMs, everyMs)
  }

  function hello(d: unknown): void {
    clearTimeout(silent)
    const { heartbeat_interval: everyMs } = Object(d) as { heartbeat_interval?: unknown } // safe because it is unknown
    if (typeof everyMs !== 'number') {
      end({ kind: 'again', session })
      return
    }
    clearTimeout(beat)
    beat = setTimeout(heartbeat, everyMs * Math.random(), everyMs)
    if (session) send(opcodes.resume, { token, session_id: session.id, seq: session.sequence ?? 0 })
    else send(opcodes.identify, { token, intents, properties: { os: 'linux', browser: 'berth', device: 'berth' } })
  }

  function dispatch(t: string, d: unknown, sequence: number | null): void {
    if (t === 'READY') session = startedBy(d, options.url)
    if (session && sequence !== null) session = { ...session, sequence }
    dispatched({ t, d })
  }

  function receive({ op, d, t, s }: { op?: unknown; d?: unknown; t?: unknown; s?: unknown }): void {
    if (op === opcodes.dispatch && typeof t === 'string') dispatch(t, d, typeof s === 'number' ? s : null)
    else if (op === opcodes.heartbeatAck) acknowledged = true
    else if (op === opcodes.heartbeat) send(opcodes.heartbeat, session?.sequence ?? null)
    else if (op === opcodes.hello) hello(d)
    else if (op === opcodes.reconnect) end({ kind: 'again', session })
    else if (op === opcodes.invalidSession) {
      // Heartbeats continue meanwhile, or Discord would end the session.
      leave = setTimeout(() => end({ kind: 'again', session: d === true ? session : null }), options.invalidWaitMs)
    }
  }

  socket.addEventListener('message', ({ data }) => {
    if (over) return
    try {
      receive(Object(JSON.parse(String(data))))
    } catch {
      // The sequence number shows the gap.
    }
  })
  socket.addEventListener('close', ({ code }) => {
    if (code === contentRefused) end({ kind: 'without-content' })
    else if (hopeless.includes(code)) end({ kind: 'hopeless', code })
    else end({ kind: 'again', session: sessionOver.includes(code) ? null : session })
  })
  // `close` follows.
  socket.addEventListener('error', () => {})
  return promise
}

function startedBy(d: unknown, url: string): SessionState | null {
  const { session_id: id, resume_gateway_url: next } = Object(d) as {
    session_id?: unknown
    resume_gateway_url?: unknown
  } // safe because both are unknown
  return typeof id === 'string' ? { id, sequence: null, url: typeof next === 'string' ? next : url } : null
}
