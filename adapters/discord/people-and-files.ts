import type { FileReference, Person } from '../../domain/channels/inbound.ts'
import { cut } from '../../domain/text.ts'
import type { Attachment, User } from './wire.ts'

export const personOf = ({ id, global_name, username, bot }: User): Person => ({
  id,
  name: cut(global_name || username || id, 200),
  bot: bot === true,
})

export const fileOf = ({ url, filename, content_type, size }: Attachment): FileReference => ({
  ref: url,
  name: cut(filename, 255) || 'file',
  type: cut(content_type || 'application/octet-stream', 255),
  ...(size !== undefined && { bytes: size }),
})
