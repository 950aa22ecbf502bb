import { addresses, type ErrorCode, type Operations } from './operations.ts'

export interface ClientOptions {
  /** The API's root, such as `https://berth.example/api`; in a page of the service itself `/api`. */
  baseUrl: string
  /** A Personal Access Token, `oss_…`; a page of the service has its session instead. */
  token?: string
  /** The function that sends requests; default: the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

export interface RequestOptions {
  signal?: AbortSignal
  /** A name of your own for a request that creates or charges; sent again under it within 24 hours, it is done once. */
  idempotencyKey?: string
}

/** A refusal of the service, or `unreachable` when no answer of the service's own came. */
export class BerthError extends Error {
  override readonly name = 'BerthError'
  readonly code: ErrorCode | 'unreachable'
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /**
   * Messages by field, where the code is `validation`; what sign-in is wanted (`signIn`), where `forbidden` is for want
   * of one.
   */
  readonly details: Record<string, string[]>
  /** Seconds to wait, where the status is 429. */
  readonly retryAfterSeconds: number | undefined
  /** Names the request in the service's logs. */
  readonly requestId: string | undefined

  constructor(code: ErrorCode | 'unreachable', message: string, answer: Answered = {}) {
    super(message, { cause: answer.cause })
    this.code = code
    this.status = answer.status ?? 0
    this.requestId = answer.requestId
    this.details = answer.details ?? {}
    this.retryAfterSeconds = answer.retryAfterSeconds
  }
}

interface Answered {
  status?: number
  requestId?: string
  details?: Record<string, string[]>
  retryAfterSeconds?: number
  cause?: unknown
}

type Refusal = Answered & { error?: ErrorCode; message?: string }

const unreachable = (answer: Answered) =>
  new BerthError('unreachable', 'Berth cannot be reached right now. Check your connection and try again.', answer)

type Name = keyof Operations
type Input<N extends Name> = Operations[N]['input']

/** Every operation as a function of its input: what is in the path, the query and the body, in one object. */
export type Client = {
  [N in Name]: (
    ...given: Record<never, never> extends Input<N>
      ? [input?: Input<N>, options?: RequestOptions]
      : [input: Input<N>, options?: RequestOptions]
  ) => Promise<Operations[N]['output']>
}

/** A client of one account. Its functions throw a BerthError for whatever is not a success. */
export function createClient(client: ClientOptions): Client {
  const operations = Object.keys(addresses) as Name[] // safe because they are its own keys
  const call = (name: Name) => (input?: object, options?: RequestOptions) => send(client, name, input, options)
  // safe because each function sends what `Operations` says its operation takes, and the service holds the answers to
  // it
  return Object.fromEntries(operations.map((name) => [name, call(name)])) as unknown as Client
}

async function send(client: ClientOptions, name: Name, input: object = {}, options: RequestOptions = {}) {
  const [method, path, kind] = addresses[name]
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined))
  const target = path.replace(/\{(\w+)(\+?)\}/g, (_, field: string, many: string) => {
    const value = String(fields.get(field) ?? '')
    fields.delete(field)
    return (many ? value.split('/') : [value]).map((part) => segment(field, part)).join('/')
  })
  const inQuery = method === 'GET' || method === 'DELETE'
  const query = inQuery ? new URLSearchParams([...fields].map(([key, value]) => [key, String(value)])).toString() : ''
  const request = {
    method,
    headers: {
      ...(client.token && { authorization: `Bearer ${client.token}` }),
      ...(!inQuery && { 'content-type': 'application/json' }),
      ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
    },
    body: inQuery ? undefined : JSON.stringify(Object.fromEntries(fields)),
    signal: options.signal,
  }
  const url = `${client.baseUrl}${target}${query && `?${query}`}`
  const answer = await (client.fetch ?? fetch)(url, request).catch((cause: unknown) => {
    options.signal?.throwIfAborted()
    throw unreachable({ cause })
  })
  return answer.ok ? read(answer, kind) : refuse(answer)
}

/** One part of a path. Dots alone would lead to another operation, however they are encoded. */
function segment(field: string, part: string): string {
  if (part !== '.' && part !== '..') return encodeURIComponent(part)
  throw new BerthError('validation', `Check these fields: ${field}.`, { details: { [field]: ['This is no name.'] } })
}

async function read(answer: Response, kind: 'json' | 'text' | 'stream'): Promise<unknown> {
  if (kind === 'stream') return answer
  const text = await answer.text().catch((cause: unknown) => {
    throw unreachable({ status: answer.status, cause })
  })
  if (kind === 'text') return text
  const parsed = text === '' ? {} : parse(text)
  if (parsed) return parsed
  throw unreachable({ status: answer.status })
}

async function refuse(answer: Response): Promise<never> {
  const { error, message, ...told }: Refusal = parse(await answer.text().catch(() => '')) ?? {}
  const requestId = answer.headers.get('x-request-id') ?? undefined
  if (error && message) throw new BerthError(error, message, { ...told, status: answer.status, requestId })
  throw unreachable({ status: answer.status, requestId })
}

function parse(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}
