/** A call's arguments: a form, or JSON; objects in a form are JSON themselves. */
import * as z from 'zod'
import { hasHalfCharacter } from '../../kit/text.ts'
import { SlackError } from './error.ts'

export type Arguments = Readonly<Record<string, unknown>>

export function readArguments(contentType: string, body: string, query: URLSearchParams): Arguments {
  if (!contentType.startsWith('application/json')) return Object.fromEntries([...query, ...new URLSearchParams(body)])
  const parsed = parseJson(body)
  // Slack does not say what becomes of half a character; here nobody gets to rely on it.
  if (parsed === undefined || hasHalfCharacter(parsed)) throw new SlackError('invalid_json')
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new SlackError('json_not_object')
  return { ...parsed }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text that must be there. */
export function required(given: Arguments, name: string): string {
  const value = optional(given, name)
  if (value === undefined) throw new SlackError('invalid_arguments', `[ERROR] missing required field: ${name}`)
  return value
}

export function optional(given: Arguments, name: string): string | undefined {
  const value = given[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new SlackError('invalid_arguments', `[ERROR] must be a string: ${name}`)
}

/** An object or a list, as it is in JSON or as text in a form. @throws SlackError with this code */
export function structured<T>(given: Arguments, name: string, schema: z.ZodType<T>, code: string): T | undefined {
  const value = given[name]
  if (value === undefined || value === null || value === '') return undefined
  const found = schema.safeParse(typeof value === 'string' ? parseJson(value) : value)
  if (found.success) return found.data
  throw new SlackError(code, `[ERROR] ${z.prettifyError(found.error).split('\n')[0]} [json-pointer:/${name}]`)
}
