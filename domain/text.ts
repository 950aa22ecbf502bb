/** Every limit counts UTF-16 units, as `length` does; no result ends or begins within a character. */

/** A longer cluster, such as a letter under a thousand accents, is cut between its code points. */
const longestCluster = 64

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The beginning of a text: at most `most` units, well-formed, in whole grapheme clusters. */
export const cut = (text: string, most: number): string =>
  (text.length <= most ? text : text.slice(0, characterEnd(text, most))).toWellFormed()

/** The last place at or before `at`, from 0 on, between two grapheme clusters. */
export function characterEnd(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  const { index } = clusterAt(text, at)
  return at - index <= longestCluster ? index : codePointEnd(text, at)
}

/** The last place at or before `at` that is not within a surrogate pair. */
export const codePointEnd = (text: string, at: number): number => (isWithinPair(text, at) ? at - 1 : at)

/** Segments only as much of the text as the cluster at `at` needs. */
const clusterAt = (text: string, at: number): { index: number; segment: string } =>
  clusters.segment(text.slice(0, at + longestCluster + 1)).containing(at) ?? { index: at, segment: '' }

const isWithinPair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(at - 1, 0), at + 1))

export function wellFormed<T>(value: T): T
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map((item) => wellFormed(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name.toWellFormed(), wellFormed(item)]))
}

export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (Array.isArray(value)) return value.every(isWellFormed)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, item]) => name.isWellFormed() && isWellFormed(item))
}
