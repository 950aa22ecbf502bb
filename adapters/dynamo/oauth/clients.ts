import type { Clients } from '../../../app/ports/oauth.ts'
import { client } from '../../../domain/oauth/client.ts'
import { registrationTtlMs } from '../../../domain/oauth/refresh.ts'
import type { Env } from '../../env.ts'
import { changed, get, putNew } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'

const keyOf = (id: string) => ({ id: `client#${id}` })

const ttlFrom = (nowMs: number) => Math.ceil((nowMs + registrationTtlMs) / 1000)

export const clients = (env: Env): Clients => {
  const table = () => env.table('oauth')
  return {
    async register({ id, ...rest }, nowMs) {
      await putNew(table(), 'id', { ...rest, ...keyOf(id), ttl: ttlFrom(nowMs) })
    },

    async find(id, nowMs) {
      const item = await get(table(), keyOf(id))
      if (!item || Number(item.ttl?.N) * 1000 <= nowMs) return null
      return parse(client, { ...item, id: { S: id } })
    },

    async keep(id, nowMs) {
      await changed({
        ...itemAt(table(), keyOf(id)),
        update: 'SET #ttl = :ttl',
        condition: 'attribute_exists(#id)',
        values: { ':ttl': ttlFrom(nowMs) },
      })
    },
  }
}
