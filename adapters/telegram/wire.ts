import * as z from 'zod'

/** A field of an unexpected shape counts as absent, because each version of Telegram adds fields. */
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)
const text = maybe(z.string())
/** Ids have at most 52 bits. */
const integer = z.int()

const user = z.object({
  id: integer,
  is_bot: maybe(z.boolean()),
  first_name: text,
  last_name: text,
  username: text,
})
export const chat = z.object({
  id: integer,
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: text,
  first_name: text,
})
const entity = z.object({
  type: z.string(),
  offset: z.int().min(0),
  length: z.int().min(0),
  user: maybe(user),
  url: text,
})
const entities = maybe(z.array(entity.nullable().catch(null)))
export type User = z.infer<typeof user>
export type Entities = z.infer<typeof entities>

const file = z.object({
  file_id: z.string().min(1).max(2000),
  file_name: text,
  mime_type: text,
  file_size: maybe(z.int().min(0)),
})
const photo = file.extend({ width: integer, height: integer })
const place = z.object({ latitude: z.number(), longitude: z.number() })

const shown = z.object({
  photo: maybe(z.array(photo.nullable().catch(null))),
  document: maybe(file),
  audio: maybe(file),
  voice: maybe(file),
  video: maybe(file),
  video_note: maybe(file),
  live_photo: maybe(file),
  sticker: maybe(z.object({ emoji: text })),
  location: maybe(place),
  venue: maybe(z.object({ title: text, address: text, location: place })),
  contact: maybe(z.object({ phone_number: z.string(), first_name: text, last_name: text })),
  poll: maybe(z.object({ question: text, options: z.array(z.object({ text: z.string() })).catch([]) })),
  checklist: maybe(
    z.object({
      title: text,
      tasks: z.array(z.object({ text: z.string(), completion_date: maybe(integer) })).catch([]),
    }),
  ),
  dice: maybe(z.object({ emoji: text, value: maybe(integer) })),
  story: maybe(z.object({ chat })),
  game: maybe(z.object({ title: text })),
  invoice: maybe(z.object({ title: text, description: text })),
  giveaway: maybe(z.object({ prize_description: text })),
  giveaway_winners: maybe(z.object({ winner_count: maybe(integer) })),
  paid_media: maybe(z.object({ star_count: maybe(integer) })),
})
export type Shown = z.infer<typeof shown>

const content = shown.extend({
  text,
  entities,
  caption: text,
  caption_entities: entities,
  rich_message: maybe(z.unknown()),
})
export type Content = z.infer<typeof content>

/** The author of a forwarded message, or of one in another chat. */
const origin = z.object({
  type: z.string(),
  sender_user: maybe(user),
  sender_user_name: text,
  sender_chat: maybe(chat),
  chat: maybe(chat),
  author_signature: text,
})
export type Origin = z.infer<typeof origin>

const message = content.extend({
  message_id: integer,
  message_thread_id: maybe(integer),
  is_topic_message: maybe(z.boolean()),
  date: z.int().min(0),
  edit_date: maybe(z.int().min(0)),
  chat,
  from: maybe(user),
  sender_chat: maybe(chat),
  reply_to_message: maybe(content.extend({ from: maybe(user), sender_chat: maybe(chat) })),
  external_reply: maybe(shown.extend({ origin: maybe(origin), link_preview_options: maybe(z.object({ url: text })) })),
  quote: maybe(z.object({ text: z.string() })),
  reply_to_story: maybe(z.object({ chat })),
  forward_origin: maybe(origin),
  media_group_id: text,
  migrate_to_chat_id: maybe(integer),
  migrate_from_chat_id: maybe(integer),
})
export type Message = z.infer<typeof message>

export const update = z.object({
  update_id: integer,
  message: maybe(message),
  edited_message: maybe(message),
  callback_query: maybe(
    z.object({
      id: z.string().min(1).max(64),
      from: user,
      message: maybe(
        message.pick({
          message_id: true,
          date: true,
          edit_date: true,
          chat: true,
          message_thread_id: true,
          is_topic_message: true,
        }),
      ),
      data: text,
    }),
  ),
  my_chat_member: maybe(
    z.object({ chat, from: user, date: z.int().min(0), new_chat_member: z.object({ status: z.string() }) }),
  ),
  stopped_message_generation: maybe(z.object({ chat, message_thread_id: maybe(integer), draft_id: integer })),
})
