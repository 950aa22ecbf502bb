/** A push service on this computer: see README.md. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newSubscriber, type Subscriber } from './subscriber.ts'
import { refusalOf } from './vapid.ts'

/** A push as it came. */
interface PushedMessage {
  headers: IncomingHttpHeaders
  body: Buffer
  topic: string | null
}

/** The answer to the next push. */
interface Scripted {
  status: number
  headers?: Record<string, string>
}

interface PushService {
  /** `http://127.0.0.1:…` */
  origin: string
  /** A browser that subscribes; @param key base64url, the sender's, or null for one that takes any */
  subscribe(key: string | null): Subscriber
  /** From now on it is gone (410). */
  end(endpoint: string): void
  /** Answers the next pushes so, in this order, and keeps none of them. */
  script(endpoint: string, ...answers: Scripted[]): void
  /** The accepted pushes, oldest first. */
  messages(endpoint: string): readonly PushedMessage[]
  /** Statuses of all answers, in order. */
  answered(endpoint: string): readonly number[]
  close(): Promise<void>
}

interface Subscription {
  key: string | null
  ended: boolean
  script: Scripted[]
  messages: PushedMessage[]
  answered: number[]
}

const mostBytes = 4_096

export async function startPushService(port = 0): Promise<PushService> {
  const subscriptions = new Map<string, Subscription>()
  const server = createServer(async (request, response) => {
    const found = subscriptions.get(request.url ?? '')
    const body = await bodyOf(request)
    const answer = answerOf(found, request, body, origin)
    found?.answered.push(answer.status)
    if (answer.status === 201 && found) keep(found, request.headers, body)
    response.writeHead(answer.status, answer.headers).end()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because it listens on TCP
  const of = (endpoint: string): Subscription => {
    const found = subscriptions.get(endpoint.slice(origin.length))
    if (!found) throw new Error(`no subscription ${endpoint}`)
    return found
  }
  return {
    origin,
    subscribe(key) {
      const path = `/push/${subscriptions.size + 1}`
      subscriptions.set(path, { key, ended: false, script: [], messages: [], answered: [] })
      return newSubscriber(origin + path)
    },
    end(endpoint) {
      of(endpoint).ended = true
    },
    script: (endpoint, ...answers) => void of(endpoint).script.push(...answers),
    messages: (endpoint) => of(endpoint).messages,
    answered: (endpoint) => of(endpoint).answered,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answerOf(
  found: Subscription | undefined,
  { method, headers, url }: IncomingMessage,
  body: Buffer,
  origin: string,
): Scripted {
  if (method !== 'POST') return { status: 405 }
  if (!found) return { status: 404 }
  if (found.ended) return { status: 410 }
  const next = found.script.shift()
  if (next) return next
  const refusal = refusalOf(headers.authorization, found.key, origin)
  if (refusal) return { status: refusal }
  if (!/^\d+$/.test(headers.ttl?.toString() ?? '') || headers['content-encoding'] !== 'aes128gcm')
    return { status: 400 }
  if (!/^[\w-]{0,32}$/.test(headers.topic?.toString() ?? '')) return { status: 400 }
  if (body.length > mostBytes) return { status: 413 }
  return { status: 201, headers: { location: `${origin}${url}/messages/${found.messages.length + 1}` } }
}

/** One with a topic takes the place of the one that waits under it. */
function keep(found: Subscription, headers: IncomingHttpHeaders, body: Buffer): void {
  const topic = headers.topic?.toString() ?? null
  if (topic !== null) found.messages = found.messages.filter((message) => message.topic !== topic)
  found.messages.push({ headers, body, topic })
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}
