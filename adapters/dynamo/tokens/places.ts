import { randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { deadTokenKeptMs } from '../../../domain/lifetimes.ts'
import { dayMs } from '../../../domain/time.ts'
import { isAppAccess, isTokenId, maxTokens, type PatRecord, statusOf } from '../../../domain/tokens/pat.ts'
import type { Env } from '../../env.ts'
import { changeInput, get, getByUser, getMany, putIf } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, toItem } from '../item.ts'

/** The longest lifetime of a token, and so of a list of tokens. */
const longestMs = 366 * dayMs
export const listTtl = (nowMs: number): number => Math.ceil((nowMs + longestMs + deadTokenKeptMs) / 1000)

export const placesId = (userId: string): string => `places#${userId}`

/**
 * One item per user with the ids of live tokens and their number. The write that makes a token takes a place, so
 * parallel writes cannot exceed the limit. Expiry and revocation give no place back: when none is free, a recount
 * removes the ids of dead tokens.
 */
export function places(env: Env, read: (item: Item) => PatRecord, most = maxTokens) {
  const table = () => env.table('tokens')
  const at = (userId: string) => itemAt<'version' | 'count'>(table(), { id: placesId(userId) })

  const marked = (nowMs: number) =>
    ({
      update: 'SET #version = :version, #ttl = :ttl',
      values: { ':version': randomUUID(), ':ttl': listTtl(nowMs), ':yes': true },
    }) as const

  /** Includes connected apps. An app's access tokens end with the app. */
  async function liveIds(userId: string, old: Item | null, nowMs: number): Promise<string[]> {
    // The list by user is eventually consistent; the item's ids are current.
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
    /** Takes a place; refused if none is free, or before the first count. */
    take(userId: string, id: string, nowMs: number): TransactWriteItem {
      const { update, values } = marked(nowMs)
      return {
        Update: changeInput({
          ...at(userId),
          update: `${update}, #${id} = :yes ADD #count :one`,
          condition: '#count < :most',
          values: { ...values, ':one': 1, ':most': most },
        }),
      }
    },

    /** Gives the old token's place to the new one; refused if the old one has none. */
    handOn(userId: string, from: string, to: string, nowMs: number): TransactWriteItem {
      const { update, values } = marked(nowMs)
      return {
        Update: changeInput({
          ...at(userId),
          update: `${update}, #${to} = :yes REMOVE #${from}`,
          condition: `attribute_exists(#${from})`,
          values,
        }),
      }
    },

    /** Counts again unless a place was taken meanwhile; returns whether a place is free. */
    async recount(userId: string, nowMs: number): Promise<boolean> {
      const old = await get(table(), { id: placesId(userId) })
      const live = await liveIds(userId, old, nowMs)
      const item = {
        ...{ id: placesId(userId), version: randomUUID(), ttl: listTtl(nowMs), count: live.length },
        ...Object.fromEntries(live.map((id) => [id, true])),
      }
      const version = old?.version?.S
      await putIf(
        {
          ...at(userId),
          condition: version ? '#version = :seen' : 'attribute_not_exists(#id)',
          ...(version && { values: { ':seen': version } }),
        },
        item,
      )
      return live.length < most
    },

    /** A hint: only the write that takes the place is sure. */
    async hasFree(userId: string, nowMs: number): Promise<boolean> {
      const item = await get(table(), { id: placesId(userId) })
      if (item && Number(item.count?.N ?? 0) < most) return true
      return (await liveIds(userId, item, nowMs)).length < most
    },
  }
}
