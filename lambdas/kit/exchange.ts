import { notFound } from '../../domain/errors.ts'
import { type Counts, limits, readWindow, type Window } from '../../domain/tokens/window.ts'
import type { Authenticated } from './authenticate.ts'
import type { RawInput } from './input.ts'
import type { AnyOperation, Area } from './operation.ts'

/** One HTTP request on its way through a function, from API Gateway's event to the response's headers. */
export interface Exchange {
  operation: AnyOperation
  requestId: string
  nowMs: number
  ip: string
  method: string
  headers: Readonly<Record<string, string>>
  raw: RawInput
  target: string
  auth: Authenticated | null
  window: Window | null
  /** Set-Cookie values to send. */
  cookies: string[]
  machineToken: string | null
  /** Notes the rate window for the response's headers. */
  counted(counts: Counts): void
}

/** The operations of an area by method and path, aliases included. */
export function routesOf(area: Pick<Area, 'operations'>): Map<string, AnyOperation> {
  const routes = new Map<string, AnyOperation>()
  for (const one of area.operations) {
    for (const path of [one.http.path, ...(one.http.aliases ?? [])]) routes.set(`${one.http.method} ${path}`, one)
  }
  return routes
}

/** A request as either door hears it: a function from API Gateway, the hub from its socket. */
export interface Heard extends Pick<Exchange, 'requestId' | 'ip' | 'method' | 'headers' | 'target'> {
  /** The path as the routes have it, with its parameters' names in braces. */
  resource: string
  /** Still percent-encoded. */
  path: Record<string, string>
  query: Record<string, string>
  body: string
}

export function openExchange(routes: Map<string, AnyOperation>, heard: Heard, nowMs: number): Exchange {
  const { requestId, ip, method, headers, target, path, query, body } = heard
  const operation = routes.get(`${method} ${heard.resource}`)
  if (!operation) throw notFound('route')
  const exchange: Exchange = {
    operation,
    requestId,
    nowMs,
    ip,
    method,
    headers,
    raw: { path, query, body, contentType: headers['content-type'] ?? '' },
    target,
    auth: null,
    window: null,
    cookies: [],
    machineToken: null,
    counted: (counts) => {
      if (operation.limit) exchange.window = readWindow(operation.limit, counts, nowMs)
    },
  }
  return exchange
}

/** A caller refused from memory was not counted, but is told the same as one who was. */
export function noteRefusal(exchange: Exchange, retryAfterSeconds: number): void {
  const { limit } = exchange.operation
  if (limit) exchange.window ??= { limit: limits[limit], remaining: 0, resetSeconds: retryAfterSeconds }
}

/** Headers every response of this exchange carries. */
export function responseHeaders(exchange: Exchange): Record<string, string> {
  const { window } = exchange
  return {
    'X-Request-Id': exchange.requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(window && {
      'X-RateLimit-Limit': String(window.limit),
      'X-RateLimit-Remaining': String(window.remaining),
      'X-RateLimit-Reset': String(window.resetSeconds),
    }),
    ...(exchange.machineToken && { 'X-Machine-Token': exchange.machineToken }),
  }
}
