import * as z from 'zod'
import { forbidden } from '../errors.ts'
import { viewTtlMs } from '../lifetimes.ts'
import { iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** An operator sees what a user's dashboard shows, and can change nothing there. */
export const view = z
  .object({
    id: z.string().meta({ example: 'viw_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    user: z.string().meta({ description: 'The viewed user.', example: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    messages: z.boolean().meta({ description: 'Whether messages by people and agents are shown.' }),
    reason: z.string().meta({ description: 'The reason for the view.', example: 'Ticket 4711: charged twice' }),
    startedAt: timestamp,
    endsAt: timestamp,
  })
  .meta({ id: 'View' })

export const viewRecord = view.extend({ operator: z.string(), session: z.string() })
export type ViewRecord = z.infer<typeof viewRecord>

export const newView = (
  asked: Pick<ViewRecord, 'id' | 'user' | 'messages' | 'reason' | 'operator' | 'session'>,
  nowMs: number,
): ViewRecord => ({ ...asked, startedAt: iso(nowMs), endsAt: iso(nowMs + viewTtlMs) })

export const showView = ({ operator: _, session: __, ...shown }: ViewRecord) => shown

export const isStanding = ({ endsAt }: ViewRecord, nowMs: number): boolean => Date.parse(endsAt) > nowMs

/** @throws forbidden when there is no view, it has ended, or another session began it */
export function checkView(view: ViewRecord | null, session: string, nowMs: number): ViewRecord {
  if (!view || !isStanding(view, nowMs)) throw forbidden('This view has ended. Begin another one in the console.')
  if (view.session !== session) throw forbidden('This view was begun in another browser.')
  return view
}

export type Viewed = 'account' | 'messages'

/** @throws forbidden for no result, and for messages in a view without them */
export function checkShown<F extends { operation: { viewed?: Viewed } }>(
  { messages }: Pick<ViewRecord, 'messages'>,
  entry: F | null,
): F {
  if (!entry) throw forbidden('A view cannot do this, because it would change something, or reveal a secret or a file.')
  if (entry.operation.viewed === 'messages' && !messages)
    throw forbidden('This view shows no messages. Begin a view with messages, and give a reason.')
  return entry
}
