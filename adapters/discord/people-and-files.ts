import type { FileReference, Person } from '../../domain/channels/inbound.ts'
import type { Attachment, User } from './wire.ts'

export const personOf = ({ id, global_name, username, bot }: User): Person => ({
  id,
  name: (global_name || username || id).slice(0, 200),
  bot: bot === true,
})

export const fileOf = ({ url, filename, content_type, size }: Attachment): FileReference => ({
  ref: url,
  name: filename.slice(0, 255) || 'file',
  type: (content_type || 'application/octet-stream').slice(0, 255),
  ...(size !== undefined && { bytes: size }),
})
