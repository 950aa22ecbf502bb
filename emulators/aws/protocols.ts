import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { findById } from '../kit/records.ts'

/** The account that every ARN of the local cloud carries. */
export const ACCOUNT = '000000000000'

/** The id of a resource that is named by its id or its ARN. */
export const idOf = (named: string): string => named.split('/').at(-1) ?? named

/** One request as a service sees it: the path without the service's prefix. */
export interface AwsRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
}

export interface AwsResponse {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

export type Service = (call: AwsRequest) => Promise<AwsResponse>

/** An error a service answers with, by the name the vendor's SDK knows. `extra` are further modelled members. */
export class AwsError extends Error {
  readonly code: string
  readonly status: number
  readonly extra: Record<string, unknown>

  constructor(code: string, message: string, status = 400, extra: Record<string, unknown> = {}) {
    super(message)
    this.name = code
    this.code = code
    this.status = status
    this.extra = extra
  }
}

/** Reads a request body of at most `limit` bytes; undefined when it is longer. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limit) return undefined
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

export function send(response: ServerResponse, reply: AwsResponse, requestId: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(reply.status, {
    ...reply.headers,
    'x-amzn-requestid': requestId,
    ...(reply.status === 204 ? {} : { 'content-length': String(Buffer.byteLength(reply.body)) }),
  })
  response.end(reply.body)
}

/** `input` by `schema`, or the service's own name for a bad parameter. */
export function parse<T>(schema: z.ZodType<T>, input: unknown, code: string): T {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new AwsError(code, `${issue?.path.join('.') || 'request'}: ${issue?.message ?? 'invalid'}`)
}

export function parseJson(body: Buffer, code = 'SerializationException'): unknown {
  try {
    return JSON.parse(body.toString('utf8') || '{}')
  } catch {
    throw new AwsError(code, 'The request body is not JSON.')
  }
}

export type Action = (input: unknown) => unknown

/** A service of the AWS JSON 1.1 protocol: the action is named by X-Amz-Target. */
export function jsonService(actions: Record<string, Action>): Service {
  return async ({ headers, body }) => {
    const name = String(headers['x-amz-target'] ?? '').split('.')[1] ?? ''
    const action = findById(actions, name)
    if (!action) throw new AwsError('UnknownOperationException', `The operation ${name} is not known here.`)
    const output = await action(parseJson(body))
    return {
      status: 200,
      headers: { 'content-type': 'application/x-amz-json-1.1' },
      body: JSON.stringify(output ?? {}),
    }
  }
}

export function jsonResponse(status: number, output?: unknown): AwsResponse {
  return {
    status,
    headers: status === 204 ? {} : { 'content-type': 'application/json' },
    body: status === 204 ? '' : JSON.stringify(output ?? {}),
  }
}

/** How each protocol spells an error. */
export const errorResponse: Record<
  'json' | 'rest' | 'query' | 's3',
  (error: AwsError, requestId: string) => AwsResponse
> = {
  json: (error) => ({
    status: error.status,
    headers: { 'content-type': 'application/x-amz-json-1.1' },
    body: JSON.stringify({ __type: error.code, message: error.message, ...error.extra }),
  }),
  rest: (error) => ({
    status: error.status,
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': error.code },
    body: JSON.stringify({ ErrorCode: error.code, Message: error.message, message: error.message, ...error.extra }),
  }),
  query: (error, requestId) => ({
    status: error.status,
    headers: { 'content-type': 'text/xml' },
    body:
      '<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error>' +
      `<Type>${error.status < 500 ? 'Sender' : 'Receiver'}</Type><Code>${escapeXml(error.code)}</Code>` +
      `<Message>${escapeXml(error.message)}</Message></Error><RequestId>${requestId}</RequestId></ErrorResponse>`,
  }),
  s3: (error, requestId) => ({
    status: error.status,
    headers: { 'content-type': 'application/xml' },
    body:
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${escapeXml(error.code)}</Code>` +
      `<Message>${escapeXml(error.message)}</Message><RequestId>${requestId}</RequestId></Error>`,
  }),
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** The same text for equal values, whatever the order of their keys; what idempotency tokens compare. */
export function fingerprint(value: unknown): string {
  const sorted = JSON.stringify(value, (_key, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  )
  return createHash('sha256')
    .update(sorted ?? 'undefined')
    .digest('hex')
}

/** Keys and values as ECS writes tags (lower case). */
export const tags = z.array(z.object({ key: z.string(), value: z.string().default('') }))
/** Keys and values as IAM and EFS write tags. */
export const upperTags = z.array(z.object({ Key: z.string(), Value: z.string().default('') }))
