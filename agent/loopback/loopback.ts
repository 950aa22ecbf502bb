import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Audience } from '../../domain/actor.ts'
import type { AgentContext } from '../../domain/agent/turn.ts'
import { open, readBytes } from '../kit/http.ts'
import { parseObject } from '../kit/json.ts'
import { maxWaitSeconds } from '../kit/limits.ts'
import { type Log, nameOf } from '../kit/log.ts'
import { createServer } from '../kit/node-http.ts'
import type { Answer, Service } from '../kit/service.ts'
import { aborted } from '../kit/wait-for.ts'
import type { SecretCalls } from '../secrets/calls.ts'
import type { Inbox } from '../supervisor/inbox.ts'
import type { OpenQuestions } from '../supervisor/open-questions.ts'
import { type OutgoingFiles, Unsendable } from '../supervisor/outgoing-files.ts'
import type { Report, RuntimeReports } from '../supervisor/runtime-reports.ts'
import type { Poll } from '../supervisor/task-poller.ts'
import type { Turns } from '../supervisor/turns.ts'
import { problem, refuse } from './errors.ts'
import { bearerOf, endToEnd, isKey } from './headers.ts'
import { type Body, bodyCodings, LargeBodies, mostBytes } from './large-bodies.ts'

const maxReportBytes = 2 * 1024 * 1024

/** SDKs and the runtime call the service here, so they never hold a machine token. */
export interface Loopback {
  address: string
  key: string
  calls(): number
  close(): void
}

interface LoopbackOptions {
  service: Service
  /** The model that `default` means. */
  model: () => string
  poll: Poll
  inbox: Pick<Inbox, 'place'>
  outgoing: Pick<OutgoingFiles, 'send'>
  reports: Pick<RuntimeReports, 'take' | 'answered' | 'masked' | 'working'>
  turns: Pick<Turns, 'find' | 'has' | 'proofOf' | 'prove' | 'stopOf' | 'traceOf'>
  questions: Pick<OpenQuestions, 'find'>
  secrets: Pick<SecretCalls, 'serve'>
  log: Log
}

export async function startLoopback(options: LoopbackOptions): Promise<Loopback> {
  const { service, model, poll, inbox, outgoing, reports, turns, questions, secrets, log } = options
  const key = `bl_${randomBytes(24).toString('base64url')}`
  const bodies = new LargeBodies(service)
  let calls = 0
  const server = createServer((request, response) => {
    if (/^\/secrets(\/|$)/.test(request.url ?? '')) return void secrets.serve(request, response, key)
    const promptId = takeTurn(request)
    const audience = audienceOf(request.url ?? '')
    if (!hasKey(request.headers, key)) return problem(response, 401, 'unauthorized', 'Send the loopback key.')
    if (!audience) return problem(response, 404, 'not-found', 'There is no such address on the loopback.')
    if (audience === 'llm') {
      calls++
      response.once('close', () => calls--)
    }
    const poll = request.method === 'GET' ? polls[pathOf(request)] : undefined
    if (poll) void answerPoll(request, response, poll)
    else if (request.method === 'POST' && audience === 'agent') void passReport(request, response)
    else if (audience === 'llm') void forwardCall(request, response, promptId)
    else forward(request, response, audience)
  })

  function unreachable(response: ServerResponse, audience: Audience, error: unknown): void {
    if (response.destroyed || response.writableEnded) return
    log('the service did not answer', { audience, because: nameOf(error) })
    if (response.headersSent) response.destroy()
    else problem(response, 502, 'provider-error', 'The service cannot be reached. Retry in 4, 8, 16, then 32 seconds.')
  }

  /** Polls that the supervisor answers as soon as there is news or the wait is over. */
  const polls: Readonly<Record<string, LoopbackPoll>> = {
    '/agent/prompt': (_, waitSeconds, left) => poll(waitSeconds, left),
    '/agent/question': (query, waitSeconds, left) => questions.find(query.get('id') ?? '', waitSeconds * 1000, left),
    '/agent/context': async (query) => {
      const target = `/agent/context?${query}`
      const answer = await service.call<AgentContext>('agent', target)
      if (!answer.ok) return answer
      turns.prove(answer.body.prompt.id, answer.body.turn)
      return { ...answer, body: { ...answer.body, prompt: await inbox.place(answer.body.prompt) } }
    },
    '/agent/stopped': async (query, waitSeconds, left) => {
      const stop = turns.stopOf(query.get('prompt') ?? '')
      if (!stop) return unknownPrompt
      await aborted(AbortSignal.any([stop, left]), waitSeconds * 1000)
      return ok({ stopped: stop.aborted })
    },
  }

  async function answerPoll(request: IncomingMessage, response: ServerResponse, poll: LoopbackPoll): Promise<void> {
    const left = new AbortController()
    response.once('close', () => left.abort())
    const query = new URL(request.url ?? '', 'http://loopback').searchParams
    const wait = Number(query.get('wait'))
    try {
      const answer = await poll(query, Math.min(Math.max(Math.floor(wait) || 0, 0), maxWaitSeconds), left.signal)
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
    const sent = answer ? body : await withFiles(report, reports.masked(report, body), response)
    if (sent === null) return
    if (answer) {
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.body))
    } else
      forward(request, response, 'agent', { kind: 'whole', parts: [sent], size: sent.length }, (status) =>
        reports.answered(report, status),
      )
  }

  /** The report with its files uploaded; null if an error was already sent. */
  async function withFiles(report: Report, body: Buffer, response: ServerResponse): Promise<Buffer | null> {
    const { path, kind, attachments, ...rest } = report
    if (path !== '/agent/observe' || (kind !== 'reply' && kind !== 'message') || !Array.isArray(attachments))
      return body
    try {
      const ids = await outgoing.send(String(rest.promptId ?? rest.key), attachments, () => reports.working(report))
      return Buffer.from(JSON.stringify({ ...rest, kind, attachments: ids }))
    } catch (error) {
      if (!(error instanceof Unsendable)) unreachable(response, 'agent', error)
      else {
        const { message } = error
        reports.answered(report, 400)
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: 'validation', message, details: { attachments: [message] } }))
      }
      return null
    }
  }

  /** A call belongs to the turn that its address or proof names, or to the only turn. Stopped turns make no calls. */
  async function forwardCall(request: IncomingMessage, response: ServerResponse, named?: string): Promise<void> {
    try {
      const given = request.headers['x-berth-turn']
      const promptId = named ?? turns.find(typeof given === 'string' ? given : undefined)
      const stop = promptId === undefined ? undefined : turns.stopOf(promptId)
      if (named !== undefined && !turns.has(named))
        return problem(response, 404, 'not-found', 'There is no such prompt under way.')
      if (promptId !== undefined) request.headers['x-berth-turn'] = (await turns.proofOf(promptId)) ?? given
      const trace = promptId && turns.traceOf(promptId)
      if (trace) request.headers['x-amzn-trace-id'] = `Root=${trace}`
      const end = () => {
        if (response.headersSent) response.destroy()
        else problem(response, 403, 'forbidden', stoppedMessage)
      }
      if (stop?.aborted) return end()
      stop?.addEventListener('abort', end)
      response.once('close', () => stop?.removeEventListener('abort', end))
      const body = await bodies.take(request)
      // The caller has left.
      if (response.destroyed) return
      if (body.kind === 'refused') return refuse(response, body.answer)
      if (body.kind === 'undecodable')
        return problem(
          response,
          415,
          'invalid-json',
          `Send a body as it is, or in one of these codings: ${bodyCodings}.`,
        )
      if (body.kind !== 'too-large') return forward(request, response, 'llm', body)
      problem(response, 413, 'too-large', `A call has at most ${mostBytes / 2 ** 20} MB. Send less.`)
    } catch (error) {
      unreachable(response, 'llm', error)
    }
  }

  /** `reported` receives the status before the caller does. */
  function forward(
    request: IncomingMessage,
    response: ServerResponse,
    audience: Audience,
    body?: Body,
    reported?: (status: number) => void,
  ): void {
    const upstream = open(`${service.api}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        ...(audience === 'llm' && { 'x-berth-model': model() }),
        ...endToEnd(request.headers),
        ...(body?.kind === 'whole' && { 'content-length': String(body.size) }),
        ...(body?.kind === 'handed-over' && { 'content-length': '0', 'x-berth-body': body.id }),
        authorization: service.bearer(audience),
      },
    })
    let answered = false
    upstream.once('response', (answer) => {
      answered = true
      const status = answer.statusCode ?? 502
      // Call this before the runtime hears the status and asks for more.
      reported?.(status)
      response.writeHead(status, endToEnd(answer.headers))
      response.flushHeaders()
      if (status !== 401) service.note(audience, status, answer.headers)
      // Note a refusal after it was sent: it ends this machine.
      pipeline(answer, response, () => status === 401 && service.note(audience, status, answer.headers))
    })
    upstream.on('error', (error) => unreachable(response, audience, error))
    response.once('close', () => {
      // Also when the supervisor ended it for a stopped turn.
      if (!response.writableFinished || !answered) upstream.destroy()
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
  '/agent/question': 'agent',
  '/agent/stopped': 'agent',
  '/agent/observe': 'agent',
  '/agent/feedback': 'agent',
}

/** Answers one of the runtime's polls; undefined when the runtime has left. */
type LoopbackPoll = (
  query: URLSearchParams,
  waitSeconds: number,
  left: AbortSignal,
) => Promise<Answer<unknown> | undefined>

const ok = (body: object): Answer<unknown> => ({
  ok: true,
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
})

const unknownPrompt: Answer<unknown> = {
  ok: false,
  status: 404,
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify({ error: 'not-found', message: 'There is no such prompt under way.' }),
}

const stoppedMessage = 'The user wants no answer to this any more: close its prompt as stopped.'

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
