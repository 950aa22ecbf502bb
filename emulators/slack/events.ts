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
import { findById } from '../kit/records.ts'
import type { Deliveries } from './deliveries.ts'
import { fileObject } from './files.ts'
import type { Channel, Message, Team } from './records.ts'
import { nextTs, type Store } from './store.ts'

export class Events {
  readonly #store: Store
  readonly #deliveries: Deliveries
  readonly #appId: string
  readonly #origin: () => string

  constructor(store: Store, deliveries: Deliveries, appId: string, origin: () => string) {
    this.#store = store
    this.#deliveries = deliveries
    this.#appId = appId
    this.#origin = origin
  }

  said(message: Message): void {
    const place = this.#placeOf(message)
    if (!place || message.onlyFor) return
    const { channel, team } = place
    const whole = this.#body(message, channel, team)
    const event =
      message.files.length > 0 ? { ...whole, subtype: 'file_share' as const } : { ...whole, subtype: undefined }
    this.#emit(team, event satisfies GenericMessageEvent | FileShareMessageEvent)
    if (channel.kind === 'im' || !message.text.includes(`<@${team.botUserId}>`)) return
    const { channel_type: _, parent_user_id: __, files, ...mention } = whole
    this.#emit(team, { ...mention, type: 'app_mention', ...(files && { files }) } satisfies Omit<
      AppMentionEvent,
      'files'
    >)
  }

  changed(message: Message, before: Message): void {
    const place = this.#placeOf(message)
    if (!place || message.onlyFor) return
    const { channel, team } = place
    const ts = nextTs(this.#store)
    const event = {
      ...envelope('message_changed', message, channel, ts),
      message: { ...this.#body(message, channel, team), subtype: undefined },
      previous_message: { ...this.#body(before, channel, team), subtype: undefined },
    } satisfies MessageChangedEvent
    this.#emit(team, event)
  }

  deleted(message: Message): void {
    const place = this.#placeOf(message)
    if (!place || message.onlyFor) return
    const { channel, team } = place
    const event = {
      ...envelope('message_deleted', message, channel, nextTs(this.#store)),
      deleted_ts: message.ts,
      previous_message: { ...this.#body(message, channel, team), subtype: undefined },
    } satisfies MessageDeletedEvent
    this.#emit(team, event)
  }

  botLeft(channel: Channel, actor: string): void {
    const team = findById(this.#store.value.teams, channel.teamId)
    if (!team) return
    const event_ts = nextTs(this.#store)
    const [type, channel_type] =
      channel.kind === 'channel' ? (['channel_left', 'C'] as const) : (['group_left', 'G'] as const)
    this.#emit(team, { type, channel: channel.id, actor_id: actor, event_ts } satisfies
      | ChannelLeftEvent
      | GroupLeftEvent)
    const member = {
      type: 'member_left_channel' as const,
      user: team.botUserId,
      channel: channel.id,
      channel_type,
      team: team.id,
      event_ts,
    }
    this.#emit(team, member satisfies MemberLeftChannelEvent)
  }

  uninstalled(team: Team): void {
    this.#emit(team, { type: 'app_uninstalled' }, true)
  }

  revoked(team: Team): void {
    this.#emit(
      team,
      { type: 'tokens_revoked', tokens: { oauth: [], bot: [team.botUserId] } } satisfies TokensRevokedEvent,
      true,
    )
  }

  /** Events go only to workspaces with the app, and those of channels only if the app is a member. */
  #emit(team: Team, event: object, always = false): void {
    if (team.token === null && !always) return
    const time = Math.floor(this.#store.now() / 1000)
    this.#deliveries.event((eventId) => ({
      token: 'verification-token-of-old',
      team_id: team.id,
      api_app_id: this.#appId,
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

  #placeOf(message: Message): { channel: Channel; team: Team } | null {
    const channel = findById(this.#store.value.channels, message.channel)
    const team = channel && findById(this.#store.value.teams, channel.teamId)
    return channel && team && channel.members.includes(team.botUserId) ? { channel, team } : null
  }

  /** A message as the app sees it. */
  #body(message: Message, channel: Channel, team: Team) {
    const { value } = this.#store
    const own = message.user === team.botUserId
    const root = message.threadTs && value.messages.find((candidate) => candidate.ts === message.threadTs)
    const files = message.files.flatMap((id) => findById(value.files, id) ?? [])
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
      ...(files.length > 0 && { files: files.map((file) => fileObject(file, this.#origin())) }),
      ...(message.edited && { edited: { user: message.user, ts: nextTs(this.#store) } }),
      ...(own && { bot_id: team.botId, app_id: this.#appId, bot_profile: profile(team, this.#appId) }),
    }
  }
}

const profile = (team: Team, appId: string): NonNullable<GenericMessageEvent['bot_profile']> => ({
  id: team.botId,
  name: 'app',
  app_id: appId,
  team_id: team.id,
  icons: {},
  updated: 0,
  deleted: false,
})

const envelope = <S extends string>(subtype: S, message: Message, channel: Channel, ts: string) => ({
  type: 'message' as const,
  subtype,
  hidden: true as const,
  channel: message.channel,
  channel_type: channel.kind,
  ts,
  event_ts: ts,
})
