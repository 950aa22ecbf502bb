import type * as z from 'zod'
import { type Details, DomainError, invalid } from '../errors.ts'
import { explainIssue } from '../validation.ts'
import type { ModelCall } from './api-format.ts'
import { withoutContextMark } from './catalogue.ts'
import { isObject, utf8Length } from './json.ts'
import { withUsualTypes } from './media-types.ts'
import { checkPassedOn, RequestContent } from './request-content.ts'

/** @throws invalid-json, validation keyed by path */
export function parseBody<T extends z.ZodType>(schema: T, rawBody: string): z.output<T> {
  let body: unknown
  try {
    body = JSON.parse(rawBody)
  } catch {
    throw new DomainError('invalid-json', 'The body is not valid JSON.')
  }
  if (!isObject(body)) throw invalid('body', 'Expected a JSON object.')
  const result = schema.safeParse(withUsualTypes(body, rawBody), { error: explainIssue })
  if (result.success) return result.data
  const details: Details = {}
  for (const { path, message } of result.error.issues) {
    const field = path.join('.') || 'body'
    details[field] = [...(details[field] ?? []), message]
  }
  throw new DomainError('validation', `Check these fields: ${Object.keys(details).join(', ')}.`, { details })
}

export const passedOn = (asked: object, ours: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(asked).filter(([name, value]) => value !== null && value !== undefined && !ours.includes(name)),
  )

const maxPassedOn = 2_000

/** Headers and query to pass on unchanged. @throws validation naming a forbidden one */
export function passedBeside(
  names: readonly string[],
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
): { headers: Record<string, string>; query: string } {
  const passed: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (value === undefined) continue
    if (!/^[\x20-\x7e]*$/.test(value) || value.length > maxPassedOn) throw invalid(name, 'This value is not accepted.')
    checkPassedOn(name, value)
    passed[name] = value
  }
  for (const [name, value] of Object.entries(query)) checkPassedOn(name, value)
  const asked = new URLSearchParams(query).toString()
  if (asked.length > maxPassedOn) throw invalid('query', `Use at most ${maxPassedOn} characters.`)
  return { headers: passed, query: asked && `?${asked}` }
}

/**
 * @param ours fields that we write, whatever they say
 * @param maySearch whether the format bounds the provider's web searches
 * @throws validation naming the forbidden field
 */
export function commonFacts(
  rawBody: string,
  body: { model?: string | null; stream?: boolean | null; tools?: readonly unknown[] | null },
  ours: readonly string[],
  maySearch = false,
): Pick<ModelCall, 'model' | 'stream' | 'textBytes' | 'images' | 'files' | 'tools' | 'searches' | 'hourCache'> {
  const { images, imageBytes, files, searches, hourCache } = new RequestContent(body, ours, maySearch)
  return {
    model: withoutContextMark(body.model ?? 'default'),
    stream: body.stream === true,
    textBytes: utf8Length(rawBody) - imageBytes,
    images,
    files,
    tools: (body.tools?.length ?? 0) > 0,
    searches,
    hourCache,
  }
}

/** Thoughts cost output that may stay unseen. */
export const asksToThink = ({ thinking, reasoning, reasoning_effort }: Readonly<Record<string, unknown>>): boolean =>
  [thinking, reasoning, reasoning_effort].some(
    (asked) =>
      asked !== undefined && asked !== null && asked !== 'none' && !(isObject(asked) && asked.type === 'disabled'),
  )
