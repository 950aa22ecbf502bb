import type * as z from 'zod'
import { type Details, DomainError, invalid } from '../../domain/errors.ts'
import { cut, isWellFormed } from '../../domain/text.ts'
import { explainIssue } from '../../domain/validation.ts'
import { bodyTooLarge, maxBodyBytes } from './body-limit.ts'
import { edgeHeaders } from './client-address.ts'
import type { AnyOperation } from './operation.ts'
import { inputInQuery, pathParameters, requiredParameters } from './parameters.ts'
import type { HttpRequest } from './request.ts'

/** @throws too-large, missing-id, invalid-json, validation */
export function readInput(
  operation: AnyOperation,
  request: Pick<HttpRequest, 'parameters' | 'query' | 'body' | 'headers'>,
): unknown {
  if (Buffer.byteLength(request.body) > maxBodyBytes) throw bodyTooLarge(operation)
  const path = decodeValues(request.parameters)
  const values: Record<string, unknown> = { ...queryOf(operation, request), ...path }
  for (const name of requiredParameters(operation)) {
    if (values[name] === undefined || values[name] === '')
      throw new DomainError('missing-id', `The parameter "${name}" is missing. Add it and retry.`)
  }
  if (inputInQuery(operation)) return parseInput(operation, values)
  refuseQuery(request.query)
  const body = readJson(request)
  const twice = Object.keys(path).find((name) => Object.hasOwn(body, name))
  if (twice !== undefined) throw invalid(shownField(twice), 'it stands in the path. Leave it out of the body.')
  return parseInput(operation, { ...body, ...path })
}

/** A GET ignores query parameters other than the operation's own. */
const queryOf = ({ http, input }: AnyOperation, { query }: Pick<HttpRequest, 'query'>): Record<string, string> =>
  http.method === 'GET'
    ? Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(input.shape, name)))
    : query

/**
 * With a JSON body, a field in the query would be ignored silently. An address of another protocol takes its input from
 * the query; its schema decides about unknown parameters.
 */
function refuseQuery(query: Readonly<Record<string, string>>): void {
  const [name] = Object.keys(query)
  if (name === undefined) return
  throw invalid(shownField(name), 'it is in the query. Send it in the body, or leave it out.')
}

/** API Gateway passes on path parameters as they were sent. */
const decodeValues = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)]
      } catch {
        throw invalid(name, 'its percent-encoding is broken.')
      }
    }),
  )

/**
 * The gateway replaces one to three invalid bytes by U+FFFD, which has three, so the text is longer than the sent
 * bytes. A compressed body has another length than its text. A REST API passes no Content-Length to a function
 * (aws/aws-lambda-dotnet issue 559 and pull request 1901; `DROPPED_FROM_REQUEST_COMMON` of LocalStack, which is tested
 * against AWS), so CloudFront's function copies it. A body without a length, or not sent through CloudFront, cannot be
 * judged: its U+FFFD is text.
 */
function isGarbled(body: string, headers: HttpRequest['headers']): boolean {
  const added = Buffer.byteLength(body) - Number(headers[edgeHeaders.length] ?? Number.NaN)
  if (headers['content-encoding'] || !(added > 0)) return false
  return added <= 2 * (body.split('\uFFFD').length - 1)
}

function readJson({ body, headers }: Pick<HttpRequest, 'body' | 'headers'>): Record<string, unknown> {
  const contentType = headers['content-type'] ?? ''
  if (body === '') return {}
  if (isGarbled(body, headers))
    throw new DomainError('invalid-json', 'The body is not valid UTF-8. Send it as JSON in UTF-8.')
  if (contentType && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType))
    throw new DomainError('invalid-json', 'Send the body as JSON with Content-Type: application/json.')
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    throw new DomainError('invalid-json', 'The body is not valid JSON.')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid('body', 'send a JSON object.')
  return Object.fromEntries(Object.entries(parsed))
}

/** @throws validation, its details keyed by field */
export function parseInput(operation: AnyOperation, given: unknown): unknown {
  const result = operation.input.safeParse(given, { error: explainIssue })
  const details = result.success ? { ...unkeepableIn(given), ...malformedIn(result.data) } : detailsOf(result.error)
  if (result.success && Object.keys(details).length === 0) return result.data
  const fields = Object.keys(details).join(', ')
  throw new DomainError('validation', `Check these fields: ${fields}.`, { details })
}

/** Fields that a schema silently drops, because no plain object can have their names. */
const unkeepableIn = (values: unknown): Details =>
  Object.fromEntries(
    Object.entries(Object(values))
      .filter(([, value]) => namesPrototype(value))
      .map(([name]) => [shownField(name), ['The name "__proto__" cannot be used.']]),
  )

const namesPrototype = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.hasOwn(value, '__proto__') || Object.values(value).some(namesPrototype))

/** Fields with a lone surrogate, which UTF-8 cannot hold: a replacement would name something else. */
const malformedIn = (data: object): Details =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name, value]) => !isWellFormed(name) || !isWellFormed(value))
      .map(([name]) => [shownField(name), ['A lone surrogate, half of a character, is in it.']]),
  )

const shownField = (name: PropertyKey): string => cut(String(name), 100)

/** Messages by field, unknown fields included. */
function detailsOf(error: z.ZodError): Details {
  const fieldMessages = error.issues.flatMap(({ code, path, message, ...rest }) => {
    const fields = code === 'unrecognized_keys' && 'keys' in rest ? rest.keys : [path[0]]
    return fields.map((field) => ({ field: field === undefined ? 'body' : shownField(field), text: message }))
  })
  const messages = Map.groupBy(fieldMessages, ({ field }) => field)
  return Object.fromEntries([...messages].map(([field, all]) => [field, all.map(({ text }) => text)]))
}

/** Parameters are still percent-encoded. */
interface Route {
  operation: AnyOperation
  parameters: Record<string, string>
}

export function routesOver(operations: readonly AnyOperation[]): (path: string) => Route | null {
  const routes = operations.map((operation) => ({
    operation,
    names: pathParameters(operation.http.path),
    fits: new RegExp(`^${operation.http.path.replace(/\{\w+\}/g, '([^/]+)')}$`),
  }))
  return (path) => {
    for (const { operation, names, fits } of routes) {
      const match = fits.exec(path)
      if (match)
        return { operation, parameters: Object.fromEntries(names.map((name, i) => [name, match[i + 1] ?? ''])) }
    }
    return null
  }
}
