import * as z from 'zod'
import { findById } from '../../kit/records.ts'
import { type Arguments, optional, required, structured } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import { markdownContent } from '../content.ts'
import type { Message } from '../records.ts'
import { findMessage } from '../store.ts'
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

const chunk = z.union([
  z.object({ type: z.literal('markdown_text'), text: z.string() }),
  z.object({ type: z.enum(['task_update', 'plan_update', 'blocks']) }).transform((other) => ({ ...other, text: '' })),
])

/**
 * A call's addition to the stream, as Markdown or as chunks; the emulator shows only their Markdown. @throws SlackError
 */
function addition(
  given: Arguments,
  message: Pick<Message, 'streamMode'>,
): { text: string; mode: Message['streamMode'] } {
  const [markdown, chunks] = [
    optional(given, 'markdown_text'),
    structured(given, 'chunks', z.array(chunk), 'invalid_chunks'),
  ]
  if (markdown !== undefined && chunks) throw new SlackError('cannot_provide_both_markdown_text_and_chunks')
  const mode = chunks ? 'chunks' : markdown === undefined ? message.streamMode : 'markdown_text'
  if (message.streamMode !== null && mode !== message.streamMode) throw new SlackError('streaming_mode_mismatch')
  const said = chunks?.map(({ text }) => text).join('') ?? markdown ?? ''
  return { text: markdownContent(said).text, mode }
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
      const { text, mode } = addition(given, { streamMode: null })
      const about = { channel: channel.id, threadTs, streamingSince: store.now(), streamMode: mode }
      const message = post(context, team, { ...markdownContent(text), ...about })
      return { channel: channel.id, ts: message.ts, message: shown(message, team, app.appId) }
    },
  },
  'chat.appendStream': {
    tier: 4,
    run(given, team, context) {
      const message = streamOf(given, team, context)
      if (given.markdown_text === undefined && given.chunks === undefined)
        throw new SlackError('markdown_text_or_chunks_required')
      const { text, mode } = addition(given, message)
      Object.assign(message, markdownContent(message.text + text), { streamMode: mode })
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
      Object.assign(message, markdownContent(message.text + addition(given, message).text))
      message.streamingSince = null
      store.save()
      events.changed(message, before)
      return { channel: message.channel, ts: message.ts, message: shown(message, team, app.appId) }
    },
  },
}
