import type { Readable } from 'node:stream'
import type { Actor } from '../../domain/actor.ts'
import type { DomainError } from '../../domain/errors.ts'
import { type Counts, type LimitClass, limits, readWindow, type Window } from '../../domain/rates/rate-limits.ts'
import type { MachineClaims } from '../../domain/tokens/machine-token.ts'
import type { AnyOperation, BodyWriter } from './operation.ts'

/** HTTP methods by path. */
export type Methods = Readonly<Record<string, readonly string[]>>

/** Header names are lower case. */
export interface HttpRequest {
  id: string
  /** The peer's address of API Gateway's connection. */
  ip: string
  method: string
  headers: Readonly<Record<string, string>>
  /** The path below the API root, as it was sent. */
  target: string
  /** The path of the route, with parameter names in braces. */
  route: string
  /** Path parameters, still percent-encoded. */
  parameters: Record<string, string>
  query: Record<string, string>
  body: string
}

export interface HttpResponse {
  status: number
  headers: Record<string, string>
  cookies: string[]
  /** A text, a stream, or a function that writes into one. */
  body: string | ReadableStream<Uint8Array> | Readable | BodyWriter
}

export interface Caller {
  actor: Actor
  /** A machine's claims, from which its token is renewed. */
  claims: MachineClaims | null
  /** Unless the operation has admitted the caller; `refusal` follows otherwise. @throws unauthorized, rate-limited */
  admit?(refusal?: DomainError): Promise<void>
  /** @throws rate-limited */
  countAs?(limit: LimitClass): Promise<void>
}

export interface RequestContext {
  /** Without its body once the response streams. */
  request: HttpRequest
  /** When the request arrived, ms since 1970. */
  readonly now: number
  /** The address by which the caller counts. */
  ip: string
  /** Null when no operation has this route. */
  readonly operation: AnyOperation | null
  /** The route's methods if the requested one is not served; empty for an unknown route. */
  readonly allow: readonly string[]
  caller: Caller | null
  window: Window | null
  readonly cookies: string[]
  machineToken: string | null
}

export function routesOf(operations: readonly AnyOperation[]): Map<string, AnyOperation> {
  const routes = new Map<string, AnyOperation>()
  for (const operation of operations) {
    for (const path of [operation.http.path, ...(operation.http.aliases ?? [])])
      routes.set(`${operation.http.method} ${path}`, operation)
  }
  return routes
}

const methodsOf = (routes: ReadonlyMap<string, unknown>, elsewhere: readonly string[], route: string): string[] =>
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
    (method) => routes.has(`${servedAs(method)} ${route}`) || elsewhere.includes(servedAs(method)),
  )

const servedAs = (method: string): string => (method === 'HEAD' ? 'GET' : method)

/** @param elsewhere methods that other functions serve, by route */
export function openContext(
  routes: Map<string, AnyOperation>,
  elsewhere: Methods,
  request: HttpRequest,
  now: number,
): RequestContext {
  const operation = routes.get(`${servedAs(request.method)} ${request.route}`) ?? null
  return {
    request,
    now,
    ip: request.ip,
    operation,
    allow: operation ? [] : methodsOf(routes, elsewhere[request.route] ?? [], request.route),
    caller: null,
    window: null,
    cookies: [],
    machineToken: null,
  }
}

export function setWindow(context: RequestContext, counts: Counts): void {
  const limit = context.operation?.limit
  if (limit) context.window = readWindow(limit, counts, context.now)
}

/** The window of a caller who has to wait, for any reason: nothing remains until then. */
export function setRefusedWindow(context: RequestContext, retryAfterSeconds: number): void {
  const limit = context.operation?.limit
  if (limit) context.window = { limit: limits[limit], remaining: 0, resetSeconds: retryAfterSeconds }
}

export const responseHeaders = ({
  request,
  window,
  machineToken,
  operation,
  allow,
}: RequestContext): Record<string, string> => ({
  'X-Request-Id': request.id,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  ...(!operation && allow.length > 0 && { Allow: allow.join(', ') }),
  ...(window && {
    'X-RateLimit-Limit': String(window.limit),
    'X-RateLimit-Remaining': String(window.remaining),
    'X-RateLimit-Reset': String(window.resetSeconds),
  }),
  ...(machineToken && { 'X-Machine-Token': machineToken }),
})
