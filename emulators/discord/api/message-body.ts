import * as z from 'zod'
import type { Mentionable, Said } from '../account.ts'
import { type Components, messageFlags } from '../records.ts'
import { type ApiError, emptyMessage, invalidForm, tooLarge } from './errors.ts'
import type { ApiRequest } from './route.ts'

const most = {
  content: 2_000,
  nonce: 25,
  customId: 100,
  label: 80,
  rows: 5,
  buttons: 5,
  fileBytes: 10 * 1024 * 1024,
  files: 10,
}

const button = z.object({
  type: z.literal(2),
  style: z.int().min(1).max(4),
  custom_id: z.string().min(1).max(most.customId),
  label: z.string().max(most.label).optional(),
  disabled: z.boolean().optional(),
})
const rows = z
  .array(z.object({ type: z.literal(1), components: z.array(button).min(1).max(most.buttons) }))
  .max(most.rows)
  .refine((all) => {
    const ids = all.flatMap(({ components }) => components.map(({ custom_id }) => custom_id))
    return new Set(ids).size === ids.length
  }, 'Component custom id cannot be duplicated')

const body = z.object({
  content: z.string().max(most.content).nullish(),
  nonce: z.union([z.string().max(most.nonce), z.int()]).optional(),
  enforce_nonce: z.boolean().optional(),
  flags: z.int().optional(),
  allowed_mentions: z
    .object({
      parse: z.array(z.enum(['users', 'roles', 'everyone'])).optional(),
      users: z.array(z.string()).max(100).optional(),
      roles: z.array(z.string()).max(100).optional(),
      replied_user: z.boolean().optional(),
    })
    .optional(),
  components: rows.optional(),
  message_reference: z.object({ message_id: z.string(), fail_if_not_exists: z.boolean().optional() }).optional(),
})

/** Reads the body of a message and refuses what Discord refuses. @throws ApiError 50035, 40005 */
export function readMessageBody({ body: given, files }: ApiRequest) {
  if (files.length > most.files) throw invalidForm('files', 'BASE_TYPE_MAX_LENGTH', `Must be ${most.files} or fewer.`)
  if (files.some(({ bytes }) => bytes.length > most.fileBytes)) throw tooLarge()
  const read = body.safeParse(given)
  if (!read.success) throw formProblem(read.error.issues[0])
  return read.data
}

/** The code and the words for what is wrong with a field. */
function formProblem(issue: z.core.$ZodIssue | undefined): ApiError {
  const field = issue?.path.join('.') || 'body'
  if (issue?.code === 'custom') return invalidForm(field, 'COMPONENT_CUSTOM_ID_DUPLICATED', issue.message)
  if (issue?.code === 'too_big') {
    const { maximum } = issue
    // A list, and a text that may not be empty, have two ends.
    return issue.origin === 'array' || field.endsWith('custom_id')
      ? invalidForm(field, 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${maximum} in length.`)
      : invalidForm(field, 'BASE_TYPE_MAX_LENGTH', `Must be ${maximum} or fewer in length.`)
  }
  if (issue?.code === 'invalid_type' && issue.message.endsWith('undefined'))
    return invalidForm(field, 'BASE_TYPE_REQUIRED', 'This field is required')
  return invalidForm(field, 'BASE_TYPE_CHOICES', issue?.message ?? '')
}

/** The content of the message. @throws ApiError 50006 when that is nothing */
export function saidBy(
  { content, components, flags, nonce, allowed_mentions }: ReturnType<typeof readMessageBody>,
  files: ApiRequest['files'],
): Said {
  // Spaces at both ends are not kept, and a message of spaces is none.
  const text = content?.trim() ?? ''
  if (text === '' && files.length === 0) throw emptyMessage()
  return {
    content: text,
    attachments: files,
    components: (components ?? []) as Components, // safe because only buttons with a custom id pass
    flags: (flags ?? 0) & (messageFlags.suppressEmbeds | messageFlags.ephemeral),
    ...(nonce !== undefined && { nonce: String(nonce) }),
    mayMention: (allowed_mentions ?? null) satisfies Mentionable | null,
  }
}
