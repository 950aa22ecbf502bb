import * as z from 'zod'
import { changeVolume, requireAnswered, taskStatus } from '../../app/files/change-volume.ts'
import { messageId } from '../../domain/chat/message.ts'
import { filesTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'

export const undoReply = operation({
  id: 'undoReply',
  summary: 'Take back what the agent changed on the volume while it answered a message',
  description:
    'getReplyChanges shows it first. 409 when one of the files was changed again since: then nothing is taken back. What the agent did ' +
    'elsewhere, such as a mail that it sent, stays done.',
  http: { method: 'POST', path: '/instance/replies/{id}/undo', status: taskStatus },
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: messageId.meta({ description: 'The message that was answered.' }) }),
  output: z.object({ task: filesTask }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', conversations: 'read', instances: 'read', tasks: 'write' },
  commits: true,
  run: async ({ input: { id }, actor: { userId }, deps, now, outboxFor }) => {
    const promptId = await requireAnswered(deps, userId, id)
    const job = { kind: 'undo-turn' as const, promptId }
    return { task: await changeVolume(deps, { userId, outboxFor, record: id, now }, job) }
  },
})
