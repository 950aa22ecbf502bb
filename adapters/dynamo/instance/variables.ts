import * as z from 'zod'
import type { Variables } from '../../../app/instance/ports.ts'
import { variable } from '../../../domain/instance/variables.ts'
import { decryptAll, type Encrypted, encryptAll, encrypted } from '../../aws/data-keys.ts'
import type { Env } from '../../env.ts'
import { changed, get, setting } from '../calls.ts'
import { parse } from '../item.ts'

const stored = z.object({ version: z.int(), variables: z.array(variable), sealed: z.record(z.string(), encrypted) })

/** One item a user: the names, and each value sealed. */
export const variables = (env: Env): Variables => {
  const keyOf = (userId: string) => ({ userId, item: 'variables' })

  const read = async (userId: string): Promise<z.infer<typeof stored>> => {
    const item = await get(env.table('settings'), keyOf(userId))
    return item ? parse(stored, item) : { version: 0, variables: [], sealed: {} }
  }

  return {
    async find(userId) {
      const { version, variables } = await read(userId)
      return { version, variables }
    },

    async save(userId, next, changes, version) {
      const before = await read(userId)
      if (before.version !== version) return false
      const set = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
      const known: Record<string, Encrypted> = {
        ...before.sealed,
        ...(await encryptAll(env, userId, Object.fromEntries(set))),
      }
      const kept = next.flatMap(({ name }) => (known[name] ? [[name, known[name]] as const] : []))
      const { update, values } = setting({ version: version + 1, variables: next, sealed: Object.fromEntries(kept) })
      return changed({
        table: env.table('settings'),
        key: keyOf(userId),
        update,
        condition: version === 0 ? 'attribute_not_exists(#version)' : '#version = :seen',
        values: { ...values, ...(version !== 0 && { ':seen': version }) },
      })
    },

    values: async (userId) => decryptAll(env, userId, (await read(userId)).sealed),
  }
}
