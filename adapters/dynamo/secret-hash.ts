import { createHash } from 'node:crypto'
import { base62 } from '../../domain/tokens/pat.ts'

/** 22 characters of base 62 carry 130 bits. */
const length = 22

/** Finds a secret without storing it: the prefix and 130 bits of the secret's SHA-256. */
export function hashedId(prefix: 'tok' | 'ses' | 'pky', secret: string): string {
  let rest = BigInt(`0x${createHash('sha256').update(secret).digest('hex')}`)
  let text = ''
  for (let i = 0; i < length; i++) {
    text = base62.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return `${prefix}_${text}`
}
