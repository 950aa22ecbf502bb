import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { Answer, Service } from '../kit/service.ts'
import { upload } from '../volume/store.ts'

/** Maximum bytes of a body sent with a call, and of a body sent through storage. */
export const directBytes = 4 * 1024 * 1024
export const mostBytes = 32 * 1024 * 1024

/** Bodies in memory at once; further senders wait. */
const atOnce = 2

/** How a call's body reaches the service: streamed, with the call, or stored before it under a name. */
export type Body =
  | { kind: 'streamed' }
  | { kind: 'whole'; parts: Buffer[]; size: number }
  | { kind: 'handed-over'; id: string }
  | { kind: 'too-large' }
  /** The body's coding is unknown, or is not the declared one. */
  | { kind: 'undecodable' }
  | { kind: 'refused'; answer: Answer<never> & { ok: false } }

type Decode = (sent: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const decoders = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
])

/** Codex compresses with zstd, which API Gateway refuses. */
export const bodyCodings = [...decoders.keys()].join(', ')

/** Reads bodies of model calls, and stores those that are too large for a call. */
export class LargeBodies {
  readonly #service: Service
  readonly #waiting: (() => void)[] = []
  #reading = 0

  constructor(service: Service) {
    this.#service = service
  }

  /** @throws what the connections throw, and StoreError */
  async take(request: IncomingMessage): Promise<Body> {
    const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
    if (coding !== 'identity') return this.#inTurn(() => this.#decode(request, coding))
    const declared = Number(request.headers['content-length'] ?? Number.NaN)
    if (declared <= directBytes || request.method !== 'POST') return { kind: 'streamed' }
    if (declared > mostBytes) return { kind: 'too-large' }
    return this.#inTurn(() => this.#read(request))
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#reading >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#reading++
    try {
      return await run()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#reading--
    }
  }

  /** Decodes the body, and drops the header that names its coding. */
  async #decode(request: IncomingMessage, coding: string): Promise<Body> {
    const decode = decoders.get(coding)
    if (!decode) return { kind: 'undecodable' }
    const parts = await this.#gather(request)
    if (!parts) return { kind: 'too-large' }
    const decoded = await decode(Buffer.concat(parts), { maxOutputLength: mostBytes }).catch((error: unknown) =>
      error instanceof RangeError ? ('too-large' as const) : ('undecodable' as const),
    )
    if (typeof decoded === 'string') return { kind: decoded }
    delete request.headers['content-encoding']
    return this.#pass(request, [decoded])
  }

  async #read(request: IncomingMessage): Promise<Body> {
    const parts = await this.#gather(request)
    return parts ? this.#pass(request, parts) : { kind: 'too-large' }
  }

  /** @returns null for a body that is too large */
  async #gather(request: IncomingMessage): Promise<Buffer[] | null> {
    const parts: Buffer[] = []
    let size = 0
    // The connection must stay open for the answer, even if the body is not read to its end.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      size += part.length
      if (size > mostBytes) return null
      parts.push(part)
    }
    return parts
  }

  async #pass(request: IncomingMessage, parts: Buffer[]): Promise<Body> {
    const size = parts.reduce((sum, part) => sum + part.length, 0)
    if (size <= directBytes) return { kind: 'whole', parts, size }
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return this.#handOver(request, parts, { size, sha256: hash.digest('hex') })
  }

  async #handOver(request: IncomingMessage, parts: Buffer[], body: { size: number; sha256: string }): Promise<Body> {
    const answer = await this.#service.call<{ id: string; url: string }>('llm', '/llm/proxy/bodies', {
      body,
      headers: turnOf(request),
    })
    if (!answer.ok) return { kind: 'refused', answer }
    const checksum = Buffer.from(body.sha256, 'hex').toString('base64')
    await upload(answer.body.url, body.size, () => Readable.from(parts), { 'x-amz-checksum-sha256': checksum })
    return { kind: 'handed-over', id: answer.body.id }
  }
}

/** The headers that attribute a call to a turn, which decides whether it can be paid. */
const turnOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    ['x-berth-turn', 'x-berth-trigger'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
