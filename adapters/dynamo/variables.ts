import * as z from 'zod'
import type { Variables } from '../../domain/instance/ports.ts'
import { variable } from '../../domain/instance/variables.ts'
import { openAll, type Sealed, sealAll } from '../aws/data-keys.ts'
import type { Env } from '../env.ts'
import { change, get } from './calls.ts'
import { parse } from './item.ts'

const sealed = z.object({ key: z.string(), iv: z.string(), text: z.string(), tag: z.string() })
const stored = z.object({ version: z.int(), variables: z.array(variable), sealed: z.record(z.string(), sealed) })

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
      const known: Record<string, Sealed> = {
        ...before.sealed,
        ...(await sealAll(env, userId, Object.fromEntries(set))),
      }
      const kept = next.flatMap(({ name }) => (known[name] ? [[name, known[name]] as const] : []))
      const written = await change({
        table: env.table('settings'),
        key: keyOf(userId),
        update: 'SET #version = :next, #variables = :variables, #sealed = :sealed',
        condition: version === 0 ? 'attribute_not_exists(#version)' : '#version = :seen',
        values: {
          ':next': version + 1,
          ':variables': next,
          ':sealed': Object.fromEntries(kept),
          ...(version !== 0 && { ':seen': version }),
        },
      })
      return written.done
    },

    values: async (userId) => openAll(env, userId, (await read(userId)).sealed),
  }
}
