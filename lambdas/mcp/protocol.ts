import * as z from 'zod'
import type { Settings } from '../../app/ports/basics.ts'
import type { TakenAnswers } from '../../app/ports/mcp.ts'
import { DomainError, forbidden } from '../../domain/errors.ts'
import { maxMessageBytes } from '../../domain/mcp/message-size.ts'
import { isObject } from '../../domain/models/json.ts'
import { accepts } from '../kit/accept.ts'
import type { RequestFacts, StreamedResponse } from '../kit/operation.ts'

const rpcRefusal = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.unknown().meta({ description: 'The request’s id, text or number; null if it has none.', example: 1 }),
    error: z.object({
      code: z.int().meta({ example: -32_600 }),
      message: z.string().meta({ example: 'Bad Request: the request body is not a valid JSON-RPC message' }),
      data: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'JsonRpcRefusal' })

const posted = {
  202: 'A notification was accepted.',
  404: 'The message names an unknown method.',
  406: 'The client accepts neither JSON nor server-sent events.',
  415: 'The body is not JSON.',
}
const older = { 405: 'The revision that the request names has no such method.' }
const fromMethod: Record<'GET' | 'POST' | 'DELETE', Record<number, string>> = {
  GET: { ...older, 406: 'The client does not accept server-sent events.' },
  POST: posted,
  DELETE: older,
}

export const protocolAnswers = (method: keyof typeof fromMethod) => ({
  answers: { 400: 'Not a message, or a message of an unsupported revision.', ...fromMethod[method] },
  refusal: rpcRefusal,
})

export const namesInput = z.strictObject({
  names: z.enum(['dots', 'underscore']).optional().meta({
    description: 'How tools are named: `wallet.get` or `wallet_get`; as the client is known to want when left out.',
  }),
})

/** The parts of a JSON-RPC message that this service reads; the protocol's own server reads the rest. */
export interface Message {
  /** The message without parameters that are null. */
  body: string
  method?: string
  id: string | number | null
  name?: string
  uri?: string
  /** The client's own name; in the newest revision, each request has it. */
  clientName?: string
  /** True for the form of the newest revision, in which each message names its revision. */
  isEnveloped: boolean
}

const text = z.string().optional().catch(undefined)
const clientInfo = z.object({ name: text }).optional().catch(undefined)

const shape = z.object({
  method: text,
  id: z.union([z.string(), z.number()]).nullable().catch(null),
  params: z
    .object({
      name: text,
      uri: text,
      clientInfo,
      _meta: z
        .object({ 'io.modelcontextprotocol/clientInfo': clientInfo, 'io.modelcontextprotocol/protocolVersion': text })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
})

/** The error has the API's own shape, like API Gateway's for larger bodies. @throws too-large */
export function checkSize({ rawBody }: RequestFacts): void {
  if (Buffer.byteLength(rawBody) > maxMessageBytes)
    throw new DomainError('too-large', `A message has at most ${maxMessageBytes / 2 ** 20} MB. Send less in one call.`)
}

/** Unreadable parts are left to the protocol's own server to refuse. */
export function readMessage(rawBody: string): Message {
  const json = parsed(rawBody)
  const { method, id = null, params } = shape.safeParse(json).data ?? {}
  const info = params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo']
  const body = withoutNulls(json) ?? rawBody
  const isEnveloped = params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
  return { body, method, id, name: params?.name, uri: params?.uri, clientName: info?.name, isEnveloped }
}

/** Many clients send null for a parameter that they leave out. Null if there is no such parameter. */
function withoutNulls(message: unknown): string | null {
  if (!isObject(message)) return null
  const { params, ...rest } = message
  if (params === null) return JSON.stringify(rest)
  if (!isObject(params) || !Object.values(params).includes(null)) return null
  const fields = Object.entries(params).filter(([, value]) => value !== null)
  return JSON.stringify({ ...rest, params: Object.fromEntries(fields) })
}

/** The answer formats that a client accepts for this message; null without one that we offer. */
export function takenBy({ headers: { accept } }: RequestFacts, { method }: Message): TakenAnswers | null {
  const json = accepts(accept, 'application/json')
  const events = accepts(accept, 'text/event-stream')
  // A subscription has no single answer.
  if (method === 'subscriptions/listen') return events ? { json, events } : null
  // A client that accepts everything without naming event streams probably reads only JSON.
  const isNamed = accept !== undefined && /text\/event-stream/i.test(accept)
  return json || events ? { json, events: events && (isNamed || !json) } : null
}

export const notAcceptable = ({ id }: Message): StreamedResponse =>
  refusal(
    406,
    { code: -32000, message: 'Not Acceptable: Client must accept application/json or text/event-stream' },
    {},
    id,
  )

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Only our own pages may act in a browser. Programs send no Origin, or one that no web page has. @throws forbidden */
export function checkOrigin({ request, deps }: { request: RequestFacts; deps: { settings: Settings } }): void {
  const { origin } = request.headers
  if (origin === undefined || origin === deps.settings.publicOrigin) return
  if (origin === 'null' || /^https?:/i.test(origin)) throw forbidden('Requests from other web pages are refused.')
}

/** The revision of the protocol in which every request is a POST. */
export const newestRevision = '2026-07-28'

/** Earlier revisions, in which GET opens a stream and DELETE ends a session. */
export const sessionRevisions: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

const supported = [newestRevision, ...sessionRevisions]

/**
 * Null for a supported revision, or none. A message in the newest form gets only revisions of that form, as in
 * `server/discover`, because older ones begin with a handshake.
 */
export function refuseUnknownRevision({ headers, rawBody }: RequestFacts): StreamedResponse | null {
  const requested = headers['mcp-protocol-version']?.slice(0, 40)
  if (requested === undefined || supported.includes(requested)) return null
  const known = readMessage(rawBody).isEnveloped ? [newestRevision] : supported
  const message = `Unsupported protocol version: ${requested} (supported versions: ${known.join(', ')})`
  return refusal(400, { code: -32022, message, data: { supported: known, requested } }, {}, readMessage(rawBody).id)
}

/** Refuses GET and DELETE for a revision without them; null if the request may continue. */
export function refuseRevision(request: RequestFacts): StreamedResponse | null {
  if (request.headers['mcp-protocol-version'] !== newestRevision) return refuseUnknownRevision(request)
  return refusal(405, { code: -32000, message: 'Method not allowed.' }, { Allow: 'POST' })
}

export const refusal = (
  status: number,
  error: { code: number; message: string; data?: object },
  headers: Record<string, string> = {},
  id: string | number | null = null,
): StreamedResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', error, id }),
})
