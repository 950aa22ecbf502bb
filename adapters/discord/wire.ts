/** The fields that we read of Discord's objects. A field with an undocumented shape counts as absent. */
import * as z from 'zod'
import { snowflake } from './snowflake.ts'

const user = z.object({
  id: snowflake,
  username: z.string().catch(''),
  global_name: z.string().nullish().catch(null),
  bot: z.boolean().optional().catch(undefined),
})
export type User = z.infer<typeof user>

export const attachment = z.object({
  filename: z.string().catch('file'),
  content_type: z.string().nullish().catch(null),
  size: z.int().min(0).optional().catch(undefined),
  url: z.url().max(2000),
})
export type Attachment = z.infer<typeof attachment>

/** Leaves out invalid members. */
const list = <T>(member: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((all) =>
      all.flatMap((each) => {
        const read = member.safeParse(each)
        return read.success ? [read.data] : []
      }),
    )

const embed = z.object({
  title: z.string().catch(''),
  description: z.string().catch(''),
  url: z.string().catch(''),
  fields: list(z.object({ name: z.string().catch(''), value: z.string().catch('') })),
})

/** A message without its author. */
const content = z.object({
  content: z.string().catch(''),
  mentions: list(user),
  attachments: list(attachment),
  embeds: list(embed),
  sticker_items: list(z.object({ name: z.string() })),
  poll: z
    .object({
      question: z.object({ text: z.string().catch('') }).catch({ text: '' }),
      answers: list(z.object({ poll_media: z.object({ text: z.string().catch('') }) })),
    })
    .nullish()
    .catch(null),
})
export type MessageContent = z.infer<typeof content>

export const message = content.extend({
  id: snowflake,
  channel_id: snowflake,
  guild_id: snowflake.optional(),
  author: user,
  webhook_id: snowflake.optional().catch(undefined),
  type: z.number().catch(0),
  edited_timestamp: z.iso.datetime({ offset: true }).nullish().catch(null),
  mention_roles: list(snowflake),
  referenced_message: content
    .extend({ author: user, message_snapshots: list(z.object({ message: content })) })
    .nullish()
    .catch(null),
  /** Forwarded messages; Discord does not name their authors. */
  message_snapshots: list(z.object({ message: content })),
})
export type Message = z.infer<typeof message>

export const channel = z.object({ id: snowflake, guild_id: snowflake.optional() })

/** Events from our listener, in order of arrival. */
export const handedOn = z.object({
  application_id: snowflake,
  self: snowflake,
  events: z
    .array(
      z.object({
        /** The gateway's event type: MESSAGE_CREATE, MESSAGE_UPDATE, CHANNEL_DELETE. */
        t: z.string(),
        d: z.unknown(),
        /** When the listener received it, ms since the epoch. */
        at: z.int().min(0),
        title: z.string().optional().catch(undefined),
        /** The bot's roles in the server; a mention of one is a mention of the bot. */
        roles: list(snowflake),
      }),
    )
    .max(100),
})

const named = {
  name: z.string().catch(''),
  value: z.union([z.string(), z.number(), z.boolean()]).optional().catch(undefined),
}
const option = z.object(named)
/** Options of a command, a subcommand or a group: Discord's maximum depth. */
const subcommand = z.object({ ...named, options: list(option) })
const group = z.object({ ...named, options: list(subcommand) })

export const commandData = z.object({
  name: z.string().min(1).max(64),
  options: list(group),
  resolved: z.object({ attachments: z.record(z.string(), z.unknown()).catch({}) }).catch({ attachments: {} }),
})
export const componentData = z.object({ custom_id: z.string().max(100) })

export const interaction = z.object({
  id: snowflake,
  application_id: snowflake,
  type: z.number(),
  token: z.string().min(1).max(2000),
  guild_id: snowflake.optional(),
  /** 0: in a server, 1: with the bot, 2: with other people. */
  context: z.number().nullish().catch(null),
  channel_id: snowflake,
  channel: z.object({ name: z.string().nullish() }).nullish().catch(null),
  member: z.object({ user }).optional().catch(undefined),
  user: user.optional().catch(undefined),
  message: z.object({ id: snowflake }).optional().catch(undefined),
  data: z.unknown(),
})
export type Interaction = z.infer<typeof interaction>
