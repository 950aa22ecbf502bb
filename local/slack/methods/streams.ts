import { optional, required } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import { markdownContent } from '../content.ts'
import type { Message } from '../records.ts'
import { findById, findMessage } from '../store.ts'
import { channelOf, type Method, writable } from './method.ts'
import { isStreaming, post, shown } from './posted.ts'

/** The stream that a call is about. @throws SlackError */
const streamOf: (...of: Parameters<Method['run']>) => Message = (given, team, context) => {
  const channel = channelOf(context, team, given)
  const message = findMessage(context.store, channel.id, required(given, 'ts'))
  if (!message) throw new SlackError('message_not_found')
  if (message.user !== team.botUserId) throw new SlackError('message_not_owned_by_app')
  if (!isStreaming(message, context.store.now())) throw new SlackError('message_not_in_streaming_state')
  return message
}

export const streamMethods: Record<string, Method> = {
  'chat.startStream': {
    tier: 2,
    run(given, team, context) {
      const { store, app } = context
      const channel = writable(context, team, given)
      const threadTs = required(given, 'thread_ts')
      const [user, home] = [optional(given, 'recipient_user_id'), optional(given, 'recipient_team_id')]
      if (channel.kind !== 'im' && home === undefined) throw new SlackError('missing_recipient_team_id')
      if (channel.kind !== 'im' && user === undefined) throw new SlackError('missing_recipient_user_id')
      if (user !== undefined && !findById(store.value.users, user)) throw new SlackError('user_not_found')
      const content = markdownContent(optional(given, 'markdown_text') ?? '')
      const about = { channel: channel.id, threadTs, streamingSince: store.now() }
      const message = post(context, team, { ...content, ...about })
      return { channel: channel.id, ts: message.ts, message: shown(message, team, app.appId) }
    },
  },
  'chat.appendStream': {
    tier: 4,
    run(given, team, context) {
      const message = streamOf(given, team, context)
      const added = optional(given, 'markdown_text')
      if (added === undefined) throw new SlackError('markdown_text_required')
      markdownContent(added)
      Object.assign(message, markdownContent(message.text + added))
      context.store.save()
      return { channel: message.channel, ts: message.ts }
    },
  },
  'chat.stopStream': {
    tier: 2,
    run(given, team, context) {
      const { store, events, app } = context
      const message = streamOf(given, team, context)
      const before = { ...message }
      Object.assign(message, markdownContent(message.text + (optional(given, 'markdown_text') ?? '')))
      message.streamingSince = null
      store.save()
      events.changed(message, before)
      return { channel: message.channel, ts: message.ts, message: shown(message, team, app.appId) }
    },
  },
}
