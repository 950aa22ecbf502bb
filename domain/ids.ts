/** An id is its prefix and a ULID, so ids of one kind sort by creation time. */
export const prefixes = [
  'usr',
  'ins',
  'txn',
  'chk',
  'call',
  'msg',
  'att',
  'cnv',
  'prm',
  'qst',
  'sch',
  'hok',
  'whe',
  'evt',
  'req',
  'ses',
  'brw',
  'aud',
  'int',
  'tsk',
  'rsp',
  'cli',
  'lnk',
  'ntc',
  'viw',
  'ntf',
] as const

export type Prefix = (typeof prefixes)[number]

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * A ULID: 48 bits of milliseconds since 1970, then 80 random bits, in Crockford base 32 (26 characters).
 * @param random 16 random bytes; the first 10 make the random part
 */
export function ulid(nowMs: number, random: Uint8Array): string {
  const characters: string[] = []
  for (let i = 0; i < 16; i++) characters[10 + i] = alphabet.charAt((random[i] ?? 0) & 31)
  let time = nowMs
  for (let i = 9; i >= 0; i--) {
    characters[i] = alphabet.charAt(time % 32)
    time = Math.floor(time / 32)
  }
  return characters.join('')
}

/** The number after this one, written in 16 digits to the base of 32. */
function after(digits: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const last = digits.findLastIndex((digit) => digit < 31)
  return digits.map((digit, i) => (i < last ? digit : i === last ? digit + 1 : 0))
}

/** Each ULID is above the one before it, also within a millisecond. @param random gives 16 random bytes */
export function risingUlids(random: () => Uint8Array): (nowMs: number) => string {
  let lastMs = 0
  let last = new Uint8Array(16)
  return (nowMs) => {
    last = nowMs > lastMs ? Uint8Array.from(random(), (byte) => byte & 31) : after(last)
    lastMs = Math.max(lastMs, nowMs)
    return ulid(lastMs, last)
  }
}

/** Example: `txn_01K…`. A ULID has no characters that look alike. */
export const idPattern = (prefix: Prefix) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)

/** The shard (0–15) that spreads a user's due times over the sweep's index partitions. */
export function shardOf(userId: string): number {
  let sum = 0
  for (const character of userId) sum = (sum * 31 + character.charCodeAt(0)) % 65_521
  return sum % shards
}

export const shards = 16

/** The lowest id of this kind at this instant or later. */
export const firstIdAt = (prefix: Prefix, ms: number): string =>
  `${prefix}_${ulid(Math.max(ms, 0), new Uint8Array(16))}`

/** Time of an id's creation, ms since 1970. */
export function timeOfId(id: string): number {
  const time = id.slice(id.indexOf('_') + 1).slice(0, 10)
  return [...time].reduce((ms, letter) => ms * 32 + alphabet.indexOf(letter), 0)
}
