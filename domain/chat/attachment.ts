import * as z from 'zod'
import { idPattern } from '../ids.ts'
import { sha256 } from '../sha256.ts'
import { dayMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { maxAttachmentBytes, maxAttachments } from './attachment-limits.ts'

/** How long an unused attachment waits for its message, and how long bytes are kept, ms. */
export const unusedMs = dayMs
export const keptMs = 30 * dayMs

export const addressSeconds = 15 * 60

/** Files and bytes of a UTC day, for a user and their agent together. */
export const dayFiles = 100
export const dayBytes = (storageGiB: number): number => Math.floor((storageGiB * 1024 ** 3) / 100)

export const attachmentId = z
  .string()
  .regex(idPattern('att'), 'Expected an attachment id, att_…')
  .meta({ example: 'att_01KAHB2N3P4Q5R6S7T8V9WXYZ0' })

export const attachmentIds = z
  .array(attachmentId)
  .max(maxAttachments)
  .refine((ids) => new Set(ids).size === ids.length, 'Name each attachment once.')

/** Names must not be paths, break a line, hide characters or change the text direction. */
const unnamed = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]|^\.{1,2}$/u

export const attachment = z
  .object({
    id: attachmentId,
    name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .refine((name) => !unnamed.test(name), 'Use a file’s name alone, without a folder or control characters.')
      .meta({ example: 'tides.png' }),
    type: z
      .string()
      .max(100)
      .regex(/^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/, 'Use a media type in small letters, such as image/png.')
      .meta({ example: 'image/png', description: 'Its media type, according to the sender.' }),
    bytes: z
      .int()
      .min(1, 'It is empty.')
      .max(maxAttachmentBytes, `A file may have ${maxAttachmentBytes / 1e6} MB at most.`)
      .meta({ example: 48_213 }),
  })
  .meta({ id: 'Attachment' })
export type Attachment = z.infer<typeof attachment>

export const newAttachment = z.strictObject({
  ...attachment.omit({ id: true }).shape,
  sha256: sha256.meta({ description: 'SHA-256 of the whole file, in hex.' }),
})
export type NewAttachment = z.infer<typeof newAttachment>

export const attachmentPlace = z.object({
  attachment,
  upload: z
    .object({
      url: z.url(),
      headers: z
        .record(z.string(), z.string())
        .meta({ description: 'Headers to send with it, in addition to exactly its `Content-Length`.' }),
      expiresAt: timestamp,
    })
    .meta({ id: 'AttachmentUpload', description: 'The address for the PUT of the bytes.' }),
})
export type AttachmentPlace = z.infer<typeof attachmentPlace>

export type StoredAttachment = Attachment & {
  sha256: string
  instanceId: string
  role: 'user' | 'agent'
  createdAt: string
}

export const promptAttachment = attachment
  .extend({
    sha256,
    url: z.url().optional().meta({ description: 'Its download address, valid for 15 minutes; a new one each time.' }),
  })
  .meta({ id: 'PromptAttachment' })

export type PromptAttachment = z.infer<typeof promptAttachment>

export const showAttachment = ({ id, name, type, bytes }: Attachment): Attachment => ({ id, name, type, bytes })
