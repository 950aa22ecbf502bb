import { createAttachment } from '../../app/chat/attachments.ts'
import { attachmentPlace, newAttachment } from '../../domain/chat/attachment.ts'
import { operation } from '../kit/operation.ts'

export const createAgentAttachment = operation({
  id: 'createAgentAttachment',
  summary: 'Create an upload address for a file that goes with a reply',
  description:
    'PUT the file to `upload.url` with `upload.headers`, then name its id in the reply or message within a day.',
  http: { method: 'POST', path: '/agent/attachments' },
  auth: 'agent',
  limit: 'agent',
  input: newAttachment,
  output: attachmentPlace,
  errors: ['conflict'],
  uses: { attachments: 'write', attachmentFiles: 'write', instances: 'read' },
  run: ({ input, actor: { userId }, deps, now }) => createAttachment(deps, { userId, role: 'agent' }, input, now),
})
