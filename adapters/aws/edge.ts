import { createHash, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Edge } from '../../app/tokens/ports.ts'
import type { Env } from '../env.ts'
import { secretReader } from './secrets.ts'

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares in constant time, whatever the length of what was sent. */
export const edge = (env: Env): Edge => {
  const readKey = secretReader(env.secret('edge-key'), z.object({ key: z.string().min(16) }))
  return {
    isKey: async (key) => timingSafeEqual(hash(key), hash((await readKey()).key)),
  }
}
