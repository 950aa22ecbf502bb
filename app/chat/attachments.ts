import { planById } from '../../domain/billing/plans.ts'
import {
  type Attachment,
  type AttachmentPlace,
  addressSeconds,
  dayBytes,
  dayFiles,
  type NewAttachment,
  newAttachment,
  type StoredAttachment,
  showAttachment,
  unusedMs,
} from '../../domain/chat/attachment.ts'
import type { Message, Prompt } from '../../domain/chat/message.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { iso, secondMs } from '../../domain/time.ts'
import type { Ids } from '../ports/basics.ts'
import type { AttachmentFiles, Attachments } from '../ports/chat.ts'
import type { Instances } from '../ports/instance.ts'
import { sha256Of } from '../sha256.ts'

type AttachmentPorts = { attachments: Attachments; attachmentFiles: AttachmentFiles }
type NewAttachmentPorts = AttachmentPorts & { instances: Instances; ids: Ids }

interface Sender {
  userId: string
  role: Message['role']
}

/** @throws conflict when there is no agent; rate-limited beyond the daily limit */
export async function createAttachment(
  deps: NewAttachmentPorts,
  sender: Sender,
  attachment: NewAttachment,
  nowMs: number,
): Promise<AttachmentPlace> {
  const added = await add(deps, sender, attachment, nowMs)
  const upload = await deps.attachmentFiles.putAddress(added)
  return { attachment: showAttachment(added), upload: { ...upload, expiresAt: iso(nowMs + addressSeconds * secondMs) } }
}

/** For files from channels. @throws ZodError for a file that no attachment may be, conflict, rate-limited */
export async function keepAttachment(
  deps: NewAttachmentPorts,
  userId: string,
  file: Pick<Attachment, 'name' | 'type'> & { content: Uint8Array<ArrayBuffer> },
  nowMs: number,
): Promise<Attachment> {
  const { content, name, type } = file
  const facts = newAttachment.parse({ name, type, bytes: content.length, sha256: await sha256Of(content) })
  const added = await add(deps, { userId, role: 'user' }, facts, nowMs)
  await deps.attachmentFiles.put(added, content)
  return showAttachment(added)
}

async function add(deps: NewAttachmentPorts, { userId, role }: Sender, facts: NewAttachment, nowMs: number) {
  const { id: instanceId, plan } = requireAgent(await deps.instances.find(userId))
  const added = { ...facts, id: deps.ids.next('att'), instanceId, role, createdAt: iso(nowMs) }
  const most = { files: dayFiles, bytes: dayBytes(planById(plan).machine.storageGiB) }
  await deps.attachments.add(userId, added, most, nowMs)
  return added
}

/** @throws conflict when the user has no instance that could answer */
export function requireAgent(instance: InstanceRecord | null): InstanceRecord {
  if (instance && instance.desiredState !== 'deleted') return instance
  throw conflict('There is no agent to answer yet. Subscribe to a plan first.')
}

/**
 * All are stored as announced; the message's write checks that they are unused.
 * @param kept ids of a replaced message's files, which its new version may use again
 * @throws not-found, conflict
 */
export const requireStored = async (
  { attachments, attachmentFiles }: AttachmentPorts,
  { userId, role }: Sender,
  ids: readonly string[],
  nowMs: number,
  kept: readonly string[] = [],
): Promise<StoredAttachment[]> =>
  Promise.all(
    ids.map(async (id) => {
      const attachment = await attachments.find(userId, id, nowMs)
      const untilMs = attachment && !kept.includes(id) ? Date.parse(attachment.createdAt) + unusedMs : Infinity
      if (!attachment || attachment.role !== role || untilMs <= nowMs) throw notFound('attachment')
      if (await attachmentFiles.isStored(attachment)) return attachment
      throw conflict(`${attachment.name} was not uploaded completely. Upload it and send the message again.`)
    }),
  )

export const attached = (all: readonly StoredAttachment[]): Pick<Message, 'attachments'> =>
  all.length > 0 ? { attachments: all.map(showAttachment) } : {}

export async function withAddresses<P extends Pick<Prompt, 'attachments'>>(
  { attachmentFiles }: { attachmentFiles: AttachmentFiles },
  instanceId: string,
  prompt: P,
): Promise<P> {
  if (!prompt.attachments) return prompt
  const attachments = await Promise.all(
    prompt.attachments.map(async (each) => ({
      ...each,
      url: await attachmentFiles.getAddress({ ...each, instanceId }),
    })),
  )
  return { ...prompt, attachments }
}
