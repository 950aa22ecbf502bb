import { createAttachment as create } from '../../app/chat/attachments.ts'
import { attachmentPlace, newAttachment } from '../../domain/chat/attachment.ts'
import { operation } from '../kit/operation.ts'

export const createAttachment = operation({
  id: 'createAttachment',
  summary: 'Create an upload address for a file that goes with a message',
  description:
    'PUT the file to `upload.url` with `upload.headers`, then name its id in `sendMessage` within a day. A file ' +
    'belongs to one message and is stored for 30 days. The agent’s own copy on the volume stays.',
  http: { method: 'POST', path: '/chat/attachments', status: 201 },
  auth: 'user',
  scope: 'api:chat',
  input: newAttachment,
  output: attachmentPlace,
  errors: ['conflict'],
  uses: { attachments: 'write', attachmentFiles: 'write', instances: 'read' },
  run: ({ input, actor: { userId }, deps, now }) => create(deps, { userId, role: 'user' }, input, now),
})
