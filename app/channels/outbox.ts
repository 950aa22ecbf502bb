import type { LinkRecord } from '../../domain/channels/link.ts'
import { auditedOutbox, type OutboxFor, type OutboxPorts } from '../outbox/outbox.ts'
import type { Audit } from '../ports/account.ts'

/** In the audit entries, the actor is the linked chat. */
export const outboxAs =
  (deps: OutboxPorts & { audit: Audit }, { userId, id }: LinkRecord, operation: string): OutboxFor =>
  (record, followUps) =>
    auditedOutbox(deps, userId, [{ userId, operation, record, actor: { kind: 'channel', id } }], followUps)
