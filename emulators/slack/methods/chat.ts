import { type Arguments, optional, required } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import { readContent } from '../content.ts'
import type { Message, Team } from '../records.ts'
import { findMessage, type Store } from '../store.ts'
import { type Context, channelOf, type Method, writable } from './method.ts'
import { isStreaming, post, shown } from './posted.ts'

/** The thread that a message goes to: that of the message it names. */
function threadOf(store: Store, channel: string, given: Arguments): string | null {
  const named = optional(given, 'thread_ts')
  if (named === undefined) return null
  return findMessage(store, channel, named)?.threadTs ?? named
}

/** A message of the app's own. @throws SlackError `message_not_found`, `cant_update_message` */
function ownMessage({ store }: Context, team: Team, channel: string, given: Arguments): Message {
  const message = findMessage(store, channel, required(given, 'ts'))
  if (!message || message.onlyFor) throw new SlackError('message_not_found')
  if (message.user !== team.botUserId) throw new SlackError('cant_update_message')
  return message
}

export const chatMethods: Record<string, Method> = {
  'chat.postMessage': {
    tier: 'posting',
    run(given, team, context) {
      const channel = writable(context, team, given)
      const threadTs = threadOf(context.store, channel.id, given)
      const message = post(context, team, { ...readContent(given), channel: channel.id, threadTs })
      return { channel: channel.id, ts: message.ts, message: shown(message, team, context.app.appId) }
    },
  },
  'chat.postEphemeral': {
    tier: 4,
    run(given, team, context) {
      const channel = writable(context, team, given)
      const onlyFor = required(given, 'user')
      if (!channel.members.includes(onlyFor)) throw new SlackError('user_not_in_channel')
      const threadTs = threadOf(context.store, channel.id, given)
      return { message_ts: post(context, team, { ...readContent(given), channel: channel.id, threadTs, onlyFor }).ts }
    },
  },
  'chat.update': {
    tier: 3,
    run(given, team, context) {
      const { store, events, app } = context
      const channel = channelOf(context, team, given)
      if (channel.archived) throw new SlackError('is_inactive')
      const message = ownMessage(context, team, channel.id, given)
      if (isStreaming(message, store.now())) throw new SlackError('streaming_state_conflict')
      const content = readContent(given, true)
      const before = { ...message }
      // An edit that has blocks shows no mark of it.
      Object.assign(message, content, { edited: message.edited || content.format !== 'blocks', streamingSince: null })
      store.save()
      events.changed(message, before)
      return { channel: channel.id, ts: message.ts, text: message.text, message: shown(message, team, app.appId) }
    },
  },
  'chat.delete': {
    tier: 3,
    run(given, team, context) {
      const { store, events } = context
      const channel = channelOf(context, team, given)
      const message = ownMessage(context, team, channel.id, given)
      store.value.messages = store.value.messages.filter((kept) => kept !== message)
      store.save()
      events.deleted(message)
      return { channel: channel.id, ts: message.ts }
    },
  },
}
