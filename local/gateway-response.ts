/** The errors API Gateway makes by itself, in the shape the template's GatewayResponses give them. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { asObject, asText } from './json.ts'
import type { RestApi } from './rest-api.ts'

export interface PlainResponse {
  status: number
  headers: Record<string, string>
  body: string
}

interface Fault {
  /** The status if the template says nothing. */
  status: number
  message: string
}

const faults = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
} satisfies Record<string, Fault>

export type FaultType = keyof typeof faults

/** What API Gateway answers for this fault: the template's response for it, else for its family, else its own. */
export function gatewayResponse(api: RestApi, type: FaultType, requestId: string): PlainResponse {
  const fault = faults[type]
  const family = fault.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX'
  const { ResponseParameters, ResponseTemplates, StatusCode } = api.gatewayResponse(type, family) ?? {}
  const context: Record<string, string> = {
    'error.message': fault.message,
    'error.messageString': JSON.stringify(fault.message),
    'error.responseType': type,
    requestId,
    extendedRequestId: requestId,
    stage: api.stage,
  }
  const template = asText(asObject(ResponseTemplates)['application/json'], '{"message":$context.error.messageString}')
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  for (const [parameter, value] of Object.entries(asObject(ResponseParameters))) {
    const name = parameter.replace('gatewayresponse.header.', '')
    headers[name.toLowerCase()] = parameterValue(asText(value), context)
  }
  return {
    status: Number(asText(StatusCode, `${fault.status}`)),
    headers,
    body: template.replace(/\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g, (_, name: string) => context[name] ?? ''),
  }
}

function parameterValue(value: string, context: Record<string, string>): string {
  if (value.startsWith("'")) return value.slice(1, -1)
  return value.startsWith('context.') ? (context[value.slice('context.'.length)] ?? '') : ''
}

/** An error of the runner's own doors, in the same shape as every other of the service. */
export function errorResponse(status: number, error: string, message = STATUS_CODES[status] ?? error): PlainResponse {
  const headers = { 'content-type': 'application/json', 'x-request-id': randomUUID() }
  return { status, headers, body: JSON.stringify({ error, message }) }
}
