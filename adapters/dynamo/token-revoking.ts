import { randomUUID } from 'node:crypto'
import { isTokenId, type PatRecord } from '../../domain/tokens/pat.ts'
import type { Tokens } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { change, get } from './calls.ts'
import { mintedId, readToken } from './token-item.ts'

/** Tokens ended at once. */
const atOnce = 16

/**
 * Ends a token first and reads what it minted after: nobody can mint by an ended token, so the list is complete then.
 * The same goes for each token found, down to those that minted nothing.
 */
export function revoking(env: Env): Pick<Tokens, 'revoke'> {
  const table = () => env.table('tokens')

  /** Ends one token; answers its record if it was this call that did, and the tokens that end with it. */
  const end = async (id: string, at: string, me: string) => {
    const written = await change({
      table: table(),
      key: { id },
      update: 'SET #revokedAt = if_not_exists(#revokedAt, :at), #revokedBy = if_not_exists(#revokedBy, :me)',
      condition: 'attribute_exists(#id)',
      values: { ':at': at, ':me': me },
    })
    if (!written.done) return { ended: null, next: [] }
    const record = readToken(written.item)
    const minted = written.item.hasMinted ? await get(table(), { id: mintedId(id) }) : null
    const own = Object.keys(minted ?? {}).filter(isTokenId)
    return {
      ended: written.item.revokedBy?.S === me ? record : null,
      next: record.replaces ? [...own, record.replaces] : own,
    }
  }

  return {
    async revoke(id, at) {
      const me = randomUUID()
      const ended: PatRecord[] = []
      const seen = new Set(isTokenId(id) ? [id] : [])
      let left = [...seen]
      while (left.length > 0) {
        const now = left.splice(0, atOnce)
        const results = await Promise.all(now.map((one) => end(one, at, me)))
        ended.push(...results.flatMap((one) => one.ended ?? []))
        const found = results.flatMap(({ next }) => next).filter((one) => !seen.has(one))
        for (const one of found) seen.add(one)
        left = [...left, ...new Set(found)]
      }
      return ended
    },
  }
}
