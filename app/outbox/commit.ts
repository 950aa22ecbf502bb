import type { Intent } from '../../domain/outbox.ts'
import type { Audit, AuditLine } from '../ports/account.ts'
import type { Alarms, Clock, Ids } from '../ports/basics.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Outbox } from '../ports/outbox.ts'
import { lost } from '../retry.ts'

/** A follow-up of a change: the intent, stored until it is done, and its execution, unless only the sweep may do it. */
export interface FollowUp {
  intent: Intent
  run?(): Promise<unknown>
  /** Only the sweep runs it, at this time, ms since 1970; the same id is stored once. */
  later?: { id: string; atMs: number }
}

/**
 * Stores audit entries about this record and follow-ups in one transaction with the first write of `act`. An `act` that
 * writes nothing returns `lost`, null or false.
 */
export type Commit = <T>(record: string, act: () => Promise<T>, followUps?: readonly FollowUp[]) => Promise<T>

/** A change without an audit entry. */
export const writeAlone: Commit = (_record, act) => act()

export const sendMail = ({ mail }: { mail: Mail }, letter: Parameters<Mail['send']>[0]): FollowUp => ({
  intent: { kind: 'mail', ...letter },
  run: () => mail.send(letter),
})

/** The act itself does the follow-up, unless it is interrupted. */
export const doneByAct = (intent: Intent): FollowUp => ({ intent, run: async () => {} })

export type CommitPorts = { outbox: Outbox; clock: Clock; ids: Ids; alarms: Alarms }

interface Along {
  lines?: readonly AuditLine[]
  followUps?: readonly FollowUp[]
}

interface Committed<T> {
  result: T
  written: boolean
}

const nothingWritten: readonly unknown[] = [lost, null, false]

/**
 * Stores the audit entry and follow-ups in one transaction with the first write of `act`, then runs the follow-ups. The
 * sweep runs those that fail or are never reached. An act that writes nothing returns `lost`, null or false, and has no
 * follow-ups. An act that does neither is a fault: its follow-ups are stored separately, with an alarm.
 */
export async function commit<T>(
  deps: CommitPorts,
  userId: string,
  along: { lines?: never; followUps: readonly FollowUp[] },
  act: () => Promise<T>,
): Promise<Committed<T>>
export async function commit<T>(
  deps: CommitPorts & { audit: Audit },
  userId: string,
  along: Along,
  act: () => Promise<T>,
): Promise<Committed<T>>
export async function commit<T>(
  deps: CommitPorts,
  userId: string,
  { lines = [], followUps = [] }: Along,
  act: () => Promise<T>,
): Promise<Committed<T>> {
  const createdMs = deps.clock.now()
  const steps = followUps.map(({ intent, run, later }) => ({
    run,
    stored: { userId, id: later?.id ?? deps.ids.next('int'), createdMs: later?.atMs ?? createdMs, intent },
  }))
  const intents = steps.map(({ stored }) => stored)
  const done = await deps.outbox.along({ lines, intents }, act)
  const isUnsaid = !done.written && !nothingWritten.includes(done.result)
  if (isUnsaid && intents.length > 0) {
    await deps.outbox.add(intents)
    deps.alarms.raise('FollowUpsWithoutWrite', 1, { userId, kinds: intents.map(({ intent }) => intent.kind).join(' ') })
  }
  const own = done.written || isUnsaid ? steps : []
  await Promise.allSettled(
    own.map(async ({ stored, run }) => run && deps.outbox.remove(await run().then(() => stored))),
  )
  return done
}
