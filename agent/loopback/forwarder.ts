import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Audience } from '../../domain/actor.ts'
import { endToEnd } from '../kit/headers.ts'
import { open } from '../kit/http.ts'
import { type Log, nameOf } from '../kit/log.ts'
import { type Refusal, readRefusal } from '../kit/refusal.ts'
import type { Service } from '../kit/service.ts'
import type { Turns } from '../supervisor/turns.ts'
import { problem, refuse } from './errors.ts'
import { type Body, bodyCodings, LargeBodies, mostBytes } from './large-bodies.ts'

export interface ForwarderOptions {
  service: Service
  /** The model that `default` means. */
  model: () => string
  turns: Pick<Turns, 'find' | 'has' | 'noteRefusal' | 'proofOf' | 'stopOf' | 'traceOf'>
  log: Log
}

/** Passes the runtime's requests on to the service, with the machine's tokens. */
export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #bodies: LargeBodies

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#bodies = new LargeBodies(options.service)
  }

  unreachable(response: ServerResponse, audience: Audience, error: unknown): void {
    if (response.destroyed || response.writableEnded) return
    this.#options.log('the service did not answer', { audience, because: nameOf(error) })
    if (response.headersSent) response.destroy()
    else problem(response, 502, 'provider-error', 'The service cannot be reached. Retry in 4, 8, 16, then 32 seconds.')
  }

  /** A call belongs to the turn that its address or proof names, or to the only turn. Stopped turns make no calls. */
  async passCall(request: IncomingMessage, response: ServerResponse, named?: string): Promise<void> {
    const { turns } = this.#options
    try {
      const turnHeader = request.headers['x-berth-turn']
      const promptId = named ?? turns.find(typeof turnHeader === 'string' ? turnHeader : undefined)
      const stop = promptId === undefined ? undefined : turns.stopOf(promptId)
      if (named !== undefined && !turns.has(named))
        return problem(response, 404, 'not-found', 'There is no such prompt under way.')
      if (promptId !== undefined) request.headers['x-berth-turn'] = (await turns.proofOf(promptId)) ?? turnHeader
      const trace = promptId && turns.traceOf(promptId)
      if (trace) request.headers['x-amzn-trace-id'] = `Root=${trace}`
      if (stop?.aborted) return endStopped(response)
      if (stop) endWith(stop, response)
      this.#passBody(request, response, await this.#bodies.take(request), promptId)
    } catch (error) {
      this.unreachable(response, 'llm', error)
    }
  }

  #passBody(request: IncomingMessage, response: ServerResponse, body: Body, promptId?: string): void {
    // The caller has left.
    if (response.destroyed) return
    if (body.kind === 'refused') {
      this.#note(request, promptId, readRefusal(body.answer.status, body.answer.headers, body.answer.text))
      refuse(response, body.answer)
    } else if (body.kind === 'undecodable')
      problem(response, 415, 'invalid-json', `Send a body as it is, or in one of these codings: ${bodyCodings}.`)
    else if (body.kind === 'too-large')
      problem(response, 413, 'too-large', `A call has at most ${mostBytes / 2 ** 20} MB. Send less.`)
    else this.pass(request, response, 'llm', body, { refused: (refusal) => this.#note(request, promptId, refusal) })
  }

  /** Notes the error of a turn's model call, or null for its success, for the runtime that cannot read it. */
  #note({ method, url = '' }: IncomingMessage, promptId: string | undefined, refusal: Refusal | null): void {
    const isCall = method === 'POST' && !/tokens(\?|$)/.test(url)
    if (isCall && promptId !== undefined) this.#options.turns.noteRefusal(promptId, refusal)
  }

  pass(
    request: IncomingMessage,
    response: ServerResponse,
    audience: Audience,
    body?: Body,
    { reported, refused }: Listeners = {},
  ): void {
    const { service } = this.#options
    const method = request.method ?? 'GET'
    const url = body?.kind === 'handed-over' ? largeTarget(request.url) : request.url
    const upstream = open(`${service.api}${url}`, { method, headers: this.#headers(request, audience, body) })
    let answered = false
    upstream.once('response', (answer) => {
      answered = true
      const status = answer.statusCode ?? 502
      // Call this before the runtime hears the status and asks for more.
      reported?.(status)
      response.writeHead(status, endToEnd(answer.headers))
      response.flushHeaders()
      if (refused) hearRefusal(answer, status, refused)
      if (status !== 401) service.note(audience, status, answer.headers)
      // Note a refusal after it was sent: it ends this machine.
      pipeline(answer, response, () => status === 401 && service.note(audience, status, answer.headers))
    })
    upstream.on('error', (error) => this.unreachable(response, audience, error))
    response.once('close', () => {
      // Also when the supervisor ended it for a stopped turn.
      if (!response.writableFinished || !answered) upstream.destroy()
    })
    if (body?.kind === 'whole') Readable.from(body.parts).pipe(upstream)
    else if (body?.kind === 'handed-over') upstream.end()
    else request.pipe(upstream)
  }

  #headers(request: IncomingMessage, audience: Audience, body?: Body) {
    const { service, model } = this.#options
    return {
      ...(audience === 'llm' && { 'x-berth-model': model() }),
      ...endToEnd(request.headers),
      ...(body?.kind === 'whole' && { 'content-length': String(body.size) }),
      ...(body?.kind === 'handed-over' && { 'content-length': '0', 'x-berth-body': body.id }),
      authorization: service.bearer(audience),
    }
  }
}

/** A function with more memory makes the calls whose body was uploaded. */
const largeTarget = (target = ''): string =>
  target.replace(
    /^\/llm\/proxy((?:\/v1)*(?=\/))?/,
    (_, versions?: string) => `/llm/proxy/large${versions === undefined ? '' : '/v1'}`,
  )

/** Each is called before the caller hears of it. */
interface Listeners {
  reported?: (status: number) => void
  /** Receives null for a success. */
  refused?: (refusal: Refusal | null) => void
}

const maxRefusalBytes = 16_384

function hearRefusal(answer: IncomingMessage, status: number, refused: (refusal: Refusal | null) => void): void {
  if (status < 400) {
    refused(null)
    return
  }
  const parts: Buffer[] = []
  let size = 0
  answer.on('data', (part: Buffer) => {
    size += part.length
    if (size <= maxRefusalBytes) parts.push(part)
  })
  answer.once('end', () => refused(readRefusal(status, answer.headers, Buffer.concat(parts).toString('utf8'))))
}

const stoppedMessage = 'The user wants no answer to this any more: close its prompt as stopped.'

function endStopped(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else problem(response, 403, 'forbidden', stoppedMessage)
}

function endWith(stop: AbortSignal, response: ServerResponse): void {
  const end = () => endStopped(response)
  stop.addEventListener('abort', end)
  response.once('close', () => stop.removeEventListener('abort', end))
}
