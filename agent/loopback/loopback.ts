import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Audience } from '../../domain/actor.ts'
import { bearerOf, isKey } from '../kit/headers.ts'
import { readBytes } from '../kit/http.ts'
import { parseObject } from '../kit/json.ts'
import { createServer } from '../kit/node-http.ts'
import type { SecretCalls } from '../secrets/calls.ts'
import { type OutgoingFiles, Unsendable } from '../supervisor/outgoing-files.ts'
import type { Report, RuntimeReports } from '../supervisor/runtime-reports.ts'
import { problem } from './errors.ts'
import { Forwarder, type ForwarderOptions } from './forwarder.ts'
import type { Body } from './large-bodies.ts'
import { answerPoll, type Poll, type PollOptions, pollsOf } from './polls.ts'

const maxReportBytes = 2 * 1024 * 1024

type LoopbackOptions = ForwarderOptions &
  PollOptions & {
    outgoing: Pick<OutgoingFiles, 'send'>
    reports: Pick<RuntimeReports, 'take' | 'answered' | 'masked' | 'working'>
    secrets: Pick<SecretCalls, 'serve'>
  }

export async function startLoopback(options: LoopbackOptions): Promise<Loopback> {
  const loopback = new Loopback(options)
  await loopback.listen()
  return loopback
}

/** SDKs and the runtime call the service here, so they never hold a machine token. */
export class Loopback {
  readonly key = `bl_${randomBytes(24).toString('base64url')}`
  address = ''
  readonly #options: LoopbackOptions
  readonly #forwarder: Forwarder
  readonly #polls: Readonly<Record<string, Poll>>
  readonly #server = createServer((request, response) => this.#serve(request, response))
  #calls = 0

  constructor(options: LoopbackOptions) {
    this.#options = options
    this.#forwarder = new Forwarder(options)
    this.#polls = pollsOf(options)
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const bound = this.#server.address()
    if (bound === null || typeof bound === 'string') throw new Error('the loopback has no port')
    this.address = `http://127.0.0.1:${bound.port}`
  }

  /** Model calls under way. */
  calls(): number {
    return this.#calls
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const isForSecrets = /^\/secrets(\/|$)/.test(request.url ?? '')
    const promptId = isForSecrets ? undefined : takeTurn(request)
    const audience = audienceOf(request.url ?? '')
    if (isForSecrets) void this.#options.secrets.serve(request, response, this.key)
    else if (!hasKey(request.headers, this.key)) problem(response, 401, 'unauthorized', 'Send the loopback key.')
    else if (!audience) problem(response, 404, 'not-found', 'There is no such address on the loopback.')
    else this.#route(request, response, audience, promptId)
  }

  #route(request: IncomingMessage, response: ServerResponse, audience: Audience, promptId?: string): void {
    if (audience === 'llm') {
      this.#calls++
      response.once('close', () => this.#calls--)
    }
    const poll = request.method === 'GET' ? this.#polls[pathOf(request)] : undefined
    if (poll) void this.#answerPoll(request, response, poll)
    else if (request.method === 'POST' && audience === 'agent') void this.#passReport(request, response)
    else if (audience === 'llm') void this.#forwarder.passCall(request, response, promptId)
    else this.#forwarder.pass(request, response, audience)
  }

  async #answerPoll(request: IncomingMessage, response: ServerResponse, poll: Poll): Promise<void> {
    try {
      await answerPoll(request, response, poll)
    } catch (error) {
      this.#forwarder.unreachable(response, 'agent', error)
    }
  }

  async #passReport(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { reports } = this.#options
    const body = await readBytes(request, maxReportBytes).catch(() => null)
    if (body === null) return problem(response, 413, 'too-large', 'A report takes at most 2 MiB.')
    const report: Report = { path: request.url ?? '', ...parseObject<Omit<Report, 'path'>>(body.toString('utf8')) }
    const answer = reports.take(report)
    if (answer) return sendJson(response, answer.status, answer.body)
    const sent = await this.#withFiles(report, reports.masked(report, body), response)
    if (sent === null) return
    const whole: Body = { kind: 'whole', parts: [sent], size: sent.length }
    this.#forwarder.pass(request, response, 'agent', whole, { reported: (status) => reports.answered(report, status) })
  }

  /** The report with its files uploaded; null if an error was already sent. */
  async #withFiles(report: Report, body: Buffer, response: ServerResponse): Promise<Buffer | null> {
    const { outgoing, reports } = this.#options
    const { path, kind, attachments, ...rest } = report
    if (path !== '/agent/observe' || (kind !== 'reply' && kind !== 'message') || !Array.isArray(attachments))
      return body
    try {
      const ids = await outgoing.send(String(rest.promptId ?? rest.key), attachments, () => reports.working(report))
      return Buffer.from(JSON.stringify({ ...rest, kind, attachments: ids }))
    } catch (error) {
      if (!(error instanceof Unsendable)) this.#forwarder.unreachable(response, 'agent', error)
      else {
        const { message } = error
        reports.answered(report, 400)
        sendJson(response, 400, { error: 'validation', message, details: { attachments: [message] } })
      }
      return null
    }
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

const agentTargets: Readonly<Record<string, Audience>> = {
  '/agent/files': 'files',
  '/agent/prompt': 'agent',
  '/agent/context': 'agent',
  '/agent/question': 'agent',
  '/agent/stopped': 'agent',
  '/agent/refusal': 'agent',
  '/agent/observe': 'agent',
  '/agent/feedback': 'agent',
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

/** Removes the prefix `/turns/<prompt>[/<child>]` from the request's address. @returns the prompt */
function takeTurn(request: IncomingMessage): string | undefined {
  const [, promptId, child, rest] =
    /^\/turns\/(prm_\w+)(?:\/([\w.-]+))??(\/llm\/proxy.*)$/.exec(request.url ?? '') ?? []
  if (rest !== undefined) request.url = rest
  if (child !== undefined) request.headers['x-berth-child'] = child
  return promptId
}

/** The audience of an unnormalised target; a target that needs normalising has none. */
function audienceOf(target: string): Audience | undefined {
  const path = target.split('?', 1)[0] ?? ''
  if (/^\/agent\/schedules(\/sch_\w+)?$/.test(path)) return 'agent'
  if (/^\/llm\/proxy(\/[\w-]+)*$/.test(path)) return 'llm'
  return Object.hasOwn(agentTargets, path) ? agentTargets[path] : undefined
}

const hasKey = (headers: IncomingHttpHeaders, key: string): boolean =>
  isKey(bearerOf(headers) ?? headers['x-api-key'], key)
