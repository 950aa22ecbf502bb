import type { Intent } from '../../domain/outbox.ts'
import type { Audit, AuditLine } from '../ports/account.ts'
import type { Alarms, Clock, Ids } from '../ports/basics.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Part } from '../ports/part.ts'

/** A follow-up of a change: the intent, stored until it is done, and its execution, unless only the sweep may do it. */
export interface FollowUp {
  intent: Intent
  run?(): Promise<unknown>
  /** Only the sweep runs it, at this time, ms since 1970; the same id is stored once. */
  later?: { id: string; atMs: number }
}

/** The audit entries and follow-ups of one change. The port's verb that makes the change writes them with it. */
export interface Outbox extends Part {
  /**
   * Runs the follow-ups of the change that was made, and removes their intents. The sweep runs those that fail or are
   * never reached. If no write included the outbox, the caller is at fault: the follow-ups are stored by themselves,
   * with an alarm.
   */
  flush(): Promise<void>
}

/** Makes the outbox of a change to this record, with its audit entry. */
export type OutboxFor = (record: string, followUps?: readonly FollowUp[]) => Outbox

/** For a change without audit entry and follow-ups. */
export const unaudited: OutboxFor = () => ({ items: [], isWritten: false, flush: async () => {} })

export const sendMail = ({ mail }: { mail: Mail }, letter: Parameters<Mail['send']>[0]): FollowUp => ({
  intent: { kind: 'mail', ...letter },
  run: () => mail.send(letter),
})

/** The caller does the follow-up itself, before it flushes the outbox. */
export const doneByCaller = (intent: Intent): FollowUp => ({ intent, run: async () => {} })

export type OutboxPorts = { outbox: Intents; clock: Clock; ids: Ids; alarms: Alarms }

/** The outbox of a change without audit entry. @param also further parts of the same transaction */
export const outboxOf = (
  deps: OutboxPorts,
  userId: string,
  followUps: readonly FollowUp[],
  also: readonly Part[] = [],
): Outbox => newOutbox(deps, userId, [], followUps, also)

/** @param also further parts of the same transaction */
export const auditedOutbox = (
  deps: OutboxPorts & { audit: Audit },
  userId: string,
  lines: readonly AuditLine[],
  followUps: readonly FollowUp[] = [],
  also: readonly Part[] = [],
): Outbox => newOutbox(deps, userId, lines, followUps, also)

function newOutbox(
  deps: OutboxPorts,
  userId: string,
  lines: readonly AuditLine[],
  followUps: readonly FollowUp[],
  also: readonly Part[],
): Outbox {
  const createdMs = deps.clock.now()
  const steps = followUps.map(({ intent, run, later }) => ({
    run,
    stored: { userId, id: later?.id ?? deps.ids.next('int'), createdMs: later?.atMs ?? createdMs, intent },
  }))
  const intents = steps.map(({ stored }) => stored)
  const outbox: Outbox = {
    items: [...deps.outbox.items({ lines, intents }), ...also.flatMap(({ items }) => items)],
    isWritten: false,
    async flush() {
      if (!outbox.isWritten && intents.length > 0) {
        await deps.outbox.add(intents)
        const kinds = intents.map(({ intent }) => intent.kind).join(' ')
        deps.alarms.raise('FollowUpsWithoutWrite', 1, { userId, kinds })
      }
      await Promise.allSettled(
        steps.map(async ({ stored, run }) => run && deps.outbox.remove(await run().then(() => stored))),
      )
    },
  }
  return outbox
}
