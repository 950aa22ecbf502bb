import * as z from 'zod'
import { deleteConversation as remove } from '../../app/chat/delete-conversation.ts'
import { conversation, startedConversationId } from '../../domain/chat/conversation.ts'
import { operation } from '../kit/operation.ts'

export const deleteConversation = operation({
  id: 'deleteConversation',
  summary: 'Delete a conversation',
  description:
    'Deletes its messages, their files, its questions and notifications for good, and stops its reply. From this moment ' +
    'on, its messages, files and questions cannot be read. The agent forgets it when its machine runs next. Costs stay ' +
    'in the wallet, and files on the volume stay. The main conversation cannot be deleted. Unlink a chat before you ' +
    'delete its conversation.',
  http: { method: 'DELETE', path: '/chat/conversations/{id}' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ id: startedConversationId }),
  output: z.object({ conversation }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: {
    attachmentErasure: 'write',
    channelLinks: 'read',
    conversationErasure: 'write',
    conversations: 'write',
    events: 'write',
    tasks: 'write',
  },
  run: async ({ input, actor, deps, now, outboxFor }) => ({
    conversation: await remove(deps, actor.userId, input.id, now, outboxFor),
  }),
})
