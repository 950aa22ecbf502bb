import type { Intent } from '../../domain/outbox.ts'
import type { AuditLine } from '../account/ports.ts'
import type { Basics, Mail, Ports } from '../ports.ts'
import { lost } from '../retry.ts'

/**
 * A follow-up of a change: the intent, stored until it is done, and its execution, unless only the sweep may do it.
 */
export interface FollowUp {
  intent: Intent
  run?(): Promise<unknown>
  /** For the sweep at this time, ms since 1970: the same id written again is one intent. */
  later?: { id: string; atMs: number }
}

/**
 * Does `act`, whose first write takes along the lines of the audit trail about this record, and what is to follow: all
 * of it is written, or nothing. An `act` that writes nothing answers `lost`, null or false.
 */
export type Commit = <T>(record: string, act: () => Promise<T>, followUps?: readonly FollowUp[]) => Promise<T>

/** A change without a line. */
export const writeAlone: Commit = (_record, act) => act()

export const sendMail = ({ mail }: Pick<Ports, 'mail'>, letter: Parameters<Mail['send']>[0]): FollowUp => ({
  intent: { kind: 'mail', ...letter },
  run: () => mail.send(letter),
})

/** The follow-ups that the act itself continues with, unless it is interrupted. */
export const doneByAct = (intent: Intent): FollowUp => ({ intent, run: async () => {} })

export type CommitPorts = Pick<Ports, 'outbox'> & Pick<Basics, 'clock' | 'ids' | 'alarms'>

interface Along {
  lines?: readonly AuditLine[]
  followUps?: readonly FollowUp[]
}

interface Committed<T> {
  result: T
  written: boolean
}

/** Answers by which an act says that it wrote nothing. */
const nothingWritten: readonly unknown[] = [lost, null, false]

/**
 * Does `act`, whose first write takes along the line of the audit trail and what is to follow; then does that. The
 * sweep does follow-ups that fail or are never reached, so a failing follow-up fails nothing else. An act that writes
 * nothing answers `lost`, null or false, and nothing follows. An act that does neither is a fault: its follow-ups are
 * written by themselves, and operators get an alarm.
 */
export async function commit<T>(
  deps: CommitPorts,
  userId: string,
  along: { lines?: never; followUps: readonly FollowUp[] },
  act: () => Promise<T>,
): Promise<Committed<T>>
/** A write with lines reaches the audit trail as well. */
export async function commit<T>(
  deps: CommitPorts & Pick<Ports, 'audit'>,
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
