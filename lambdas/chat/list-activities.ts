import * as z from 'zod'
import { withActivities } from '../../domain/agent/activities.ts'
import { type Activity, activity } from '../../domain/agent/activity.ts'
import type { Event } from '../../domain/chat/event.ts'
import { messageId, type Outcome, outcome } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { firstIdAt, timeOfId } from '../../domain/ids.ts'
import { eventTtlMs } from '../../domain/lifetimes.ts'
import { operation } from '../kit/operation.ts'

/** Most events that are read, at once, to find a turn's. */
const mostEvents = 1_000

const endOf = ({ data }: Event): { outcome: Outcome; note: string | null } => ({
  // safe because the service writes these events with an outcome in them
  outcome: data.outcome as Outcome,
  note: typeof data.note === 'string' ? data.note : null,
})

export const listActivities = operation({
  id: 'listActivities',
  summary: 'List the agent’s steps to answer a message',
  description:
    'Lists the steps in the order in which they began, with their results, and how the answer ended. Steps are ' +
    'stored for a day. `isWhole` is false if too much has happened since the message; then the latest steps are ' +
    'missing.',
  http: { method: 'GET', path: '/chat/messages/{id}/activities' },
  auth: 'user',
  scope: 'api:chat',
  viewed: 'messages',
  input: z.strictObject({ id: messageId.meta({ description: 'The id of the user’s message.' }) }),
  output: z.object({
    activities: z.array(activity),
    isWhole: z.boolean(),
    ended: z
      .object({ outcome, note: z.string().nullable().meta({ example: 'The provider did not answer.' }) })
      .nullable()
      .meta({
        id: 'TurnEnd',
        description: 'How the prompt was closed, and the agent’s comment; null while it is open.',
      }),
  }),
  uses: { conversations: 'read', events: 'read' },
  run: async ({ input, actor, deps, now }) => {
    const promptId = promptIdOf(input.id)
    const since = await deps.events.after(actor.userId, firstIdAt('evt', timeOfId(input.id)), mostEvents)
    const reports = since.filter(({ type, data }) => type === 'message.activity' && data.promptId === promptId)
    // safe because the service writes these events with a list of Activity in them
    const activities = withActivities(
      [],
      reports.flatMap(({ data }) => data.activities as Activity[]),
    )
    const closed = since.find(({ type, data }) => type === 'prompt.closed' && data.promptId === promptId)
    // Steps older than the retention of events are known only by their outcome.
    const known =
      closed || now - timeOfId(input.id) < eventTtlMs
        ? null
        : await deps.conversations.outcomeOf(actor.userId, promptId)
    return {
      activities,
      isWhole: since.length < mostEvents,
      ended: closed ? endOf(closed) : known && { outcome: known, note: null },
    }
  },
})
