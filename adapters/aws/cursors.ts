import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Cursors } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { secretReader } from './secrets.ts'

/** Characters of the mac: 128 bits in base64url. */
const macLength = 22

const mac = (key: string, place: string, text: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([place, text]))
    .digest('base64url')
    .slice(0, macLength)

/** A sealed cursor is its text, a dot and 22 characters of an HMAC-SHA256 over place and text. */
export const cursors = (env: Env): Cursors => {
  const readKey = secretReader(env.secret('cursor-key'), z.object({ key: z.string().min(16) }))
  return {
    async seal(place, text) {
      const { key } = await readKey()
      return `${text}.${mac(key, place, text)}`
    },
    async open(place, sealed) {
      const at = sealed.length - macLength - 1
      if (at < 0 || sealed[at] !== '.') return null
      const { key } = await readKey()
      const text = sealed.slice(0, at)
      const [given, expected] = [Buffer.from(sealed.slice(at + 1)), Buffer.from(mac(key, place, text))]
      return given.length === expected.length && timingSafeEqual(given, expected) ? text : null
    },
  }
}
