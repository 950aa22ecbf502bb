/** Plain messages. Only Discord's gateway has them, so our listener forwards them. */

import type * as z from 'zod'
import type { WebhookReading } from '../../app/ports/chat-platform.ts'
import type { Inbound } from '../../domain/channels/inbound.ts'
import { maxPointed, oneLine, pointedAt, short } from '../../domain/channels/pointed.ts'
import { cut } from '../../domain/text.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { fileOf, personOf } from './people-and-files.ts'
import { padded, snowflakeAt, snowflakeMs } from './snowflake.ts'
import { channel, handedOn, type Message, type MessageContent, message } from './wire.ts'

type HandedOn = z.infer<typeof handedOn>
type Event = HandedOn['events'][number]

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

/** Messages and replies; all other types are notices, such as joins. */
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
  const forwarded = given.message_snapshots.map(({ message }) => message)
  const answered = answeredBy(given)
  const files = [...given.attachments, ...forwarded.flatMap(({ attachments }) => attachments)].map(fileOf)
  const isOwn = answered?.author.id === self
  const pointed = [
    ...(answered ? pointedAt(isOwn ? 'own' : 'answered', personOf(answered.author).name, saidIn(answered)) : []),
    ...forwarded.flatMap((each) => pointedAt('forwarded', '', saidIn(each))),
  ].slice(0, maxPointed)
  const answeredFiles = isOwn ? [] : (answered?.attachments ?? []).map((file) => ({ ...fileOf(file), pointed: true }))
  return {
    id: padded(given.id),
    ...about(given, event),
    at: iso(snowflakeMs(given.id)),
    what: {
      kind: 'message',
      text: readable(given.content, given, self) || withoutWords(given),
      files: [...files, ...answeredFiles].slice(0, 20),
      ...(pointed.length > 0 && { pointed }),
      addressed: isAddressed(given, event.roles, self),
    },
  }
}

const isAddressed = (given: Message, roles: readonly string[], self: string): boolean =>
  given.guild_id === undefined ||
  given.mentions.some(({ id }) => id === self) ||
  given.mention_roles.some((role) => roles.includes(role)) ||
  given.referenced_message?.author.id === self

const answeredBy = ({ type, referenced_message }: Message) => (type === 19 ? (referenced_message ?? null) : null)

/** The text of another person's message; without text, a description of its contents. */
function saidIn(given: MessageContent & Partial<Pick<Message, 'message_snapshots'>>): string {
  const words = [
    readable(given.content, given, ''),
    ...given.embeds.flatMap(({ title, description, url, fields }) =>
      [title, description, ...fields.map(({ name, value }) => `${name}: ${value}`), url].filter(Boolean),
    ),
    ...(given.message_snapshots ?? []).map(({ message }) => saidIn(message)),
  ].filter(Boolean)
  if (words.length > 0) return words.join('\n')
  return withoutWords(given) || given.attachments.map(({ filename }) => `(${filename})`).join(' ')
}

function withoutWords({ poll, sticker_items }: MessageContent): string {
  const answers = poll?.answers.map(({ poll_media }) => poll_media.text).join(' / ')
  const line = poll ? `Poll: ${poll.question.text} (${answers})` : sticker_items.map(({ name }) => name).join(', ')
  return short(oneLine(line), 2_000)
}

/** Removes a leading mention of the bot, and shows names of people, emoji and times. */
function readable(text: string, { mentions }: Pick<Message, 'mentions'>, self: string): string {
  const names = new Map(mentions.map((user) => [user.id, personOf(user).name]))
  return text
    .replace(/^\s*<@[!&]?(\d{1,20})>[\s,:]*/, (whole, id: string) => (id === self ? '' : whole))
    .replace(/<@!?(\d{1,20})>/g, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole))
    .replace(/<a?(:\w{1,64}:)\d{1,20}>/g, '$1')
    .replace(/<t:(\d{1,11})(?::\w)?>/g, (_, seconds: string) => iso(Number(seconds) * secondMs))
}

/**
 * Discord also reports an edit when it adds a preview, without a time of the edit. Edits of messages that were not for
 * us have no effect.
 */
function edited(given: Message, event: Event, self: string): Inbound[] {
  if (!given.edited_timestamp || !isAddressed(given, event.roles, self)) return []
  const ms = Date.parse(given.edited_timestamp)
  const id = `${padded(snowflakeAt(ms))}#${given.id}`
  return [{ id, ...about(given, event), at: iso(ms), what: { kind: 'edited' } }]
}

/** A deleted channel, or one without access for us. */
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
      // Discord does not name the person.
      person: { id: self, name: 'Discord', bot: false },
      context: {},
      at: iso(at),
      what: { kind: 'removed' },
    },
  ]
}
