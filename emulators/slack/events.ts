/** The app's events: the bodies of the Events API, typed by Slack's own package where it has types. */
import type {
  AppMentionEvent,
  ChannelLeftEvent,
  FileShareMessageEvent,
  GenericMessageEvent,
  GroupLeftEvent,
  MemberLeftChannelEvent,
  MessageChangedEvent,
  MessageDeletedEvent,
  TokensRevokedEvent,
} from '@slack/types'
import type { Deliveries } from './deliveries.ts'
import { fileObject } from './files.ts'
import type { Channel, Message, Team } from './records.ts'
import { findById, nextTs, type Store } from './store.ts'

export interface Events {
  said(message: Message): void
  changed(message: Message, before: Message): void
  deleted(message: Message): void
  botLeft(channel: Channel, actor: string): void
  uninstalled(team: Team): void
  revoked(team: Team): void
}

export function createEvents(store: Store, deliveries: Deliveries, appId: string, origin: () => string): Events {
  /** Events go only to workspaces with the app, and those of channels only if the app is a member. */
  const emit = (team: Team, event: object, always = false) => {
    if (team.token === null && !always) return
    const time = Math.floor(store.now() / 1000)
    deliveries.event((eventId) => ({
      token: 'verification-token-of-old',
      team_id: team.id,
      api_app_id: appId,
      event,
      type: 'event_callback',
      event_id: eventId,
      event_time: time,
      authorizations: [
        { enterprise_id: null, team_id: team.id, user_id: team.botUserId, is_bot: true, is_enterprise_install: false },
      ],
      is_ext_shared_channel: false,
      event_context: `4-${eventId}`,
    }))
  }

  const placeOf = (message: Message) => {
    const channel = findById(store.value.channels, message.channel)
    const team = channel && findById(store.value.teams, channel.teamId)
    return channel && team && channel.members.includes(team.botUserId) ? { channel, team } : null
  }

  const profile = (team: Team): NonNullable<GenericMessageEvent['bot_profile']> => ({
    id: team.botId,
    name: 'app',
    app_id: appId,
    team_id: team.id,
    icons: {},
    updated: 0,
    deleted: false,
  })

  /** A message as the app sees it. */
  function body(message: Message, channel: Channel, team: Team) {
    const own = message.user === team.botUserId
    const root = message.threadTs && store.value.messages.find((candidate) => candidate.ts === message.threadTs)
    const files = message.files.flatMap((id) => findById(store.value.files, id) ?? [])
    return {
      type: 'message' as const,
      user: message.user,
      text: message.text,
      team: team.id,
      ts: message.ts,
      channel: message.channel,
      channel_type: channel.kind,
      event_ts: message.ts,
      ...(message.threadTs && { thread_ts: message.threadTs }),
      ...(root && { parent_user_id: root.user }),
      // Blocks of the app's own messages are not told here.
      ...(!own && message.blocks.length > 0 && { blocks: message.blocks }),
      ...(message.attachments && { attachments: message.attachments }),
      ...(files.length > 0 && { files: files.map((file) => fileObject(file, origin())) }),
      ...(message.edited && { edited: { user: message.user, ts: nextTs(store) } }),
      ...(own && { bot_id: team.botId, app_id: appId, bot_profile: profile(team) }),
    }
  }

  return {
    said(message) {
      const place = placeOf(message)
      if (!place || message.onlyFor) return
      const { channel, team } = place
      const whole = body(message, channel, team)
      const event =
        message.files.length > 0 ? { ...whole, subtype: 'file_share' as const } : { ...whole, subtype: undefined }
      emit(team, event satisfies GenericMessageEvent | FileShareMessageEvent)
      if (channel.kind === 'im' || !message.text.includes(`<@${team.botUserId}>`)) return
      const { channel_type: _, parent_user_id: __, files, ...mention } = whole
      emit(team, { ...mention, type: 'app_mention', ...(files && { files }) } satisfies Omit<AppMentionEvent, 'files'>)
    },
    changed(message, before) {
      const place = placeOf(message)
      if (!place || message.onlyFor) return
      const { channel, team } = place
      const ts = nextTs(store)
      const event = {
        ...envelope('message_changed', message, channel, ts),
        message: { ...body(message, channel, team), subtype: undefined },
        previous_message: { ...body(before, channel, team), subtype: undefined },
      } satisfies MessageChangedEvent
      emit(team, event)
    },
    deleted(message) {
      const place = placeOf(message)
      if (!place || message.onlyFor) return
      const { channel, team } = place
      const event = {
        ...envelope('message_deleted', message, channel, nextTs(store)),
        deleted_ts: message.ts,
        previous_message: { ...body(message, channel, team), subtype: undefined },
      } satisfies MessageDeletedEvent
      emit(team, event)
    },
    botLeft(channel, actor) {
      const team = findById(store.value.teams, channel.teamId)
      if (!team) return
      const event_ts = nextTs(store)
      const [type, channel_type] =
        channel.kind === 'channel' ? (['channel_left', 'C'] as const) : (['group_left', 'G'] as const)
      emit(team, { type, channel: channel.id, actor_id: actor, event_ts } satisfies ChannelLeftEvent | GroupLeftEvent)
      const member = {
        type: 'member_left_channel' as const,
        user: team.botUserId,
        channel: channel.id,
        channel_type,
        team: team.id,
        event_ts,
      }
      emit(team, member satisfies MemberLeftChannelEvent)
    },
    uninstalled(team) {
      emit(team, { type: 'app_uninstalled' }, true)
    },
    revoked(team) {
      emit(
        team,
        { type: 'tokens_revoked', tokens: { oauth: [], bot: [team.botUserId] } } satisfies TokensRevokedEvent,
        true,
      )
    },
  }
}

const envelope = <S extends string>(subtype: S, message: Message, channel: Channel, ts: string) => ({
  type: 'message' as const,
  subtype,
  hidden: true as const,
  channel: message.channel,
  channel_type: channel.kind,
  ts,
  event_ts: ts,
})
