/** API Gateway's events for functions: at the handshake, for a message, and at the end of a connection. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { headersOf, lastOf, parseQuery, sourceIpOf } from '../gateway-event.ts'

/** The constant part of a connection's context. */
export interface ConnectionFacts {
  id: string
  apiId: string
  stage: string
  domainName: string
  connectedAt: number
  identity: { sourceIp: string; userAgent?: string }
}

/** Ids as API Gateway makes them: with a character that has to be encoded in a path. */
export const newId = (): string => `${randomBytes(11).toString('base64url')}=`

export function factsOf(request: IncomingMessage, apiId: string, stage: string): ConnectionFacts {
  const userAgent = request.headers['user-agent']
  return {
    id: newId(),
    apiId,
    stage,
    domainName: request.headers.host ?? '',
    connectedAt: Date.now(),
    identity: { sourceIp: sourceIpOf(request), ...(userAgent !== undefined && { userAgent }) },
  }
}

export function connectEvent(facts: ConnectionFacts, requestId: string, request: IncomingMessage): object {
  const headers = headersOf(request, facts.identity.sourceIp)
  const query = parseQuery((request.url ?? '').split('?')[1] ?? '')
  return {
    headers: lastOf(headers),
    multiValueHeaders: headers,
    // Without a query API Gateway leaves both out.
    ...(Object.keys(query).length > 0 && {
      queryStringParameters: lastOf(query),
      multiValueQueryStringParameters: query,
    }),
    requestContext: context(facts, requestId, '$connect', 'CONNECT'),
    isBase64Encoded: false,
  }
}

export function messageEvent(facts: ConnectionFacts, requestId: string, routeKey: string, body: string): object {
  return {
    requestContext: { ...context(facts, requestId, routeKey, 'MESSAGE'), messageId: newId() },
    body,
    isBase64Encoded: false,
  }
}

export function disconnectEvent(facts: ConnectionFacts, code: number, reason: string): object {
  const headers = { Host: facts.domainName, 'X-Forwarded-For': facts.identity.sourceIp }
  return {
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: {
      ...context(facts, newId(), '$disconnect', 'DISCONNECT'),
      disconnectStatusCode: code,
      disconnectReason: reason,
    },
    isBase64Encoded: false,
  }
}

function context(facts: ConnectionFacts, requestId: string, routeKey: string, eventType: string): object {
  const now = new Date()
  return {
    routeKey,
    eventType,
    extendedRequestId: requestId,
    requestTime: logTime(now),
    messageDirection: 'IN',
    stage: facts.stage,
    connectedAt: facts.connectedAt,
    requestTimeEpoch: now.getTime(),
    identity: facts.identity,
    requestId,
    domainName: facts.domainName,
    connectionId: facts.id,
    apiId: facts.apiId,
  }
}

/** `20/Jul/2023:23:29:25 +0000` */
function logTime(now: Date): string {
  const [, day, month, year, time] = now.toUTCString().split(' ')
  return `${day}/${month}/${year}:${time} +0000`
}
