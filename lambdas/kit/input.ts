import type * as z from 'zod'
import { type Details, DomainError, invalid } from '../../domain/errors.ts'
import { type AnyOperation, inputInQuery, requiredParameters } from './operation.ts'

export interface RawInput {
  path: Record<string, string>
  query: Record<string, string>
  body: string
  contentType: string
}

/** The operation's input out of path, query and body. @throws missing-id, invalid-json, validation */
export function readInput(one: AnyOperation, raw: RawInput): unknown {
  const path = decoded(raw.path)
  const given: Record<string, unknown> = { ...raw.query, ...path }
  for (const name of requiredParameters(one)) {
    if (given[name] === undefined || given[name] === '') {
      throw new DomainError('missing-id', `The parameter "${name}" is missing. Add it and retry.`)
    }
  }
  return parseInput(one, inputInQuery(one) ? given : { ...readJson(raw), ...path })
}

/** API Gateway hands path parameters over as they were sent. */
const decoded = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)]
      } catch {
        throw invalid(name, 'its percent-encoding is broken.')
      }
    }),
  )

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
    throw invalid('body', 'expected a JSON object.')
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

/** Messages by field; a field nobody knows is named too, as far as a name may reasonably go. */
export function detailsOf(error: z.ZodError): Details {
  const found = error.issues.flatMap(({ code, path, message, ...rest }) => {
    const fields = code === 'unrecognized_keys' && 'keys' in rest ? rest.keys : [path[0]]
    const said = code === 'unrecognized_keys' ? 'There is no such field.' : message
    return fields.map((field) => ({ field: field === undefined ? 'body' : String(field).slice(0, 100), said }))
  })
  const messages = Map.groupBy(found, ({ field }) => field)
  return Object.fromEntries([...messages].map(([field, all]) => [field, all.map(({ said }) => said)]))
}
