import * as z from 'zod'
import { ofKind, requireAnswered } from '../../app/files/change-volume.ts'
import { requireVolume, runJob } from '../../app/files/volume-jobs.ts'
import { messageId } from '../../domain/chat/message.ts'
import { turnChanges } from '../../domain/files/turn.ts'
import { operation } from '../kit/operation.ts'

export const getReplyChanges = operation({
  id: 'getReplyChanges',
  summary: 'List the changes that the agent made on the volume while it answered a message',
  description:
    'Available for the last 20 replies. The agent’s memory and its programs’ own folders (`memory`, `home`, ' +
    '`state`, `packages`) are left out.',
  http: { method: 'GET', path: '/instance/replies/{id}/changes' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: messageId.meta({ description: 'The message that was answered.' }) }),
  output: turnChanges,
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', conversations: 'read', outbox: 'write', instances: 'read', tasks: 'write' },
  run: async ({ input, actor: { userId }, deps }) => {
    const promptId = await requireAnswered(deps, userId, input.id)
    const instance = requireVolume(await deps.instances.find(userId))
    const { result } = await runJob(deps, instance, { kind: 'turn-changes', promptId })
    const { kind: _, ...changes } = ofKind(result, 'turn-changes')
    return changes
  },
})
