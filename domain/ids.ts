/** Every id prefix of the service. An id is its prefix and a ULID, so ids of one kind sort by creation time. */
export const prefixes = [
  'usr',
  'ins',
  'txn',
  'chk',
  'call',
  'msg',
  'prm',
  'sch',
  'evt',
  'req',
  'ses',
  'lgn',
  'aud',
  'tsk',
  'rsp',
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

/** A ULID inside which no character can be mistaken, behind its kind's prefix, such as `txn_01K…`. */
export const idPattern = (prefix: Prefix) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)

/** The shard (0–15) that spreads a user's due times over the sweep's index partitions. */
export function shardOf(userId: string): number {
  let sum = 0
  for (const character of userId) sum = (sum * 31 + character.charCodeAt(0)) % 65_521
  return sum % shards
}

/** How many index partitions a sweep reads. */
export const shards = 16
