/** The forwarded fields of a message: exactly those that the webhook reads. */
const kept = [
  'id',
  'channel_id',
  'guild_id',
  'author',
  'webhook_id',
  'type',
  'content',
  'edited_timestamp',
  'mentions',
  'mention_roles',
  'attachments',
  'message_snapshots',
  'embeds',
  'sticker_items',
  'poll',
]

const keptOfAnswered = [
  'author',
  'content',
  'mentions',
  'attachments',
  'embeds',
  'sticker_items',
  'poll',
  'message_snapshots',
]

export interface HeardMessage extends Readonly<Record<string, unknown>> {
  id: string
  channel_id: string
}

/** Null for anything but a message. `serverId` replaces the field that Discord's API omits. */
export function messageOf(d: unknown, serverId?: string): HeardMessage | null {
  const fields = Object(d) as Record<string, unknown> // safe because every value is unknown
  const { id, channel_id } = fields
  if (!isId(id) || !isId(channel_id)) return null
  const answered = pick(Object(fields.referenced_message) as Record<string, unknown>, keptOfAnswered) // safe because every value is unknown
  return {
    ...pick(fields, kept),
    ...(serverId !== undefined && { guild_id: serverId }),
    ...(answered.author !== undefined && { referenced_message: answered }),
    id,
    channel_id,
  }
}

const pick = (fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])))

/** Bots include us. */
export const isOfBot = ({ author, webhook_id }: HeardMessage): boolean =>
  webhook_id !== undefined || (Object(author) as { bot?: unknown }).bot === true // safe because bot is unknown

export const showsSomething = (message: HeardMessage): boolean =>
  ['attachments', 'message_snapshots', 'sticker_items'].some((name) => {
    const value = message[name]
    return Array.isArray(value) && value.length > 0
  }) || Boolean(message.poll)

export const isId = (value: unknown): value is string => typeof value === 'string' && /^\d{1,20}$/.test(value)
