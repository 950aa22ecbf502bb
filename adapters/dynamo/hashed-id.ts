import { createHash } from 'node:crypto'
import { base62 } from '../../domain/tokens/pat.ts'

/** Characters of an id made from a hash: 22 of base 62 carry 130 bits. */
const length = 22

/** The id under which a secret is found again without being kept: its prefix and 130 bits of the SHA-256. */
export function hashedId(prefix: 'tok' | 'ses' | 'pky', secret: string): string {
  let rest = BigInt(`0x${createHash('sha256').update(secret).digest('hex')}`)
  let text = ''
  for (let i = 0; i < length; i++) {
    text = base62.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return `${prefix}_${text}`
}
