import { createHash, timingSafeEqual } from 'node:crypto'
import type { Edge } from '../../app/ports/tokens.ts'
import { secondMs } from '../../domain/time.ts'
import { type EdgeKeys, edgeKeys } from '../../domain/tokens/key-rotation.ts'
import type { Env } from '../env.ts'
import { secretReader } from './secrets.ts'

/** Minimum interval of re-reading the secret after an unknown key, ms. The key may have been rotated elsewhere. */
const rereadMs = 30 * secondMs

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Constant time for texts of any length. */
const isOneOf = (sent: string, { key, previous }: EdgeKeys): boolean =>
  [key, previous].some((each) => each && timingSafeEqual(hash(sent), hash(each)))

export const edge = (env: Env, now = () => Date.now()): Edge => {
  const readKeys = secretReader(env.secret('edge-key'), edgeKeys, now)
  return {
    isKey: async (key) => isOneOf(key, await readKeys()) || isOneOf(key, await readKeys(rereadMs)),
  }
}
