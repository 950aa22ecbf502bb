import * as z from 'zod'
import { invalid } from './errors.ts'
import { idPattern, type Prefix } from './ids.ts'

/** `limit` of a list: how many items a page has at most. */
export const pageLimit = z.coerce.number().int().min(1).max(100).default(50)

/** An opaque position in a list, signed for one caller and one list (see the port `cursors`). */
export const cursor = z.string().max(300).optional()

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

/** One page of a list; `next` is the id to go on after, null at the end. */
export interface Page<T> {
  items: T[]
  next: string | null
}
