/** The part of a request's event that both kinds of API Gateway share: its headers and its query. */
import type { IncomingMessage } from 'node:http'

/** Headers that concern one connection only; API Gateway passes them in neither direction. */
export const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Further headers of a request that API Gateway keeps to itself. */
const KEPT_BACK = new Set(['content-length', 'content-md5', 'max-forwards', 'server', 'www-authenticate'])

type Multi = Record<string, string[]>

export function sourceIpOf(request: IncomingMessage): string {
  return request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1'
}

/** Names as the client wrote them, with what API Gateway adds. */
export function headersOf(request: IncomingMessage, sourceIp: string): Multi {
  const headers: Multi = Object.create(null)
  const { rawHeaders } = request
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (HOP_BY_HOP.has(name.toLowerCase()) || KEPT_BACK.has(name.toLowerCase())) continue
    const key = Object.keys(headers).find((known) => known.toLowerCase() === name.toLowerCase()) ?? name
    const values = headers[key] ?? []
    values.push(rawHeaders[i + 1] ?? '')
    headers[key] = values
  }
  const before = Object.keys(headers).find((name) => name.toLowerCase() === 'x-forwarded-for') ?? 'X-Forwarded-For'
  headers[before] = [[...(headers[before] ?? []), sourceIp].join(', ')]
  headers['X-Forwarded-Proto'] = ['http']
  return headers
}

export function parseQuery(query: string): Multi {
  const parameters: Multi = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    const values = parameters[name] ?? []
    values.push(value)
    parameters[name] = values
  }
  return parameters
}

export function lastOf(multi: Multi): Record<string, string> {
  return Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values.at(-1) ?? '']))
}
