/** What of a message is handed on: what the webhook reads, and no more. */
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
]

export interface HeardMessage extends Readonly<Record<string, unknown>> {
  id: string
  channel_id: string
}

/** Null for what is no message. `serverId` is what Discord's API leaves out. */
export function messageOf(d: unknown, serverId?: string): HeardMessage | null {
  const given = Object(d) as Record<string, unknown> // safe because every value is unknown
  const { id, channel_id } = given
  if (!isId(id) || !isId(channel_id)) return null
  const { author } = Object(given.referenced_message) as { author?: unknown } // safe because it is unknown
  return {
    ...Object.fromEntries(kept.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))),
    ...(serverId !== undefined && { guild_id: serverId }),
    ...(author !== undefined && { referenced_message: { author } }),
    id,
    channel_id,
  }
}

/** A bot's message asks nothing, and answers of ours would come back to us. */
export const isOfBot = ({ author, webhook_id }: HeardMessage): boolean =>
  webhook_id !== undefined || (Object(author) as { bot?: unknown }).bot === true // safe because bot is unknown

export const isId = (value: unknown): value is string => typeof value === 'string' && /^\d{1,20}$/.test(value)
