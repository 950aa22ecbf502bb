import * as z from 'zod'
import { changeMuted } from '../../app/notifications/mute.ts'
import { notFound } from '../../domain/errors.ts'
import { groups } from '../../domain/notifications/kinds.ts'
import { operation } from '../kit/operation.ts'

export const unsubscribe = operation({
  id: 'unsubscribe',
  summary: 'Stop e-mails of the kind that a link belongs to',
  description:
    'The one-click unsubscription of RFC 8058. An e-mail’s `List-Unsubscribe` header contains this address, and the ' +
    'mail program posts `List-Unsubscribe=One-Click`, which is not checked. The request needs no sign-in and may be ' +
    'repeated. GET is refused, because mail programs open links to check them.',
  http: { method: 'POST', path: '/notifications/unsubscribe/{token}', rawBody: true },
  auth: 'none',
  limit: 'webhook',
  input: z.strictObject({
    token: z.string().max(200).meta({
      description: 'The signed text in the e-mail.',
      example: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0.money.dGhlIHNpZ25hdHVyZQ',
    }),
  }),
  output: z.object({ group: z.enum(groups), off: z.literal(true) }),
  errors: ['not-found', 'conflict'],
  uses: { users: 'write', unsubscribeLinks: 'read' },
  run: async ({ input: { token }, deps }) => {
    const link = await deps.unsubscribeLinks.read(token)
    if (!link) throw notFound('link')
    const { userId, group } = link
    await changeMuted(deps, userId, (before) => [...before, `mail.${group}`])
    return { group, off: true as const }
  },
})
