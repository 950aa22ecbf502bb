import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { summaryPrompt } from '../../../agent/runtime/system-prompt.ts'
import { anthropicMessages } from '../../../domain/models/anthropic-messages.ts'
import type { ApiFormat } from '../../../domain/models/api-format.ts'
import { noUsage, type Usage } from '../../../domain/models/cost.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import { UsageMeter } from '../../../domain/models/usage-meter.ts'
import { errorOf, refuseIn } from '../refuse-call.ts'
import { type Answer, chatWire, messagesWire, type Request, type Wire } from './wires.ts'

/** The model's next step: an answer, or a function of the request that returns one. */
export type Play = Answer | ((seen: Request) => Answer)

/** A failure in place of the answer to a call; the next call gets the model's answer. */
export type Fault = { status: number; retryAfter?: number } | { cut: true } | { failed: true }

/** A server to use in place of the script. */
export interface Upstream {
  baseUrl: string
  headers: Record<string, string>
  model: string
}

/**
 * A provider of models as the agent sees it: scripted, or in front of a real provider. It fails as its `faults` say.
 */
export class Provider {
  plays: Play[] = []
  /** Faults by the number of the call, from 0. */
  faults: Record<number, Fault> = {}
  /** The model's summary of a conversation. */
  summary: (seen: Request) => string = () => 'Nothing of note.'
  /** Longest request in characters; longer ones are refused as too long for the model. */
  longest = Number.POSITIVE_INFINITY
  upstream: Upstream | null = null
  readonly requests: Request[] = []
  /** Requests that a real provider would have refused, with the reason. */
  readonly violations: string[] = []
  /** Calls after the end of the script. */
  overrun = 0
  usage: Usage = { ...noUsage }
  #calls = 0
  #cached = ''
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy())
  })

  get url(): string {
    const { port } = this.#server.address() as AddressInfo // safe because it listens on TCP
    return `http://127.0.0.1:${port}`
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Sets the script of the next turn; its calls are counted from 0. */
  begin(plays: readonly Play[], faults: Record<number, Fault>): void {
    this.plays = [...plays]
    this.faults = faults
    this.#calls = 0
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [wire, format] = request.url?.endsWith('/messages') ? messagesForm : chatForm
    const raw = await readText(request)
    const fault = this.faults[this.#calls++]
    if (fault && 'status' in fault) return refuse(response, format, fault.status, fault.retryAfter)
    const seen = this.#read(wire, format, raw)
    if (seen === null || raw.length > this.longest) return refuse(response, format, 400)
    this.requests.push(seen)
    const send = this.#metered(response, format, fault)
    if (this.upstream) return forward(this.upstream, wire, raw, request.headers, response, send)
    const answer = fault ? { say: 'This is never read to its end.' } : this.#answer(seen)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of wire.events(answer, this.#count(seen, answer))) {
      if (fault && 'failed' in fault && send.count() === 2) send(wire.failure)
      if (!send(event)) return
    }
    response.end()
  }

  /** The request as the service's own rules and the provider's parse it; null when they refuse it. */
  #read(wire: Wire, format: ApiFormat, raw: string): Request | null {
    try {
      format.parseRequest(raw, {})
      const seen = wire.read(JSON.parse(raw))
      this.violations.push(...seen.violations)
      return seen.violations.length === 0 ? seen : null
    } catch (thrown) {
      this.violations.push(String(thrown))
      return null
    }
  }

  #answer(seen: Request): Answer {
    if (seen.system === summaryPrompt) return { say: this.summary(seen) }
    const play = this.plays.shift()
    if (!play) this.overrun++
    return typeof play === 'function' ? play(seen) : (play ?? { say: 'The script is over.' })
  }

  /**
   * Usage as counted by a provider that caches the prefix shared with the last request, at four characters a token;
   * text that is marked for caching costs more.
   */
  #count(seen: Request, answer: Answer): Usage {
    const prefix = commonPrefix(this.#cached, seen.prompt)
    this.#cached = seen.prompt
    const cachedInput = prefix >= 4_096 ? Math.floor(prefix / 4) : 0
    const rest = Math.ceil(seen.prompt.length / 4) - cachedInput
    const output = Math.ceil(JSON.stringify(answer).length / 4)
    return { ...noUsage, ...(seen.marks > 0 ? { cacheWrite: rest } : { input: rest }), cachedInput, output }
  }

  /**
   * Forwards bytes, reads the usage from them, and cuts the stream for a `cut` fault. False when the client accepts no
   * more.
   */
  #metered(response: ServerResponse, format: ApiFormat, fault: Fault | undefined) {
    const meter = new UsageMeter(format, false)
    let count = 0
    let before: Usage = { ...noUsage }
    const send = (chunk: string | Uint8Array): boolean => {
      if (response.destroyed) return false
      count++
      meter.readChunk(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      const now = { ...noUsage, ...meter.usage.reported }
      for (const key of ['input', 'cachedInput', 'cacheWrite', 'cacheWriteHour', 'output'] as const)
        this.usage[key] += now[key] - before[key]
      before = now
      response.write(chunk)
      if (fault && 'cut' in fault && count === 3) response.destroy()
      return !response.destroyed
    }
    return Object.assign(send, { count: () => count })
  }
}

const chatForm = [chatWire, openaiChat] as const
const messagesForm = [messagesWire, anthropicMessages] as const

function commonPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

const refuse = (response: ServerResponse, format: ApiFormat, status: number, retryAfter?: number): void =>
  refuseIn(response, format, errorOf({ status, retryAfter }))

async function forward(
  { baseUrl, headers, model }: Upstream,
  wire: Wire,
  raw: string,
  asked: IncomingHttpHeaders,
  response: ServerResponse,
  send: (chunk: Uint8Array) => boolean,
): Promise<void> {
  const version = asked['anthropic-version']
  const answer = await fetch(`${baseUrl}${wire.path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(typeof version === 'string' && { 'anthropic-version': version }),
      ...headers,
    },
    body: JSON.stringify({ ...JSON.parse(raw), model }),
  })
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN)
  if (!answer.ok || !answer.body) {
    console.error(`the provider answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
    return refuse(
      response,
      wire === messagesWire ? anthropicMessages : openaiChat,
      answer.status,
      Number.isFinite(retryAfter) ? retryAfter : undefined,
    )
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for await (const chunk of answer.body) if (!send(chunk)) return
  response.end()
}
