import { findById } from '../../kit/records.ts'
import { optional, required } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import type { Channel, Message, Team } from '../records.ts'
import { findMessage } from '../store.ts'
import { directChannel } from '../world.ts'
import { type Context, channelOf, type Method } from './method.ts'
import { shown } from './posted.ts'

const channelObject = ({ id, name, kind, creator, archived, members }: Channel, team: Team) => ({
  id,
  created: 1_700_000_000,
  creator,
  is_archived: archived,
  is_im: kind === 'im',
  is_mpim: kind === 'mpim',
  is_channel: kind === 'channel',
  is_group: kind === 'group',
  is_private: kind !== 'channel',
  is_member: members.includes(team.botUserId),
  context_team_id: team.id,
  ...(kind === 'im' ? { user: members.find((member) => member !== team.botUserId) } : { name }),
})

/** A message as history shows it: one of a person has no bot. */
const said = (message: Message, team: Team, { app }: Context) =>
  message.user === team.botUserId
    ? shown(message, team, app.appId)
    : { type: 'message', user: message.user, ts: message.ts, text: message.text, team: team.id }

export const conversationMethods: Record<string, Method> = {
  'conversations.info': {
    tier: 3,
    run(given, team, { store }) {
      const channel = findById(store.value.channels, required(given, 'channel'))
      const visible =
        channel?.teamId === team.id && (channel.kind === 'channel' || channel.members.includes(team.botUserId))
      if (!channel || !visible) throw new SlackError('channel_not_found')
      return { channel: channelObject(channel, team) }
    },
  },
  'conversations.open': {
    tier: 3,
    run(given, team, { store }) {
      const user = findById(store.value.users, required(given, 'users'))
      if (!user || user.teamId !== team.id) throw new SlackError('user_not_found')
      if (user.isBot) throw new SlackError('cannot_dm_bot')
      const channel = directChannel(store, team, user.id)
      store.save()
      return { channel: { id: channel.id } }
    },
  },
  'conversations.members': {
    tier: 4,
    run: (given, team, context) => ({
      members: channelOf(context, team, given).members,
      response_metadata: { next_cursor: '' },
    }),
  },
  'conversations.history': {
    tier: 3,
    run(given, team, context) {
      const channel = channelOf(context, team, given)
      const all = context.store.value.messages.filter(
        (message) =>
          message.channel === channel.id &&
          !message.threadTs &&
          !message.onlyFor &&
          message.ts > (optional(given, 'oldest') ?? ''),
      )
      const limit = Number(optional(given, 'limit') ?? 100)
      return {
        messages: all
          .slice(-limit)
          .reverse()
          .map((message) => said(message, team, context)),
        has_more: all.length > limit,
      }
    },
  },
  'conversations.replies': {
    tier: 3,
    run(given, team, context) {
      const channel = channelOf(context, team, given)
      const ts = required(given, 'ts')
      if (!findMessage(context.store, channel.id, ts)) throw new SlackError('thread_not_found')
      const all = context.store.value.messages.filter(
        (message) =>
          message.channel === channel.id && (message.ts === ts || message.threadTs === ts) && !message.onlyFor,
      )
      return { messages: all.map((message) => said(message, team, context)), has_more: false }
    },
  },
}
