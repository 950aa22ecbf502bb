import * as z from 'zod'
import type { Actor } from '../actor.ts'
import { timestamp } from '../timestamp.ts'

/** Has ids alone, so that it may be kept when the account is erased. */
export const auditEntry = z
  .object({
    id: z.string().meta({ example: 'aud_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    at: timestamp,
    operation: z.string().meta({ description: 'The action: an operation’s id.', example: 'revokeToken' }),
    record: z.string().meta({ description: 'The id of the changed record.', example: 'tok_3QZ6q5b1mS0x5rjS8uWb1A' }),
    actor: z.object({
      kind: z.enum(['session', 'pat', 'machine', 'anonymous', 'service', 'operator', 'channel']),
      id: z
        .string()
        .nullable()
        .meta({ description: 'The session, token, instance, linked chat or operator’s account that acted.' }),
    }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'The reason, if an operator did it.', example: 'Ticket 4711: charged twice' }),
    user: z.string().optional().meta({
      description: 'The account concerned, in the operators’ own trail.',
      example: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    }),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof auditEntry>

export type AuditActor = AuditEntry['actor']

/** Omits a network address, because it is personal data. */
export function auditActor(actor: Actor): AuditActor {
  if (actor.kind === 'session') return { kind: 'session', id: actor.sessionId }
  if (actor.kind === 'operator') return { kind: 'operator', id: actor.userId }
  if (actor.kind === 'pat') return { kind: 'pat', id: actor.tokenId }
  if (actor.kind === 'machine') return { kind: 'machine', id: actor.instanceId }
  return { kind: 'anonymous', id: null }
}

export const serviceActor: AuditActor = { kind: 'service', id: null }
