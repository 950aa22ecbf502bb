import * as z from 'zod'
import { idPattern } from '../ids.ts'
import { sha256 } from '../sha256.ts'
import { dayMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { maxAttachmentBytes, maxAttachments } from './attachment-limits.ts'

/** How long one waits for the message that it is to go with, and how long its bytes are kept, ms. */
export const unusedMs = dayMs
export const keptMs = 30 * dayMs

/** How long its bytes can be put or fetched at an address, seconds. */
export const addressSeconds = 15 * 60

/** What one user and their agent may attach in a UTC day: so many files, and of bytes a hundredth of the plan's volume. */
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

/** No name leads anywhere, breaks a line, hides or turns the direction of a text around it. */
const unnamed = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]|^\.{1,2}$/u

/** A file beside a message's text, as people and agents read of it. */
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
      .meta({ example: 'image/png', description: 'Its media type, as whoever sent it says.' }),
    bytes: z
      .int()
      .min(1, 'It is empty.')
      .max(maxAttachmentBytes, `A file may have ${maxAttachmentBytes / 1e6} MB at most.`)
      .meta({ example: 48_213 }),
  })
  .meta({ id: 'Attachment' })
export type Attachment = z.infer<typeof attachment>

/** What is said of a file before it is put. */
export const attachmentGiven = z.strictObject({
  ...attachment.omit({ id: true }).shape,
  sha256: sha256.meta({ description: 'Of all of it, in hex.' }),
})
export type AttachmentGiven = z.infer<typeof attachmentGiven>

/** Where it is to be put. */
export const attachmentPlace = z.object({
  attachment,
  upload: z
    .object({
      url: z.url(),
      headers: z
        .record(z.string(), z.string())
        .meta({ description: 'To be sent with it, beside exactly its `Content-Length`.' }),
      expiresAt: timestamp,
    })
    .meta({ id: 'AttachmentUpload', description: 'PUT the bytes there.' }),
})
export type AttachmentPlace = z.infer<typeof attachmentPlace>

/** As stored: whose it is, and the message that it went with. */
export type StoredAttachment = Attachment & {
  sha256: string
  instanceId: string
  /** Who sends it. */
  role: 'user' | 'agent'
  createdAt: string
}

/** A file of a prompt, as a machine is told of it. */
export const promptAttachment = attachment
  .extend({
    sha256,
    url: z.url().optional().meta({ description: 'Where it can be fetched for a quarter of an hour; new each time.' }),
  })
  .meta({ id: 'PromptAttachment' })

export type PromptAttachment = z.infer<typeof promptAttachment>

export const showAttachment = ({ id, name, type, bytes }: Attachment): Attachment => ({ id, name, type, bytes })
