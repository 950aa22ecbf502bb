import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Audience } from '../domain/actor.ts'
import { open, readBytes } from './http.ts'
import { parseObject } from './json.ts'
import { type Body, LargeBodies, mostBytes } from './large-bodies.ts'
import { type Log, nameOf } from './log.ts'
import { bearerOf, endToEnd, isKey } from './loopback-headers.ts'
import type { Report, RuntimeReports } from './runtime-reports.ts'
import type { SecretCalls } from './secret-calls.ts'
import type { Answer, Service } from './service.ts'
import type { Poll } from './task-poller.ts'

/** Longest wait of the runtime's poll. */
const maxWaitSeconds = 20
/** Most bytes of a report. */
const maxReportBytes = 2 * 1024 * 1024

/** Where SDKs and the runtime reach the service on this machine, so that they never hold a machine token. */
export interface Loopback {
  address: string
  key: string
  /** Model calls under way. */
  calls(): number
  close(): void
}

interface LoopbackOptions {
  service: Service
  /** The model that a call for `default` means. */
  model: () => string
  poll: Poll
  reports: Pick<RuntimeReports, 'take' | 'answered'>
  secrets: Pick<SecretCalls, 'serve'>
  log: Log
}

export async function startLoopback({
  service,
  model,
  poll,
  reports,
  secrets,
  log,
}: LoopbackOptions): Promise<Loopback> {
  const key = `bl_${randomBytes(24).toString('base64url')}`
  const bodies = new LargeBodies(service)
  let calls = 0
  const server = createServer((request, response) => {
    if (/^\/secrets(\/|$)/.test(request.url ?? '')) return void secrets.serve(request, response, key)
    const audience = audienceOf(request.url ?? '')
    if (!hasKey(request.headers, key)) return problem(response, 401, 'unauthorized', 'Send the loopback key.')
    if (!audience) return problem(response, 404, 'not-found', 'There is no such address on the loopback.')
    if (audience === 'llm') {
      calls++
      response.once('close', () => calls--)
    }
    if (request.method === 'GET' && request.url?.startsWith('/agent/prompt')) void answerPoll(request, response)
    else if (request.method === 'POST' && audience === 'agent') void passReport(request, response)
    else if (audience === 'llm') void forwardCall(request, response)
    else forward(request, response, audience)
  })

  function unreachable(response: ServerResponse, audience: Audience, error: unknown): void {
    if (response.destroyed) return
    log('the service did not answer', { audience, because: nameOf(error) })
    if (response.headersSent) response.destroy()
    else problem(response, 502, 'provider-error', 'The service cannot be reached. Retry in 4, 8, 16, then 32 seconds.')
  }

  async function answerPoll(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController()
    response.once('close', () => left.abort())
    const wait = Number(new URL(request.url ?? '', 'http://loopback').searchParams.get('wait'))
    try {
      const answer = await poll(Math.min(Math.max(Math.floor(wait) || 0, 0), maxWaitSeconds), left.signal)
      if (!answer || response.destroyed) return
      const { 'content-length': _, ...headers } = endToEnd(answer.headers)
      response.writeHead(answer.status, headers)
      response.end(answer.ok ? JSON.stringify(answer.body) : answer.text)
    } catch (error) {
      unreachable(response, 'agent', error)
    }
  }

  async function passReport(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBytes(request, maxReportBytes).catch(() => null)
    if (body === null) return problem(response, 413, 'too-large', 'A report takes at most 2 MiB.')
    const report: Report = { path: request.url ?? '', ...parseObject<Omit<Report, 'path'>>(body.toString('utf8')) }
    const answer = reports.take(report)
    if (answer) {
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.body))
    } else
      forward(request, response, 'agent', { kind: 'whole', parts: [body], size: body.length }, (status) =>
        reports.answered(report, status),
      )
  }

  async function forwardCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await bodies.take(request)
      // Nobody would hear the answer.
      if (response.destroyed) return
      if (body.kind === 'refused') return refuse(response, body.answer)
      if (body.kind !== 'too-large') return forward(request, response, 'llm', body)
      problem(response, 413, 'too-large', `A call takes at most ${mostBytes / 2 ** 20} MB. Send less.`)
    } catch (error) {
      unreachable(response, 'llm', error)
    }
  }

  /** `answered` is told the status before whoever asked is. */
  function forward(
    request: IncomingMessage,
    response: ServerResponse,
    audience: Audience,
    body?: Body,
    answered?: (status: number) => void,
  ): void {
    const upstream = open(`${service.api}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        ...(audience === 'llm' && { 'x-berth-model': model() }),
        ...endToEnd(request.headers),
        ...(body?.kind === 'handed-over' && { 'content-length': '0', 'x-berth-body': body.id }),
        authorization: service.bearer(audience),
      },
    })
    upstream.once('response', (answer) => {
      const status = answer.statusCode ?? 502
      // Before the runtime hears of it, and asks for more.
      answered?.(status)
      response.writeHead(status, endToEnd(answer.headers))
      response.flushHeaders()
      if (status !== 401) service.note(audience, status, answer.headers)
      // A refusal ends this machine, so the runtime gets to read it first.
      pipeline(answer, response, () => status === 401 && service.note(audience, status, answer.headers))
    })
    upstream.on('error', (error) => unreachable(response, audience, error))
    response.once('close', () => {
      if (!response.writableFinished) upstream.destroy()
    })
    if (body?.kind === 'whole') Readable.from(body.parts).pipe(upstream)
    else if (body?.kind === 'handed-over') upstream.end()
    else request.pipe(upstream)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the loopback has no port')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${bound.port}`, key, calls: () => calls, close }
}

const agentTargets: Readonly<Record<string, Audience>> = {
  '/agent/files': 'files',
  '/agent/prompt': 'agent',
  '/agent/context': 'agent',
  '/agent/observe': 'agent',
  '/agent/feedback': 'agent',
}

/** The audience of a target as it was written; anything that would need normalising belongs to none. */
function audienceOf(target: string): Audience | undefined {
  const path = target.split('?', 1)[0] ?? ''
  if (/^\/llm\/proxy(\/[\w-]+)*$/.test(path)) return 'llm'
  return Object.hasOwn(agentTargets, path) ? agentTargets[path] : undefined
}

const hasKey = (headers: IncomingHttpHeaders, key: string): boolean =>
  isKey(bearerOf(headers) ?? headers['x-api-key'], key)

/** The service's refusal of a body, told where the body was sent. */
function refuse(response: ServerResponse, { status, headers, text }: Answer<never> & { ok: false }): void {
  const { error, message } = parseObject<{ error: string; message: string }>(text)
  const told = ['retry-after', 'x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
  const passed = Object.fromEntries(told.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])))
  problem(response, status, error ?? 'provider-error', message ?? 'The service cannot be reached.', passed)
}

/** The vendors' words for a status, which their SDKs look at. */
const vendorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

/** At the addresses of vendors' SDKs in what both of their formats have. */
function problem(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: IncomingHttpHeaders = {},
): void {
  const type = vendorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const isVendors = response.req.url?.startsWith('/llm/proxy/')
  const body = isVendors ? { type: 'error', error: { type, message, code, param: null } } : { error: code, message }
  response.writeHead(status, { ...headers, 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
