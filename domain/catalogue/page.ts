import { invalid } from '../errors.ts'

/** The slug behind a cursor of the skills' list. @throws validation for any other text */
export function slugCursor(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    const slug = atob(text)
    if (/^[a-z0-9-]{1,64}$/.test(slug)) return slug
  } catch {}
  throw invalid('cursor', 'use a nextCursor of an earlier answer as it came.')
}
