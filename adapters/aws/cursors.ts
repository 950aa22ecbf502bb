import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Cursors } from '../../app/ports/tokens.ts'
import type { Env } from '../env.ts'
import { secretReader } from './secrets.ts'

/** 128 bits in base64url. */
const macLength = 22

const mac = (key: string, list: string, text: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([list, text]))
    .digest('base64url')
    .slice(0, macLength)

/** A signed cursor is its text, a dot and 22 characters of an HMAC-SHA256 over list and text. */
export const cursors = (env: Env): Cursors => {
  const readKey = secretReader(env.secret('cursor-key'), z.object({ key: z.string().min(16) }))
  return {
    async sign(list, text) {
      const { key } = await readKey()
      return `${text}.${mac(key, list, text)}`
    },
    async verify(list, signed) {
      const at = signed.length - macLength - 1
      if (at < 0 || signed[at] !== '.') return null
      const { key } = await readKey()
      const text = signed.slice(0, at)
      const [given, expected] = [Buffer.from(signed.slice(at + 1)), Buffer.from(mac(key, list, text))]
      return given.length === expected.length && timingSafeEqual(given, expected) ? text : null
    },
  }
}
