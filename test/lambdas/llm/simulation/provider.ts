import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noUsage, type Usage } from '../../../../domain/models/cost.ts'
import type { ChatFormatName } from '../../../../domain/models/model.ts'
import { textOf } from './texts.ts'
import { type PieceKind, wires } from './wire.ts'

/** A provider's behaviour instead of a response. */
export type Refusal = number | 'drop'

/**
 * The end of a response: complete, without a report, by the provider's own error with or without a report, or by a
 * broken connection.
 */
export type Ending = 'whole' | 'unreported' | 'error' | 'billed-error' | 'reset'

/** The provider's usage report to the proxy: the input, everything, or everything together with an error. */
type Report = 'input' | 'all' | 'failed' | null

/** A provider's plan for one call, at any of its addresses. */
export interface Plan {
  /** Refused tries before a response. */
  refusals: Refusal[]
  /** Usage of the prompt. */
  input: Pick<Usage, 'input' | 'cachedInput' | 'cacheWrite'>
  /** Silence before the head of the response, in ms. */
  headMs: number
  /** Reasoning tokens without output, with the time of each part. */
  hidden: { tokens: number; ms: number }[]
  pieces: { tokens: number; ms: number; kind: PieceKind; text: number; choice: number }[]
  ending: Ending
  /** Number of parts before an incomplete response ends. */
  endsAfter: number
}

/** One try with status 200: the sent bytes and the provider's bill. */
export class Answer {
  /** `provider/model`, as our list names it. */
  readonly model: string
  readonly bill: Usage
  head = false
  over = false
  /** Whether the provider itself broke off before its report. */
  brokeOff = false
  /** Bytes and tokens of a stream after each written part. */
  readonly marks: { bytes: number; tokens: number; report: Report }[] = []
  written = 0
  /** Bytes that the proxy has read; all of them once its reading has ended normally. */
  read = 0
  readWhole = false
  readonly #response: ServerResponse
  readonly #wire: (typeof wires)[ChatFormatName]
  readonly #stream: boolean
  readonly #plan: Plan
  #text = ''
  #sent = 0

  constructor(model: string, format: ChatFormatName, stream: boolean, response: ServerResponse, plan: Plan) {
    this.model = model
    this.#wire = wires[format]
    this.#stream = stream
    this.#response = response
    this.bill = { ...noUsage }
    response.once('close', () => {
      this.over = true
    })
    this.#plan = plan
  }

  /** Sends the head: from here on the input is billed. */
  begin(): void {
    if (this.over) return
    this.head = true
    Object.assign(this.bill, this.#plan.input)
    this.#response.writeHead(200, { 'content-type': this.#stream ? 'text/event-stream' : 'application/json' })
    this.#response.flushHeaders()
    if (this.#stream) this.#write(this.#wire.open(this.bill), this.#wire.opensWithInput ? 'input' : null)
  }

  think(tokens: number): void {
    if (this.over) return
    this.bill.output += tokens
    this.bill.reasoning += tokens
  }

  say(piece: Plan['pieces'][number]): void {
    if (this.over) return
    const text = textOf(piece.text, piece.text, piece.tokens)
    this.bill.output += piece.tokens
    if (piece.kind === 'thought') this.bill.reasoning += piece.tokens
    this.#sent += piece.tokens
    if (this.#stream) this.#write(this.#wire.piece(text, piece.kind, piece.choice), null)
    else this.#text += text
  }

  end(ending: Ending): void {
    if (this.over) return
    this.brokeOff = ending !== 'whole'
    if (this.#stream) this.#endStream(ending)
    else this.#endDocument(ending)
    this.over = true
  }

  #endStream(ending: Ending): void {
    if (ending === 'reset') return void this.#response.destroy()
    if (ending === 'error') this.#write(this.#wire.error, null)
    // A response with output has not failed.
    else if (ending === 'billed-error')
      this.#write(this.#wire.billedError(this.bill), this.#sent > 0 ? 'all' : 'failed')
    else this.#write(this.#wire.close(ending === 'whole' ? this.bill : null), ending === 'whole' ? 'all' : null)
    this.#response.end()
  }

  #endDocument(ending: Ending): void {
    const isBilled = ending === 'billed-error'
    const json = JSON.stringify(isBilled ? this.#wire.failed(this.bill) : this.#wire.document(this.#text, this.bill))
    if (ending === 'whole' || isBilled) {
      this.#write(json, isBilled ? 'failed' : 'all')
      return void this.#response.end()
    }
    if (ending === 'reset') return void this.#response.destroy()
    this.#write(json.slice(0, json.length >> 1), null)
    this.#response.end()
  }

  #write(text: string, report: Report): void {
    this.written += Buffer.byteLength(text)
    this.marks.push({ bytes: this.written, tokens: this.#stream ? this.#sent : 0, report })
    this.#response.write(text)
  }

  /** The tokens that the proxy has read, and the usage report that it got. */
  get seen(): { tokens: number; report: Report } {
    const seen = { tokens: 0, report: null as Report }
    for (const { bytes, tokens, report } of this.marks) {
      if (bytes > this.read) break
      seen.tokens = tokens
      seen.report = report ?? seen.report
    }
    if (!this.#stream && !this.readWhole) seen.report = null
    return seen
  }
}

/** The caller of a provider. Its plan is made at its first try, because the maximum output is known by then. */
export interface Asked {
  planFor(outputLimit: number): Plan
  /** The provider accepted a try and sends this response. */
  answers(answer: Answer, plan: Plan): void
  tries: number
  /** Whether the prompt exceeds the model's (`provider/model`) maximum. */
  isTooLongFor(modelId: string): boolean
}

const paths: [RegExp, ChatFormatName][] = [
  [/chat\/completions$/, 'openai-chat'],
  [/responses$/, 'openai-responses'],
  [/messages$/, 'anthropic-messages'],
]

/**
 * All providers over real HTTP, at `/<provider>/…`, in their own APIs' formats. Each knows its own bill: the input from
 * the head of its response on, and every output token as it makes it, including hidden ones.
 */
export async function startProviders(find: (mark: number) => Asked) {
  const open = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const raw = Buffer.concat(parts).toString()
    const mark = Number(/#call-(\d+) /.exec(raw)?.[1] ?? Number.NaN)
    const [, provider = ''] = (request.url ?? '').split('/')
    const format = paths.find(([path]) => path.test(request.url ?? ''))?.[1] ?? 'openai-chat'
    const { model, stream, n = 1, ...body } = JSON.parse(raw)
    const limit = body.max_completion_tokens ?? body.max_tokens ?? body.max_output_tokens
    open.add(response)
    response.once('close', () => open.delete(response))
    const asked = find(mark)
    const plan = asked.planFor(limit * n)
    const planned = plan.refusals[asked.tries++]
    const refusal = planned ?? (asked.isTooLongFor(`${provider}/${model}`) ? 400 : undefined)
    if (refusal === 'drop') return void request.socket.destroy()
    if (refusal !== undefined) {
      response.writeHead(refusal, { 'content-type': 'application/json' })
      return void response.end('{"error":{"message":"no"}}')
    }
    asked.answers(new Answer(`${provider}/${model}`, format, stream === true, response, plan), plan)
  })
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const url = (provider: string) => `http://127.0.0.1:${port}/${provider}`
  return {
    open,
    /** The secret of the service with these providers. */
    secret: {
      anthropic: { kind: 'anthropic', baseUrl: url('anthropic'), apiKey: 'k' },
      openai: { kind: 'openai', baseUrl: url('openai'), apiKey: 'k' },
      bedrock: { kind: 'bedrock', baseUrl: url('bedrock'), apiKey: 'k' },
      openrouter: { kind: 'openai', baseUrl: url('openrouter'), apiKey: 'k' },
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
