import * as z from 'zod'
import { scope } from '../scopes.ts'
import { timestamp } from '../time.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Characters of the plaintext that are safe to show. */
export const prefixLength = 12

export const patShape = /^oss_[0-9A-Za-z]{36}$/

export const isTokenId = (id: string): boolean => /^tok_[0-9A-Za-z]{22}$/.test(id)

/** Tokens an account may have before its tokens can make no more; a revocation ends them all in one request. */
export const maxTokens = 500

/** A dead token stays listed for this long, ms, then vanishes. */
export const deadTokenKeptMs = 30 * 24 * 60 * 60 * 1000

export const tokenName = z.string().trim().min(1, 'Give the token a name.').max(100).meta({ example: 'laptop' })

/** A Personal Access Token as its owner sees it. The plaintext is never part of it. */
export const pat = z
  .object({
    id: z.string().meta({ example: 'tok_3QZ6q5b1mS0x5rjS8uWb1A' }),
    name: z.string(),
    tokenPrefix: z.string().meta({ example: 'oss_00Ab12Cd' }),
    scopes: z.array(scope),
    status: z.enum(['active', 'expired', 'revoked']),
    expiresAt: timestamp,
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    replaces: z.string().optional(),
  })
  .meta({ id: 'Pat' })

export type Pat = z.infer<typeof pat>

export const mintedPat = pat
  .extend({ plaintext: z.string().meta({ description: 'The full bearer token. Shown once, never again.' }) })
  .meta({ id: 'MintedPat' })

/** What the store keeps of a token: its hash is the id, its plaintext nowhere. */
export interface PatRecord extends Omit<Pat, 'status'> {
  userId: string
  /** The token that minted this one; revoking it revokes this one too. */
  mintedBy?: string
  /** The token that took over from this one. */
  replacedBy?: string
}

export const statusOf = (record: PatRecord, nowMs: number): Pat['status'] =>
  record.revokedAt ? 'revoked' : Date.parse(record.expiresAt) <= nowMs ? 'expired' : 'active'

export function showPat(record: PatRecord, nowMs: number): Pat {
  const { userId: _, mintedBy: __, replacedBy: ___, ...shown } = record
  return { ...shown, status: statusOf(record, nowMs) }
}

/** CRC-32 (IEEE 802.3) of an ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

function checksum(body: string): string {
  let value = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = base62.charAt(value % 62) + text
    value = Math.floor(value / 62)
  }
  return text
}

/**
 * The plaintext of a new token: `oss_`, two characters of the cell, 28 random ones, six of checksum.
 * @param random at least 64 random bytes; those ≥ 248 are skipped so that every character is equally likely
 */
export function formatPat(cell: string, random: Uint8Array): string {
  const picked = [...random].filter((byte) => byte < 248).slice(0, 28)
  if (picked.length < 28 || !/^[0-9A-Za-z]{2}$/.test(cell))
    throw new RangeError('formatPat: bad cell or too little randomness')
  const body = `oss_${cell}${picked.map((byte) => base62.charAt(byte % 62)).join('')}`
  return body + checksum(body)
}

/** True when the text has a token's shape and checksum, so a typo is refused without a look-up. */
export const isPat = (text: string): boolean => patShape.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)
