import * as z from 'zod'
import { delivery, showInbound, showOutgoing } from '../../domain/channels/delivery.ts'
import { chatKey } from '../../domain/channels/inbound.ts'
import { chatsOf } from '../../domain/channels/link.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

const position = /^\{"userId":"usr_\w+","createdAt":.+\}$/

export const listChannelDeliveries = operation({
  id: 'listChannelDeliveries',
  summary: 'List the deliveries from and to chats in the last week',
  http: { method: 'GET', path: '/channels/deliveries' },
  auth: 'user',
  scope: 'api:channels',
  input: z.strictObject({ cursor, limit: pageLimit }),
  output: z.object({
    deliveries: z.array(delivery).meta({ description: 'Newest first.' }),
    nextCursor: z.string().nullable(),
  }),
  uses: { channelLinks: 'read', deliveryLog: 'read' },
  run: async ({ input, actor: { userId }, deps }) => {
    const page = { after: fromCursor(input.cursor, position), limit: input.limit }
    const [links, { items, next }] = await Promise.all([
      deps.channelLinks.list(userId),
      deps.deliveryLog.list(userId, page),
    ])
    const byChat = new Map(links.flatMap((link) => chatsOf(link).map((chat) => [chatKey(chat), link.id])))
    return {
      deliveries: items.map((delivery) =>
        'in' in delivery ? showInbound(delivery.in, byChat) : showOutgoing(delivery.out, byChat),
      ),
      nextCursor: toCursor(next),
    }
  },
})
