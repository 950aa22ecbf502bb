/** Converts messages of the Events API to events in a chat. Unknown events are ignored. */
import * as z from 'zod'
import { type FileReference, type Happening, type Inbound, maxMentions } from '../../domain/channels/inbound.ts'
import { maxPointed, type Pointed, pointedAt } from '../../domain/channels/pointed.ts'
import { cut } from '../../domain/text.ts'
import { blocksMarkup, richMarkup, tableMarkup } from './blocks.ts'
import { at, channelId, chatOf, fileId, personOf, sortingId, teamId, text, ts, userId } from './fields.ts'
import { calledIn, plainText } from './text.ts'

const envelope = z.object({
  team_id: teamId.nullish().catch(null),
  api_app_id: z.string().catch(''),
  event: z.looseObject({ type: z.string() }),
  /** Seconds since 1970. */
  event_time: z.int().min(1e9).max(9_999_999_999).catch(1e9),
  /** The workspace that installed the app, and the app's user there. */
  authorizations: z
    .array(z.object({ team_id: teamId.nullish(), user_id: userId.nullish(), is_bot: z.boolean().nullish() }))
    .catch([]),
})

interface Place {
  team: string
  app: string
  ownUser: string | undefined
  time: number
}

/** @param body any parsed JSON */
export function readEvent(body: unknown): Inbound[] {
  const found = envelope.safeParse(body)
  if (!found.success) return []
  const { team_id, api_app_id: app, event, event_time: time, authorizations } = found.data
  const team = authorizations[0]?.team_id ?? team_id
  if (!team) return []
  const ownUser = authorizations.find(({ is_bot }) => is_bot)?.user_id ?? undefined
  const read = Object.hasOwn(readers, event.type) ? readers[event.type as keyof typeof readers] : undefined // safe because it is an own key
  return read?.(event, { team, app, ownUser, time }) ?? []
}

type Read = (event: unknown, place: Place) => Inbound[]

const readers = {
  message: readMessage,
  app_mention: readMessage,
  member_left_channel: readLeft,
  channel_left: readLeft,
  group_left: readLeft,
  channel_deleted: readLeft,
  group_deleted: readLeft,
  app_uninstalled: (_, place) => removedFrom(place),
  tokens_revoked: (event, place) => (botTokens.safeParse(event).success ? removedFrom(place) : []),
} satisfies Record<string, Read>

const file = z.object({
  id: fileId,
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.int().min(0).nullish().catch(null),
  mode: z.string().nullish(),
})

const message = z.object({
  type: z.string(),
  subtype: z.string().nullish(),
  channel: channelId,
  user: userId.nullish().catch(null),
  bot_id: userId.nullish().catch(null),
  app_id: z.string().nullish().catch(null),
  bot_profile: z.object({ app_id: z.string().nullish() }).nullish().catch(null),
  username: z.string().nullish().catch(null),
  user_profile: z.object({ display_name: z.string().nullish(), real_name: z.string().nullish() }).nullish().catch(null),
  user_team: teamId.nullish().catch(null),
  text,
  ts,
  thread_ts: ts.nullish().catch(null),
  parent_user_id: z.string().nullish().catch(null),
  files: z.array(z.unknown()).catch([]),
  blocks: z.array(z.unknown()).catch([]),
  attachments: z.array(z.unknown()).catch([]),
})
type Message = z.infer<typeof message>

/** A message before or after its change. */
const inner = message.partial().extend({ edited: z.unknown().optional() })
const changed = z.object({
  channel: channelId,
  ts,
  message: inner.nullish().catch(null),
  previous_message: inner.nullish().catch(null),
})

const maxAttachments = 20

/** Subtypes in which somebody says something; all others report joins, topics and the like. */
const spoken = new Set(['', 'file_share', 'thread_broadcast', 'me_message', 'bot_message'])

function readMessage(event: unknown, place: Place): Inbound[] {
  const { subtype } = z.object({ subtype: z.string().nullish().catch(null) }).parse(event)
  if (subtype === 'message_changed') return readChange(event, place, 'edited')
  if (subtype === 'message_deleted') return readChange(event, place, 'deleted')
  const found = message.safeParse(event)
  if (!found.success || !spoken.has(subtype ?? '')) return []
  const said = found.data
  if (isOurs(said, place) || isToldBetter(said, place)) return []
  return [inboundOf(said, said.ts, place, { kind: 'message', ...contentOf(said, place) })]
}

/**
 * Slack reports a mention twice, under the same id, and the first report counts. A `message` event without our user id
 * cannot show that it mentions us, so `app_mention` must count.
 */
const isToldBetter = ({ type, text, channel }: Message, { ownUser }: Place): boolean =>
  type === 'message' && ownUser === undefined && !channel.startsWith('D') && text.includes('<@')

function contentOf(said: Message, { ownUser }: Place) {
  const { type, channel, text: markup, parent_user_id: parent } = said
  const mentioned = ownUser !== undefined && new RegExp(`<@${ownUser}(\\||>)`).test(markup)
  return {
    ...wordsOf(said, ownUser),
    addressed:
      channel.startsWith('D') || type === 'app_mention' || mentioned || (ownUser !== undefined && parent === ownUser),
  }
}

const attachment = z.object({
  is_share: z.boolean().nullish().catch(null),
  is_msg_unfurl: z.boolean().nullish().catch(null),
  author_name: text,
  author_subname: text,
  channel_name: text,
  pretext: text,
  title: text,
  text,
  fallback: text,
  from_url: text,
  files: z.array(z.unknown()).catch([]),
  blocks: z.array(z.unknown()).catch([]),
  message_blocks: z.array(z.unknown()).catch([]),
})

function wordsOf({ text: markup, blocks, files, attachments }: Message, ownUser: string | undefined) {
  const shown = attachments.slice(0, maxAttachments).flatMap((each) => attachment.safeParse(each).data ?? [])
  const [forwards, previews] = [shown.filter(isForward), shown.filter((each) => !isForward(each))]
  // A pasted table is the sender's own text.
  const tables = [tableMarkup(blocks), ...previews.map((each) => tableMarkup(each.blocks))]
  const own = [richMarkup(blocks) || markup || blocksMarkup(blocks), ...tables].filter(Boolean).join('\n')
  const pointed = [...forwards.map(forwarded), ...previews.map(previewed)].flat().slice(0, maxPointed)
  const mentions = [...new Set([own, ...shown.map(saidIn)].flatMap((said) => calledIn(said)))]
  const people = mentions.filter((user) => user !== ownUser).slice(0, maxMentions)
  return {
    text: plainText(own, ownUser),
    files: [...files, ...forwards.flatMap((each) => each.files)].slice(0, 20).flatMap(fileOf),
    ...(pointed.length > 0 && { pointed }),
    ...(people.length > 0 && { mentions: people }),
  }
}

type Attachment = z.infer<typeof attachment>
const isForward = ({ is_share, is_msg_unfurl }: Attachment) => Boolean(is_share || is_msg_unfurl)

/** Slack's placeholder. */
const noPreview = '[no preview available]'

const saidIn = ({ text: markup, message_blocks, blocks, fallback }: Attachment): string => {
  const inner = message_blocks.flatMap((each) => messageBlocks.safeParse(each).data?.message.blocks ?? [each])
  const tables = [tableMarkup(inner), tableMarkup(blocks)].filter(Boolean)
  const words = richMarkup(inner) || markup || blocksMarkup(inner) || blocksMarkup(blocks)
  return [words || (fallback === noPreview ? '' : fallback), ...(words.includes('| --- |') ? [] : tables)]
    .filter(Boolean)
    .join('\n')
}
const messageBlocks = z.object({ message: z.object({ blocks: z.array(z.unknown()) }) })

function forwarded(given: Attachment): Pointed[] {
  const { author_name, author_subname, channel_name, from_url, files } = given
  const by = [author_name || author_subname, channel_name && `#${channel_name}`].filter(Boolean).join(' in ')
  const named = files.flatMap(fileOf).map(({ name }) => `(${name})`)
  return pointedAt('forwarded', by, plainText(saidIn(given), undefined) || named.join(' ') || from_url)
}

function previewed(given: Attachment): Pointed[] {
  const { author_name, pretext, title, text: markup, blocks, from_url } = given
  // Table blocks are read with the message.
  const others = blocks.filter((block) => Object(block).type !== 'table')
  const words = [pretext, title, markup || blocksMarkup(others)].filter(Boolean).join('\n')
  return pointedAt('attached', author_name || from_url, plainText(words, undefined))
}

/** Files at Slack. Deleted and external files have no bytes to fetch. */
function fileOf(given: unknown): FileReference[] {
  const found = file.safeParse(given)
  if (!found.success || ['tombstone', 'hidden_by_limit', 'external'].includes(found.data.mode ?? '')) return []
  const { id, name, mimetype, size } = found.data
  const named = cut(name || id, 255)
  return [
    {
      ref: id,
      name: named,
      type: cut(mimetype || 'application/octet-stream', 255),
      ...(size && { bytes: size }),
    },
  ]
}

function isOurs(
  { user, app_id, bot_profile }: Partial<Pick<Message, 'user' | 'app_id' | 'bot_profile'>>,
  { app, ownUser }: Place,
): boolean {
  if (ownUser !== undefined && user === ownUser) return true
  return app !== '' && (app_id === app || bot_profile?.app_id === app)
}

/** A person's change. Slack also reports our own edits, and previews that it adds. */
function readChange(event: unknown, place: Place, kind: 'edited' | 'deleted'): Inbound[] {
  const found = changed.safeParse(event)
  const about = found.data?.message ?? found.data?.previous_message
  if (!found.success || !about || isOurs(about, place)) return []
  if (kind === 'edited' && !about.edited) return []
  const { channel, ts: time } = found.data
  return [inboundOf({ ...about, channel }, time, place, { kind })]
}

/** @param time of the event; `said` has the time of its message */
function inboundOf(
  said: Partial<Message> & { channel: string },
  time: string,
  { team, ownUser }: Place,
  what: Happening,
): Inbound {
  const { channel, user, bot_id, username, user_profile, user_team, thread_ts, ts: own } = said
  const bot = Boolean(bot_id) || user === 'USLACKBOT' || (user === ownUser && ownUser !== undefined)
  const name = user_profile?.display_name || user_profile?.real_name || username || ''
  // In a channel, a reply goes into the message's thread; in a direct chat only if a thread exists.
  const thread = thread_ts ?? (channel.startsWith('D') ? null : own)
  return {
    id: what.kind === 'message' ? sortingId(time) : sortingId(time, what.kind, own ?? ''),
    chat: chatOf(team, channel),
    person: personOf(team, user ?? bot_id ?? 'U0', name, bot),
    context: {
      ...(thread && { thread }),
      ...(user && { user, team: user_team ?? team }),
    },
    at: at(time),
    what,
  }
}

const left = z.object({
  type: z.string(),
  channel: channelId,
  user: userId.nullish(),
  actor_id: userId.nullish().catch(null),
  event_ts: ts.nullish().catch(null),
})

/** The app lost a channel: it was removed, or the channel was deleted. */
function readLeft(event: unknown, { team, ownUser, time }: Place): Inbound[] {
  const found = left.safeParse(event)
  if (!found.success) return []
  const { type, channel, user, actor_id, event_ts } = found.data
  if (type === 'member_left_channel' && (ownUser === undefined || user !== ownUser)) return []
  const when = event_ts ?? String(time)
  return [
    {
      id: sortingId(when, 'removed'),
      chat: chatOf(team, channel),
      person: personOf(team, actor_id ?? user ?? 'U0'),
      context: {},
      at: at(when),
      what: { kind: 'removed' },
    },
  ]
}

const botTokens = z.object({ tokens: z.object({ bot: z.array(z.string()).min(1) }) })

const removedFrom = ({ team, time }: Place): Inbound[] => [
  {
    id: sortingId(String(time), 'removed'),
    chat: { platform: 'slack', id: team, kind: 'group' },
    person: personOf(team, 'U0'),
    context: {},
    at: at(String(time)),
    what: { kind: 'removed' },
  },
]
