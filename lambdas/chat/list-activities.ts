import * as z from 'zod'
import { withActivities } from '../../domain/agent/activities.ts'
import { type Activity, activity } from '../../domain/agent/activity.ts'
import { messageId } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { firstIdAt, timeOfId } from '../../domain/ids.ts'
import { operation } from '../kit/operation.ts'

/** Events that are read, all at once, to find a turn's. */
const mostEvents = 1_000

export const listActivities = operation({
  id: 'listActivities',
  summary: 'What the agent did to answer a message',
  description:
    'Its steps in the order in which they began, each with what it came to; they are kept for a day. `isWhole` is false when more ' +
    'has happened since the message than is read here: the latest steps are missing then.',
  http: { method: 'GET', path: '/chat/messages/{id}/activities' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({
    id: messageId.meta({ description: 'Of the user’s message.' }),
  }),
  output: z.object({ activities: z.array(activity), isWhole: z.boolean() }),
  uses: { events: 'read' },
  run: async ({ input, actor, deps }) => {
    const promptId = promptIdOf(input.id)
    const since = await deps.events.after(actor.userId, firstIdAt('evt', timeOfId(input.id)), mostEvents)
    const told = since.filter(({ type, data }) => type === 'message.activity' && data.promptId === promptId)
    // safe because the service writes these events with a list of Activity in them
    const activities = withActivities(
      [],
      told.flatMap(({ data }) => data.activities as Activity[]),
    )
    return { activities, isWhole: since.length < mostEvents }
  },
})
