import { randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { deadTokenKeptMs } from '../../../domain/lifetimes.ts'
import { dayMs } from '../../../domain/time.ts'
import { isAppAccess, isTokenId, maxTokens, type PatRecord, statusOf } from '../../../domain/tokens/pat.ts'
import type { Env } from '../../env.ts'
import { changeInput, get, getByUser, getMany, putAlone } from '../calls.ts'
import { type Item, toItem } from '../item.ts'

/** No token lives longer than this, so neither does an item that lists some. */
const longestMs = 366 * dayMs
export const listTtl = (nowMs: number): number => Math.ceil((nowMs + longestMs + deadTokenKeptMs) / 1000)

export const placesId = (userId: string): string => `places#${userId}`

/**
 * The places of an account's live tokens: one item a user with their ids, and how many those are. The write that makes
 * a token takes a place, so parallel writes cannot pass the bound. Nothing gives a place back when a token expires or
 * is revoked: where there is no place left, the ids are compared with the tokens, and those that are not live any more
 * go.
 */
export function places(env: Env, read: (item: Item) => PatRecord, most = maxTokens) {
  const table = () => env.table('tokens')

  const write = (
    userId: string,
    update: string,
    condition: string,
    nowMs: number,
    more: object,
  ): TransactWriteItem => ({
    Update: changeInput({
      table: table(),
      key: { id: placesId(userId) },
      update: `SET #version = :version, #ttl = :ttl, ${update}`,
      condition,
      values: { ':version': randomUUID(), ':ttl': listTtl(nowMs), ':yes': true, ...more },
    }),
  })

  /**
   * The ids of the account's tokens that are live, connected apps included. An app's access tokens end with the app.
   */
  async function liveIds(userId: string, old: Item | null, nowMs: number): Promise<string[]> {
    // The list by user may be late by a moment; the ids of the item are not.
    const [listed, placed] = await Promise.all([
      getByUser(table(), userId, read),
      getMany(
        table(),
        Object.keys(old ?? {})
          .filter(isTokenId)
          .map((id) => toItem({ id })),
      ),
    ])
    const live = [...listed, ...placed.map(read)].filter((it) => !isAppAccess(it) && statusOf(it, nowMs) === 'active')
    return [...new Set(live.map(({ id }) => id))]
  }

  return {
    /** The part of a transaction that takes a place; refused where there is none, or nobody has counted yet. */
    take: (userId: string, id: string, nowMs: number): TransactWriteItem =>
      write(userId, `#${id} = :yes ADD #count :one`, '#count < :most', nowMs, { ':one': 1, ':most': most }),

    /** The part that hands a place on; refused where the old token has none. */
    handOn: (userId: string, from: string, to: string, nowMs: number): TransactWriteItem =>
      write(userId, `#${to} = :yes REMOVE #${from}`, `attribute_exists(#${from})`, nowMs, {}),

    /** Counts the places again, unless one was taken meanwhile, and returns whether one is free. */
    async recount(userId: string, nowMs: number): Promise<boolean> {
      const old = await get(table(), { id: placesId(userId) })
      const live = await liveIds(userId, old, nowMs)
      const item = {
        ...{ id: placesId(userId), version: randomUUID(), ttl: listTtl(nowMs), count: live.length },
        ...Object.fromEntries(live.map((id) => [id, true])),
      }
      const version = old?.version?.S
      const unchanged = version
        ? { condition: '#version = :seen', values: { ':seen': version } as const }
        : { condition: 'attribute_not_exists(#id)' }
      await putAlone(table(), item, unchanged)
      return live.length < most
    },

    /** Whether a place is free. Only the write that takes it makes sure of that. */
    async hasFree(userId: string, nowMs: number): Promise<boolean> {
      const item = await get(table(), { id: placesId(userId) })
      if (item && Number(item.count?.N ?? 0) < most) return true
      return (await liveIds(userId, item, nowMs)).length < most
    },
  }
}
