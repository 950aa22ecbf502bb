import * as z from 'zod'
import type { Part } from '../../../app/ports/part.ts'
import { decryptAll, type Encrypted, encryptAll, encrypted } from '../../aws/data-keys.ts'
import type { Env } from '../../env.ts'
import { changed, get, ifStill } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'

/**
 * One item per user in `settings`: a list of records, and a sealed text for each record. @param scope a prefix of
 * names, so that a text of one item cannot be used in another
 */
export function sealedItem<T extends { name: string }>(env: Env, item: string, record: z.ZodType<T>, scope = '') {
  const stored = z.object({ version: z.int(), records: z.array(record), sealed: z.record(z.string(), encrypted) })
  const keyOf = (userId: string) => ({ userId, item })
  const scoped = (name: string): string => `${scope}${name}`

  const read = async (userId: string): Promise<z.infer<typeof stored>> => {
    const found = await get(env.table('settings'), keyOf(userId))
    if (!found) return { version: 0, records: [], sealed: {} }
    const { [item]: records, ...rest } = found
    return parse(stored, { ...rest, ...(records && { records }) })
  }

  return {
    async find(userId: string) {
      const { version, records } = await read(userId)
      return { version, records }
    },

    /** Seals only the changed texts; false if the item changed since `version`. */
    async save(
      userId: string,
      next: T[],
      changes: Record<string, string | null>,
      version: number,
      ...also: Part[]
    ): Promise<boolean> {
      const before = await read(userId)
      if (before.version !== version) return false
      const set = Object.entries(changes).flatMap(([name, text]) =>
        text === null ? [] : [[scoped(name), text] as const],
      )
      const known: Record<string, Encrypted> = {
        ...before.sealed,
        ...(await encryptAll(env, userId, Object.fromEntries(set))),
      }
      const kept = next.flatMap(({ name }) => {
        const text = Object.hasOwn(known, scoped(name)) ? known[scoped(name)] : undefined
        return text ? [[scoped(name), text] as const] : []
      })
      const at = itemAt<keyof typeof stored.shape>(env.table('settings'), keyOf(userId))
      const still = ifStill('version', version, { [item]: next, sealed: Object.fromEntries(kept) })
      return changed({ ...at, ...still }, ...also)
    },

    /** Name → text. */
    async values(userId: string): Promise<Record<string, string>> {
      const open = await decryptAll(env, userId, (await read(userId)).sealed)
      return Object.fromEntries(Object.entries(open).map(([name, text]) => [name.slice(scope.length), text]))
    },
  }
}
