import * as z from 'zod'
import type { Webhooks } from '../../../app/ports/webhooks.ts'
import { byToken } from '../../../domain/tokens/made-by-token.ts'
import { type EndpointRecord, webhookEndpoint } from '../../../domain/webhooks/endpoint.ts'
import type { Env } from '../../env.ts'
import { changed, countInput, deleteInput, get, itemRange, putInput, queryAll, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { attempts } from './attempts.ts'

const { shape } = webhookEndpoint

const stored = webhookEndpoint.extend({
  disabled: shape.disabled.default(null),
  failingSince: shape.failingSince.default(null),
  oldSecretUntil: shape.oldSecretUntil.default(null),
  missedAt: shape.missedAt.default(null),
  secretVersion: z.int(),
  failures: z.int(),
  restsUntilMs: z.int(),
  byToken: byToken.optional(),
})

const read = (item: Item): EndpointRecord => parse(stored, item)

type Endpoints = Pick<
  Webhooks,
  | 'endpoints'
  | 'findEndpoint'
  | 'addEndpoint'
  | 'changeEndpoint'
  | 'removeEndpoint'
  | 'rotateSecret'
  | 'noteFailure'
  | 'noteSuccess'
  | 'disable'
>

export const endpoints = (env: Env): Endpoints => {
  const table = () => env.table('webhooks')
  const counting = (userId: string, by: 1 | -1, most?: number) =>
    countInput(table(), { userId, item: 'count' }, by, most)
  const at = (userId: string, id: string) => itemAt<keyof typeof stored.shape>(table(), { userId, item: id })
  const exists = 'attribute_exists(#item)'

  return {
    endpoints: (userId) => queryAll(itemRange(table(), userId, 'whe_', 'whe_~'), read),

    async findEndpoint(userId, id) {
      if (!id.startsWith('whe_')) return null
      const item = await get(table(), { userId, item: id })
      return item && read(item)
    },

    async addEndpoint(userId, endpoint, most, ...also) {
      const put = putInput(table(), 'item', { userId, item: endpoint.id, ...endpoint })
      return (await transact([{ Put: put }, { Update: counting(userId, 1, most) }], ...also)).done
    },

    changeEndpoint: (userId, id, { name, url, events, disabled, byToken }, ...also) =>
      changed(
        {
          ...at(userId, id),
          update: `SET #name = :name, #url = :url, #events = :events, #failures = :zero, #restsUntilMs = :zero${byToken ? ', #byToken = :by' : ''}
          ${disabled === null ? 'REMOVE #disabled,' : ', #disabled = :disabled REMOVE'} #failingSince`,
          condition: exists,
          values: {
            ':name': name,
            ':url': url,
            ':events': events,
            ':zero': 0,
            ...(disabled && { ':disabled': disabled }),
            ...(byToken && { ':by': byToken }),
          },
        },
        ...also,
      ),

    async removeEndpoint(userId, id, ...also) {
      const gone = deleteInput({ ...at(userId, id), condition: exists })
      return (await transact([{ Delete: gone }, { Update: counting(userId, -1) }], ...also)).done
    },

    rotateSecret: (userId, { id, secretVersion, byToken }, oldUntil, ...also) =>
      changed(
        {
          ...at(userId, id),
          update: `SET #secretVersion = :next, #oldSecretUntil = :until${byToken ? ', #byToken = :by' : ''}`,
          condition: '#secretVersion = :seen',
          values: {
            ...{ ':next': secretVersion + 1, ':until': oldUntil, ':seen': secretVersion },
            ...(byToken && { ':by': byToken }),
          },
        },
        ...also,
      ),

    ...attempts(table, read),

    disable: (userId, id, because, ...also) =>
      changed(
        {
          ...at(userId, id),
          update: 'SET #disabled = :because',
          condition: `${exists} AND attribute_not_exists(#disabled)`,
          values: { ':because': because },
        },
        ...also,
      ),
  }
}
