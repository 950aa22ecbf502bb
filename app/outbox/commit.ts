import type { Intent } from '../../domain/outbox.ts'
import type { AuditLine } from '../account/ports.ts'
import type { Basics, Mail, Ports } from '../ports.ts'

/** What follows from a change: the intent that is kept until it is done, and the doing, unless the sweep alone may do it. */
export interface FollowUp {
  intent: Intent
  run?(): Promise<unknown>
}

/**
 * Does `act`, whose first write takes along the lines of the audit trail about this record, and what is to follow: all of
 * it is written, or nothing.
 */
export type Commit = <T>(record: string, act: () => Promise<T>, followUps?: readonly FollowUp[]) => Promise<T>

/** A change without a line. */
export const writeAlone: Commit = (_record, act) => act()

export const sendMail = ({ mail }: Pick<Ports, 'mail'>, letter: Parameters<Mail['send']>[0]): FollowUp => ({
  intent: { kind: 'mail', ...letter },
  run: () => mail.send(letter),
})

/** What the act itself goes on to do, if nothing comes between. */
export const doneByAct = (intent: Intent): FollowUp => ({ intent, run: async () => {} })

type CommitPorts = Pick<Ports, 'outbox'> & Pick<Basics, 'clock' | 'ids'>

interface Along {
  lines?: readonly AuditLine[]
  followUps?: readonly FollowUp[]
}

interface Committed<T> {
  result: T
  written: boolean
}

/**
 * Does `act`, whose first write takes along the line of the audit trail and what is to follow; then does that. What
 * fails, or is never reached, is done by the sweep, so a failure of what follows fails nothing.
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
  const steps = followUps.map(({ intent, run }) => ({
    run,
    stored: { userId, id: deps.ids.next('int'), createdMs, intent },
  }))
  const done = await deps.outbox.along({ lines, intents: steps.map(({ stored }) => stored) }, act)
  const own = done.written ? steps : []
  await Promise.allSettled(
    own.map(async ({ stored, run }) => run && deps.outbox.remove(await run().then(() => stored))),
  )
  return done
}
