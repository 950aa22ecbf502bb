import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { parseObject } from '../kit/json.ts'
import { vendorErrorTypes } from '../kit/limits.ts'
import type { Answer } from '../kit/service.ts'

/** Answers an error of the loopback; at addresses of vendors' SDKs, the body has the fields of both formats. */
export function problem(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: IncomingHttpHeaders = {},
): void {
  const type = vendorErrorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const isVendors = /^(\/turns\/\w+)?\/llm\/proxy\//.test(response.req.url ?? '')
  const body = isVendors ? { type: 'error', error: { type, message, code, param: null } } : { error: code, message }
  response.writeHead(status, { ...headers, 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

export function refuse(response: ServerResponse, { status, headers, text }: Answer<never> & { ok: false }): void {
  const { error, message } = parseObject<{ error: string; message: string }>(text)
  const told = ['retry-after', 'x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
  const passed = Object.fromEntries(told.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])))
  problem(response, status, error ?? 'provider-error', message ?? 'The service cannot be reached.', passed)
}
