import * as z from 'zod'
import { invalid } from './errors.ts'
import { idPattern, type Prefix } from './ids.ts'

export const limitOf = (most: number, unlessSaid: number) =>
  z.coerce.number().int().min(1).max(most).default(unlessSaid).meta({ description: 'Maximum number of entries.' })
export const pageLimit = limitOf(100, 50)

/** An opaque position in a list, signed for one caller and one list (see the port `cursors`). */
export const cursor = z
  .string()
  .max(300)
  .optional()
  .meta({ description: '`nextCursor` of the previous page. Default: the first page.' })

export const toCursor = (id: string | null): string | null => (id === null ? null : btoa(id).replaceAll('=', ''))

/** The id behind a cursor of this service. @throws validation for any other text */
export function fromCursor(text: string | undefined, ids: Prefix | RegExp): string | null {
  if (text === undefined) return null
  try {
    const id = atob(text)
    if ((typeof ids === 'string' ? idPattern(ids) : ids).test(id)) return id
  } catch {}
  throw invalid('cursor', 'use the unchanged nextCursor of an earlier answer.')
}

/** A page's texts, bytes: a function may return 6 MB, and the answer may contain other pages. */
export const maxPageBytes = 3_000_000

/** Bytes of UTF-8 in a function's answer: the body is JSON inside a JSON string. */
export const bytesInAnswer = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(JSON.stringify(value))).length

/** At least one item, however large. */
export function firstThatFit<T>(items: readonly T[]): T[] {
  let bytes = 0
  const end = items.findIndex((item, i) => {
    bytes += bytesInAnswer(item)
    return i > 0 && bytes > maxPageBytes
  })
  return items.slice(0, end < 0 ? items.length : end)
}

/** `next` is the id to continue after. An answer has `nextCursor` exactly when its operation takes a `cursor`. */
export interface Page<T> {
  items: T[]
  next: string | null
}
