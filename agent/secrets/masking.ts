import { Transform } from 'node:stream'

/** The alternatives at one place of a pattern. */
type Place = readonly string[]

/** Bytes as latin1: one character per byte. */
const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Finds a text in a host's answer, in plain and usual encoded forms, and replaces it. */
export class Mask {
  readonly #byFirst = new Map<number, Place[][]>()
  readonly #shown: string

  constructor(secrets: readonly string[], shown: string) {
    this.#shown = bytes(shown)
    for (const pattern of secrets.flatMap((secret) => patternsOf(bytes(secret)))) {
      for (const first of new Set((pattern[0] ?? []).map((text) => text.charCodeAt(0))))
        this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), pattern])
    }
  }

  text(text: string): string {
    return this.#scan(text, true).done
  }

  /** Holds back only bytes that may become a secret. */
  stream(): Transform {
    let rest = ''
    const next = (text: string, last: boolean): Buffer => {
      const { done, held } = this.#scan(rest + text, last)
      rest = held
      return Buffer.from(done, 'latin1')
    }
    return new Transform({
      transform: (part: Buffer, _, done) => done(null, next(part.toString('latin1'), false)),
      flush: (done) => done(null, next('', true)),
    })
  }

  #scan(text: string, last: boolean): { done: string; held: string } {
    let done = ''
    let from = 0
    for (let at = 0; at < text.length; ) {
      const patterns = this.#byFirst.get(text.charCodeAt(at))
      if (!patterns) {
        at++
        continue
      }
      const ends = patterns.map((pattern) => endOf(pattern, text, at))
      const end = Math.max(...ends.map((found) => (found === 'perhaps' ? 0 : found)))
      if (end > at) {
        done += text.slice(from, at) + this.#shown
        from = end
        at = end
      } else if (!last && ends.includes('perhaps')) return { done: done + text.slice(from, at), held: text.slice(at) }
      else at++
    }
    return { done: done + text.slice(from), held: '' }
  }
}

/** End of a match that begins at `from`; 0 for no match, `perhaps` when more text is needed. */
function endOf(pattern: readonly Place[], text: string, from: number): number | 'perhaps' {
  let reached = new Set([from])
  let perhaps = false
  for (const place of pattern) {
    const next = new Set<number>()
    for (const at of reached) {
      for (const each of place) {
        if (text.startsWith(each, at)) next.add(at + each.length)
        else if (at + each.length > text.length && each.startsWith(text.slice(at))) perhaps = true
      }
    }
    if (next.size === 0) return perhaps ? 'perhaps' : 0
    reached = next
  }
  return Math.max(...reached)
}

const patternsOf = (secret: string): Place[][] => [
  [...secret].map(writings),
  [...secret].map((each) => cases(hexOf(each))),
  // UTF-16, in both byte orders.
  [...secret].map((each) => [`${each}\0`]),
  [...secret].map((each) => [`\0${each}`]),
  ...[0, 1, 2].map((before) => base64Of(secret, before)),
]

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')

/** A pair of hexadecimal digits in every mix of cases. */
const cases = (hex: string): string[] => {
  const [a = '', b = ''] = hex
  return [...new Set([a + b, a.toUpperCase() + b, a + b.toUpperCase(), (a + b).toUpperCase()])]
}

const entities: Readonly<Record<string, string[]>> = {
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  '"': ['&quot;', '\\"'],
  "'": ['&apos;', "\\'"],
  '/': ['\\/'],
  '\\': ['\\\\'],
  ' ': ['+'],
}

/** Forms of a character in plain text, JSON, HTML and addresses, in both cases. */
const writings = (character: string): Place => {
  const letters = [...new Set([character, character.toLowerCase(), character.toUpperCase()])]
  return letters.flatMap((letter) => {
    const code = letter.charCodeAt(0)
    const hex = cases(hexOf(letter))
    return [
      letter,
      ...(entities[letter] ?? []),
      ...hex.flatMap((pair) => [`%${pair}`, `%25${pair}`, `\\u00${pair}`, `\\x${pair}`]),
      ...hex.flatMap((pair) => [`&#x${pair};`, `&#X${pair};`, `&#x00${pair};`]),
      ...[`&#${code};`, `&#0${code};`],
    ]
  })
}

/**
 * The base64 of the secret inside a longer text, by the preceding length modulo 3, without the characters at both ends,
 * which also hold bits of that text.
 */
function base64Of(secret: string, before: number): Place[] {
  const all = Buffer.from('\0'.repeat(before) + secret, 'latin1').toString('base64')
  const sure = all.slice(Math.ceil((before * 4) / 3), Math.floor(((before + secret.length) * 4) / 3))
  return [...sure].map((digit, at) => base64Writings(digit, at > 0))
}

/** Both alphabets, perhaps escaped or after a line break. */
function base64Writings(digit: string, follows: boolean): Place {
  const plain: Place =
    digit === '+'
      ? ['+', '-', '%2B', '%2b', '\\u002b', '\\u002B']
      : digit === '/'
        ? ['/', '_', '%2F', '%2f', '\\/', '\\u002f', '\\u002F']
        : [digit]
  return (follows ? ['', '\n', '\r\n', '\\n', '\\r\\n'] : ['']).flatMap((line) => plain.map((each) => line + each))
}
