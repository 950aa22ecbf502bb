/** The match of a type with a media range of an Accept header: how exactly the range names the type, and its weight. */
interface Range {
  exactness: number
  weight: number
}

/** RFC 9110, 12.5.1: ignores case; the most exact range's weight counts. Without the header, accepts everything. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.trim() === '') return true
  const ranges = accept.split(',').flatMap((range) => rangeFor(range, type))
  return ranges.reduce((best, range) => (range.exactness > best.exactness ? range : best), nothing).weight > 0
}

const nothing: Range = { exactness: -1, weight: 0 }

function rangeFor(range: string, type: string): Range[] {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const exactness = ['*/*', `${type.split('/')[0]}/*`, type].indexOf(name)
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
  return exactness < 0 ? [] : [{ exactness, weight: Number(weight ?? 1) }]
}
