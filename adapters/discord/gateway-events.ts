/** Plain messages: Discord gives them at its gateway alone, where our listener hears them and hands them on. */

import type * as z from 'zod'
import type { WebhookReading } from '../../app/channels/platform-port.ts'
import type { Inbound } from '../../domain/channels/inbound.ts'
import { cut } from '../../domain/text.ts'
import { iso } from '../../domain/time.ts'
import { fileOf, personOf } from './people-and-files.ts'
import { padded, snowflakeAt, snowflakeMs } from './snowflake.ts'
import { channel, handedOn, type Message, message } from './wire.ts'

type HandedOn = z.infer<typeof handedOn>
type Event = HandedOn['events'][number]

/** Reads what our listener signed. */
export function readHandedOn(json: unknown, applicationId: string): WebhookReading {
  const read = handedOn.safeParse(json)
  if (!read.success) return { kind: 'inbound', inbound: [], answer: null }
  if (read.data.application_id !== applicationId) return { kind: 'refused', why: 'it is for another application' }
  return {
    kind: 'inbound',
    inbound: read.data.events.flatMap((event) => happened(event, read.data.self)),
    answer: null,
  }
}

function happened(event: Event, self: string): Inbound[] {
  if (event.t === 'CHANNEL_DELETE') return removed(event, self)
  if (event.t !== 'MESSAGE_CREATE' && event.t !== 'MESSAGE_UPDATE') return []
  const read = message.safeParse(event.d)
  if (!read.success || !isSaid(read.data)) return []
  return event.t === 'MESSAGE_CREATE' ? [said(read.data, event, self)] : edited(read.data, event, self)
}

/** A person's message or answer; all other types are notices, such as that somebody joined. */
const isSaid = ({ type }: Message): boolean => type === 0 || type === 19

const about = (given: Message, { title }: Event) => ({
  chat: {
    platform: 'discord' as const,
    id: given.channel_id,
    kind: given.guild_id === undefined ? ('direct' as const) : ('group' as const),
    ...(given.guild_id !== undefined && title && { title: cut(title, 200) }),
  },
  person: { ...personOf(given.author), ...(given.webhook_id && { bot: true }) },
  context: { message: given.id },
})

function said(given: Message, event: Event, self: string): Inbound {
  const { attachments, message_snapshots: forwarded } = given
  const files = [...attachments, ...forwarded.flatMap(({ message }) => message.attachments)]
  const text = given.content || forwarded.map(({ message }) => message.content).join('\n')
  return {
    id: padded(given.id),
    ...about(given, event),
    at: iso(snowflakeMs(given.id)),
    what: {
      kind: 'message',
      text: readable(text, given, self),
      files: files.slice(0, 20).map(fileOf),
      addressed: isAddressed(given, event.roles, self),
    },
  }
}

const isAddressed = (given: Message, roles: readonly string[], self: string): boolean =>
  given.guild_id === undefined ||
  given.mentions.some(({ id }) => id === self) ||
  given.mention_roles.some((role) => roles.includes(role)) ||
  given.referenced_message?.author.id === self

/** The bot's own name is left out where it begins the text; other people are called by their names. */
function readable(text: string, { mentions }: Message, self: string): string {
  const names = new Map(mentions.map((user) => [user.id, personOf(user).name]))
  return text
    .replace(/^\s*<@[!&]?(\d{1,20})>[\s,:]*/, (whole, id: string) => (id === self ? '' : whole))
    .replace(/<@!?(\d{1,20})>/g, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole))
}

/** Discord tells of an edit when it adds a link's preview too; that has no time of an edit. What was not meant for us we took nothing of. */
function edited(given: Message, event: Event, self: string): Inbound[] {
  if (!given.edited_timestamp || !isAddressed(given, event.roles, self)) return []
  const ms = Date.parse(given.edited_timestamp)
  const id = `${padded(snowflakeAt(ms))}#${given.id}`
  return [{ id, ...about(given, event), at: iso(ms), what: { kind: 'edited' } }]
}

/** A channel that is gone, or that we see no more. */
function removed({ d, at, title }: Event, self: string): Inbound[] {
  const read = channel.safeParse(d)
  if (!read.success) return []
  const { id, guild_id } = read.data
  return [
    {
      id: `${padded(snowflakeAt(at))}#removed`,
      chat: {
        platform: 'discord',
        id,
        kind: guild_id ? 'group' : 'direct',
        ...(title && { title: cut(title, 200) }),
      },
      // Whoever it was: Discord does not say.
      person: { id: self, name: 'Discord', bot: false },
      context: {},
      at: iso(at),
      what: { kind: 'removed' },
    },
  ]
}
