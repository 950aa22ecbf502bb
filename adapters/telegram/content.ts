/** Reads a message's text, attachments and quoted messages. */

import type { FileReference, Person } from '../../domain/channels/inbound.ts'
import { oneLine, type Pointed, pointedAt, short } from '../../domain/channels/pointed.ts'
import { cut } from '../../domain/text.ts'
import type { Content, Entities, Message, Origin, Shown, User } from './wire.ts'

export const personOf = ({ id, is_bot, ...named }: User): Person => ({
  id: String(id),
  name: nameOf(named),
  bot: is_bot === true,
})

export const nameOf = (names: {
  title?: string | undefined
  first_name?: string | undefined
  last_name?: string | undefined
}) => cut([names.title, names.first_name, names.last_name].filter(Boolean).join(' '), 200)

/** A message's text, with the addresses behind links. */
export const wordsOf = (given: Content): string =>
  withHidden(given.text ?? given.caption ?? '', given.text === undefined ? given.caption_entities : given.entities) ||
  richText(given.rich_message) ||
  otherText(given)

/** Maximum length of a shown address. */
const addressCharacters = 2_000

/** `this page` → `this page (https://example.com)`; also shows the name behind a text mention. */
function withHidden(text: string, entities: Entities): string {
  const hidden = (entities ?? []).flatMap((entity) => {
    const end = entity ? entity.offset + entity.length : 0
    if (!entity || end > text.length) return []
    const label = text.slice(entity.offset, end).trim()
    const meant = entity.type === 'text_link' ? entity.url : entity.type === 'text_mention' ? calledName(entity) : ''
    return !meant || meant === label || meant.length > addressCharacters ? [] : [{ end, meant }]
  })
  const fromBehind = hidden.toSorted((a, b) => b.end - a.end)
  return fromBehind.reduce((said, { end, meant }) => `${said.slice(0, end)} (${meant})${said.slice(end)}`, text)
}

const calledName = ({ user }: { user?: User | undefined }): string => (user ? nameOf(user) : '')

/** Nested formatted blocks as lines of text. */
function richText(given: unknown, between = '\n', depth = 0): string {
  if (typeof given === 'string') return given
  if (typeof given !== 'object' || given === null || depth > 20) return ''
  if (Array.isArray(given)) return given.map((each) => richText(each, between, depth + 1)).join(between)
  const parts = Object.entries(richParts).flatMap(
    ([name, joint]) => richText((given as Record<string, unknown>)[name], joint, depth + 1) || [], // safe because every value is unknown
  )
  return parts.join('\n')
}

/** Fields of blocks that have text, and the separator of their parts. */
const richParts = { title: '', text: '', caption: '', blocks: '\n', items: '\n', rows: '\n', cells: ' | ' }

function otherText(given: Shown): string {
  const found = Object.entries(described).flatMap(([kind, describe]) => {
    const value = given[kind as keyof Shown] // safe because these are keys of what describes them
    return value === undefined ? [] : [(describe as (value: never) => string)(value as never)] // safe because each describes the value of its key
  })
  return short(oneLine(found[0] ?? ''), 2_000)
}

const listed = (...parts: readonly (string | number | undefined)[]): string => parts.filter(Boolean).join(', ')

const described: { [K in keyof Shown]?: (value: NonNullable<Shown[K]>) => string } = {
  venue: ({ title, address, location }) => listed(title, address, coordinates(location)),
  location: (location) => coordinates(location),
  contact: ({ first_name, last_name, phone_number }) => [first_name, last_name, phone_number].filter(Boolean).join(' '),
  sticker: ({ emoji }) => emoji || 'Sticker',
  poll: ({ question, options }) => `Poll: ${question ?? ''} (${options.map(({ text }) => text).join(' / ')})`,
  checklist: ({ title, tasks }) =>
    `Checklist: ${title ?? ''} (${tasks.map(({ text, completion_date }) => `${completion_date ? '[x]' : '[ ]'} ${text}`).join('; ')})`,
  dice: ({ emoji, value }) => `${emoji ?? 'Dice'} ${value ?? ''}`,
  story: ({ chat }) => `Story of ${nameOf(chat) || 'somebody'}`,
  game: ({ title }) => `Game: ${title ?? ''}`,
  invoice: ({ title, description }) => `Invoice: ${listed(title, description)}`,
  giveaway: ({ prize_description }) => `Giveaway ${prize_description ?? ''}`,
  giveaway_winners: () => 'Giveaway that has ended',
  paid_media: () => 'Paid media',
}

const coordinates = ({ latitude, longitude }: { latitude: number; longitude: number }) => `${latitude}, ${longitude}`

const named = (given: Shown): string => {
  const [file] = filesOf(given)
  return file ? `(${file.name})` : ''
}

/** Forwarded, answered and quoted messages, which are not the sender's words. @param ownId the bot's id */
export function pointedIn(sent: Message, ownId: number): { pointed: Pointed[]; files: FileReference[] } {
  const { forward_origin, reply_to_message: answered, external_reply: outside, quote, reply_to_story: story } = sent
  if (forward_origin)
    return { pointed: pointedAt('forwarded', originName(forward_origin), wordsOf(sent) || named(sent)), files: [] }
  if (answered) {
    const isOwn = answered.from?.id === ownId
    const by = nameOf(answered.sender_chat ?? answered.from ?? {})
    const said = quote?.text ?? (wordsOf(answered) || named(answered))
    return { pointed: pointedAt(isOwn ? 'own' : 'answered', by, said), files: isOwn ? [] : pointedFiles(answered) }
  }
  if (outside) {
    const by = outside.origin ? originName(outside.origin) : ''
    const isOwn = outside.origin?.sender_user?.id === ownId
    const said = quote?.text ?? (otherText(outside) || outside.link_preview_options?.url || named(outside))
    return { pointed: pointedAt(isOwn ? 'own' : 'answered', by, said), files: isOwn ? [] : pointedFiles(outside) }
  }
  const said = quote?.text ?? (story ? `Story of ${nameOf(story.chat) || 'somebody'}` : '')
  return { pointed: pointedAt('answered', story ? nameOf(story.chat) : '', said), files: [] }
}

const pointedFiles = (given: Shown): FileReference[] => filesOf(given).map((file) => ({ ...file, pointed: true }))

const originName = ({ sender_user, sender_user_name, sender_chat, chat, author_signature }: Origin): string =>
  [sender_user_name || nameOf(sender_user ?? sender_chat ?? chat ?? {}), author_signature].filter(Boolean).join(', ')

const kinds = [
  ['document', 'document', 'application/octet-stream'],
  ['video', 'video.mp4', 'video/mp4'],
  ['audio', 'audio.mp3', 'audio/mpeg'],
  ['voice', 'voice.ogg', 'audio/ogg'],
  ['video_note', 'video.mp4', 'video/mp4'],
] as const

export function filesOf(sent: Shown & { message_id?: number }): FileReference[] {
  // Telegram sends a photo in several sizes, the largest last.
  const largest = sent.photo?.findLast((size) => size !== null)
  const found = kinds.flatMap(([kind, name, type]) => {
    const file = sent[kind]
    return file ? [{ file, name: file.file_name || name, type: file.mime_type || type }] : []
  })
  const all = largest
    ? [...found, { file: largest, name: `photo-${sent.message_id ?? 'answered'}.jpg`, type: 'image/jpeg' }]
    : found
  return all.map(({ file: { file_id, file_size }, name, type }) => ({
    ref: file_id,
    name: cut(name, 255),
    type: cut(type, 255),
    ...(file_size !== undefined && { bytes: file_size }),
  }))
}
