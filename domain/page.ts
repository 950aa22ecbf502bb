import * as z from 'zod'
import { invalid } from './errors.ts'
import { idPattern, type Prefix } from './ids.ts'

/** `limit` of a list: how many items a page has at most. */
export const limitOf = (most: number, unlessSaid: number) =>
  z.coerce.number().int().min(1).max(most).default(unlessSaid).meta({ description: 'How many a page has at most.' })
export const pageLimit = limitOf(100, 50)

/** An opaque position in a list, signed for one caller and one list (see the port `cursors`). */
export const cursor = z
  .string()
  .max(300)
  .optional()
  .meta({ description: '`nextCursor` of the page before; the first page when left out.' })

export const toCursor = (id: string | null): string | null => (id === null ? null : btoa(id).replaceAll('=', ''))

/** The id behind a cursor this service made. @throws validation for any other text */
export function fromCursor(text: string | undefined, ids: Prefix | RegExp): string | null {
  if (text === undefined) return null
  try {
    const id = atob(text)
    if ((typeof ids === 'string' ? idPattern(ids) : ids).test(id)) return id
  } catch {}
  throw invalid('cursor', 'use a nextCursor of an earlier answer as it came.')
}

/**
 * The maximum size of a page of long texts, bytes: a function's answer may have 6 MB, and contains other pages too.
 */
export const maxPageBytes = 3_000_000

/**
 * The size of a value in a function's answer, bytes of UTF-8: the body is JSON, and goes to API Gateway as a JSON
 * string.
 */
export const bytesInAnswer = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(JSON.stringify(value))).length

/** The first items that a page has room for, one at least. */
export function firstThatFit<T>(items: readonly T[]): T[] {
  let bytes = 0
  const end = items.findIndex((item, i) => {
    bytes += bytesInAnswer(item)
    return i > 0 && bytes > maxPageBytes
  })
  return items.slice(0, end < 0 ? items.length : end)
}

/**
 * One page of a list; `next` is the id to go on after, null at the end. An answer has a `nextCursor` when, and only
 * when, its operation takes a `cursor`.
 */
export interface Page<T> {
  items: T[]
  next: string | null
}
