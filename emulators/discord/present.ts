/** Records as the API and the gateway give them. */
import type { Account } from './account.ts'
import { type Channel, channelTypes, type Message, type Server, type User } from './records.ts'

/** Signs nothing here, but lasts as long as Discord's own addresses of files do. */
const fileDays = 1

export const presentUser = ({ id, username, discriminator, global_name, avatar, bot }: User) => ({
  id,
  username,
  discriminator,
  global_name,
  avatar,
  ...(bot && { bot: true }),
})

export function presentChannel(account: Account, channel: Channel) {
  const last = channel.messages.at(-1)?.id ?? null
  if (channel.type === channelTypes.direct)
    return {
      id: channel.id,
      type: channel.type,
      last_message_id: last,
      recipients: channel.recipient ? [presentUser(channel.recipient)] : [],
    }
  const siblings = account.channelsOf(channel.guild_id ?? '')
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guild_id,
    name: channel.name,
    position: siblings.indexOf(channel),
    permission_overwrites: [],
    nsfw: false,
    parent_id: null,
    topic: null,
    last_message_id: last,
  }
}

export const presentServer = ({ id, name, owner_id, roles }: Server) => ({
  id,
  name,
  icon: null,
  owner_id,
  roles: roles.map((role, position) => ({
    ...role,
    position,
    color: 0,
    hoist: false,
    managed: role.tags !== undefined,
    mentionable: false,
    flags: 0,
  })),
  features: [],
  emojis: [],
  stickers: [],
  preferred_locale: 'en-US',
})

/** `fileOrigin` is where attachments are. */
export function presentMessage(message: Message, fileOrigin: string): Record<string, unknown> {
  const { channel, answers, forwards, interaction } = message
  return {
    id: message.id,
    channel_id: channel.id,
    author: presentUser(message.author),
    content: message.content,
    timestamp: message.timestamp,
    edited_timestamp: message.edited_timestamp,
    tts: false,
    mention_everyone: message.mention_everyone,
    mentions: message.mentions.map(presentUser),
    mention_roles: message.mention_roles,
    attachments: message.attachments.map((each) => presentAttachment(channel, each, fileOrigin)),
    embeds: [],
    components: message.components,
    pinned: false,
    type: message.type,
    flags: message.flags,
    ...(message.nonce !== undefined && { nonce: message.nonce }),
    ...(message.webhook_id !== undefined && { webhook_id: message.webhook_id, application_id: message.webhook_id }),
    ...(interaction && {
      interaction_metadata: { id: interaction.id, type: 2, user: presentUser(interaction.user) },
    }),
    ...(forwards && {
      message_reference: { type: 1, message_id: forwards.id, ...placeOf(forwards.channel) },
      message_snapshots: [{ message: snapshotOf(forwards, fileOrigin) }],
    }),
    ...(answers && {
      message_reference: { type: 0, message_id: answers.id, ...placeOf(channel) },
      referenced_message: presentMessage({ ...answers, answers: null }, fileOrigin),
    }),
  }
}

const placeOf = ({ id, guild_id }: Channel) => ({ channel_id: id, ...(guild_id !== undefined && { guild_id }) })

/** The part of a forwarded message that Discord shows: neither its author nor its id. */
function snapshotOf(message: Message, fileOrigin: string) {
  const {
    content,
    timestamp,
    edited_timestamp,
    type,
    flags,
    mentions,
    mention_roles,
    attachments,
    embeds,
    components,
  } = presentMessage(message, fileOrigin)
  return { content, timestamp, edited_timestamp, type, flags, mentions, mention_roles, attachments, embeds, components }
}

export function presentAttachment(
  { id: channelId }: Channel,
  { id, filename, content_type, bytes }: Message['attachments'][number],
  fileOrigin: string,
) {
  const expires = Math.floor(Date.now() / 1000) + fileDays * 24 * 3600
  const url = `${fileOrigin}/attachments/${channelId}/${id}/${encodeURIComponent(filename)}?ex=${expires.toString(16)}&is=${Math.floor(Date.now() / 1000).toString(16)}&hm=0`
  return { id, filename, size: bytes.length, url, proxy_url: url, content_type }
}
