import type * as z from 'zod'
import { type Details, DomainError } from '../../domain/errors.ts'
import { type AnyOperation, inputInQuery, requiredParameters } from './operation.ts'

export interface RawInput {
  path: Record<string, string>
  query: Record<string, string>
  body: string
  contentType: string
}

/** The operation's input out of path, query and body. @throws missing-id, invalid-json, validation */
export function readInput(one: AnyOperation, raw: RawInput): unknown {
  const given: Record<string, unknown> = { ...raw.query, ...raw.path }
  for (const name of requiredParameters(one)) {
    if (given[name] === undefined || given[name] === '') {
      throw new DomainError('missing-id', `The parameter "${name}" is missing. Add it and retry.`)
    }
  }
  if (!inputInQuery(one)) return parseInput(one, { ...readJson(raw), ...raw.path })
  return parseInput(one, given)
}

function readJson({ body, contentType }: RawInput): Record<string, unknown> {
  if (body === '') return {}
  if (contentType && !/^application\/(\w+\+)?json\s*(;|$)/i.test(contentType)) {
    throw new DomainError('invalid-json', 'Send the body as JSON with Content-Type: application/json.')
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    throw new DomainError('invalid-json', 'The body is not valid JSON.')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new DomainError('validation', 'The body must be a JSON object.', {
      details: { body: ['Expected a JSON object.'] },
    })
  }
  return Object.fromEntries(Object.entries(parsed))
}

/** Checks an input against the operation's schema. @throws validation, its details keyed by field */
export function parseInput(one: AnyOperation, given: unknown): unknown {
  const result = one.input.safeParse(given)
  if (result.success) return result.data
  const details = detailsOf(result.error)
  const fields = Object.keys(details).join(', ')
  throw new DomainError('validation', `Check these fields: ${fields}.`, { details })
}

export function detailsOf(error: z.ZodError): Details {
  const messages = Map.groupBy(error.issues, ({ code, path, ...rest }) => {
    const field = code === 'unrecognized_keys' && 'keys' in rest ? rest.keys[0] : path[0]
    return field === undefined ? 'body' : String(field)
  })
  return Object.fromEntries([...messages].map(([field, issues]) => [field, issues.map(({ message }) => message)]))
}
