import * as z from 'zod'
import { changeVolume, requireAnswered, taskStatus } from '../../app/files/change-volume.ts'
import { messageId } from '../../domain/chat/message.ts'
import { operation } from '../kit/operation.ts'
import { volumeTask } from './volume-task.ts'

export const undoReply = operation({
  ...volumeTask,
  id: 'undoReply',
  summary: 'Undo the agent’s changes on the volume while it answered a message',
  description:
    '`getReplyChanges` lists the changes. If one of the files has changed again since, the request gets 409 and ' +
    'nothing is undone. Effects elsewhere, for example a sent e-mail, cannot be undone.',
  http: { method: 'POST', path: '/instance/replies/{id}/undo', status: taskStatus },
  input: z.strictObject({ id: messageId.meta({ description: 'The message that was answered.' }) }),
  uses: { bus: 'write', conversations: 'read', instances: 'read', tasks: 'write' },
  run: async ({ input: { id }, actor: { userId }, deps, now, outboxFor }) => {
    const promptId = await requireAnswered(deps, userId, id)
    const job = { kind: 'undo-turn' as const, promptId }
    return { task: await changeVolume(deps, { userId, outboxFor, record: id, now }, job) }
  },
})
