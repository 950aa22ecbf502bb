import * as z from 'zod'
import { addressSeconds, attachment, attachmentId, showAttachment } from '../../domain/chat/attachment.ts'
import { notFound } from '../../domain/errors.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

export const getAttachment = operation({
  id: 'getAttachment',
  summary: 'Get the download address of a message’s file',
  description:
    'The address works for 15 minutes and is on another origin. PNG, JPEG, GIF and WebP are served as images, ' +
    'everything else as a download without a type. Files are stored for 30 days.',
  http: { method: 'GET', path: '/chat/attachments/{id}' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ id: attachmentId }),
  output: z.object({ attachment, url: z.url(), expiresAt: timestamp }),
  errors: ['not-found'],
  uses: { attachments: 'read', attachmentFiles: 'read' },
  run: async ({ input, actor, deps, now }) => {
    const attachment = await deps.attachments.find(actor.userId, input.id, now)
    if (!attachment) throw notFound('attachment')
    const url = await deps.attachmentFiles.getAddress(attachment)
    return { attachment: showAttachment(attachment), url, expiresAt: iso(now + addressSeconds * secondMs) }
  },
})
