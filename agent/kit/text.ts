/**
 * As in `domain/text.ts`, which the image lacks; `test/domain/text.test.ts` compares both. Limits count UTF-16 units, as
 * `length` does; no result begins or ends within a character.
 */

/** A longer cluster, such as a letter with a thousand accents, is cut between its code points. */
const longestCluster = 64

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The beginning of a text: at most `most` units, well-formed, in whole characters as a reader sees them. */
export const cut = (text: string, most: number): string =>
  (text.length <= most ? text : text.slice(0, characterEnd(text, most))).toWellFormed()

/** The end of a text, with the same properties. `domain/text.ts` has no such function. */
export function cutStart(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed()
  const from = text.length - Math.max(most, 0)
  const cluster = clusterAt(text, from)
  if (cluster.index === from) return text.slice(from).toWellFormed()
  const next = cluster.index + cluster.segment.length
  return text.slice(next - from <= longestCluster ? next : from + (isWithinPair(text, from) ? 1 : 0)).toWellFormed()
}

/** The last boundary of visible characters at or before `at`; at least 0. */
export function characterEnd(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  const { index } = clusterAt(text, at)
  return at - index <= longestCluster ? index : codePointEnd(text, at)
}

/** The last boundary of code points at or before `at`. */
export const codePointEnd = (text: string, at: number): number => (isWithinPair(text, at) ? at - 1 : at)

/** Segments only as much text as the cluster needs. */
const clusterAt = (text: string, at: number): { index: number; segment: string } =>
  clusters.segment(text.slice(0, at + longestCluster + 1)).containing(at) ?? { index: at, segment: '' }

const isWithinPair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(at - 1, 0), at + 1))

/** Makes every text and name in a JSON value well-formed. */
export function wellFormed<T>(value: T): T
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map((item) => wellFormed(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name.toWellFormed(), wellFormed(item)]))
}

/** UTF-8 as text. Incomplete bytes may end within a character, which is left out. */
export const decoded = (bytes: Uint8Array, isWhole: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isWhole })
