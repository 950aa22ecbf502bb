/** API Gateway's own errors, with the template's texts. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { ResponseTemplate, RestApi } from './rest-api.ts'

export interface PlainResponse {
  status: number
  headers: Record<string, string>
  body: string
}

interface Fault {
  status: number
  message: string
}

const faults = {
  API_CONFIGURATION_ERROR: { status: 500, message: 'Internal server error' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  THROTTLED: { status: 429, message: 'Too Many Requests' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported Media Type' },
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
} satisfies Record<string, Fault>

export type FaultType = keyof typeof faults

/** The template's response for the fault or its family, otherwise API Gateway's default. */
export function gatewayResponse(api: RestApi, type: FaultType, requestId: string): PlainResponse {
  const fault = faults[type]
  const family = fault.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX'
  const template = api.gatewayResponse(type, family) ?? { headers: {} }
  return render({ status: fault.status, body: '{"message":$context.error.messageString}', ...template }, requestId, {
    'error.message': fault.message,
    'error.messageString': JSON.stringify(fault.message),
    'error.responseType': type,
    stage: api.stage,
  })
}

function render(template: ResponseTemplate, requestId: string, more: Record<string, string> = {}): PlainResponse {
  const context: Record<string, string> = { requestId, extendedRequestId: requestId, ...more }
  const headers = Object.entries(template.headers).map(([name, value]) => [
    name.toLowerCase(),
    value.startsWith("'") ? value.slice(1, -1) : (context[value.replace(/^context\./, '')] ?? ''),
  ])
  return {
    status: template.status ?? 200,
    headers: { 'content-type': 'application/json', ...Object.fromEntries(headers) },
    body: (template.body ?? '').replace(
      /\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g,
      (_, name: string) => context[name] ?? '',
    ),
  }
}

/** An error of the runner in the service's shape. A `validation` names its field. */
export function errorResponse(
  status: number,
  error: string,
  message = STATUS_CODES[status] ?? error,
  field?: string,
): PlainResponse {
  const headers = { 'content-type': 'application/json', 'x-request-id': randomUUID() }
  return {
    status,
    headers,
    body: JSON.stringify({ error, message, ...(field && { details: { [field]: [message] } }) }),
  }
}
