/** Messages, their edits, and streamed replies. */

import type { KnownBlock } from '@slack/types'
import {
  type Button,
  type ChatPlatform,
  type Content,
  type Destination,
  PlatformError,
} from '../../app/ports/chat-platform.ts'
import { cut } from '../../domain/text.ts'
import type { SlackApi } from './api.ts'
import { codeOf } from './api.ts'
import { placeOf } from './fields.ts'
import { type Respond, responseId } from './responses.ts'
import { fewerBlocks, withoutMentions } from './text.ts'

/** Prefixes of ids of streamed messages. An open stream must be closed before an edit. */
const [open, closed] = ['stream/', 'streamed/']
const isOpen = (messageId: string): boolean => messageId.startsWith(open)
const wasStream = (messageId: string): boolean => isOpen(messageId) || messageId.startsWith(closed)
const tsOf = (messageId: string): string => messageId.slice(messageId.indexOf('/') + 1)

export function slackMessages(
  api: SlackApi,
  respond: Respond,
): Pick<ChatPlatform, 'send' | 'edit' | 'typing'> & Required<Pick<ChatPlatform, 'grow'>> {
  const send: ChatPlatform['send'] = async (to, content) => {
    if (to.context.responseUrl) return respond(to, blocksOf(content), false)
    const { team, channel } = placeOf(to.chat)
    const thread = to.context.thread
    const { ts } = await api.call(team, (client) =>
      client.chat.postMessage({
        channel,
        ...said(content),
        ...(thread && { thread_ts: thread }),
        // Slack's servers fetch a preview, so an agent's link could leak data.
        unfurl_links: false,
        unfurl_media: false,
      }),
    )
    return { messageId: idOf(ts) }
  }

  const edit: ChatPlatform['edit'] = async (to, messageId, content) => {
    if (messageId === responseId) return void (await respond(to, blocksOf(content), true))
    const { team, channel } = placeOf(to.chat)
    const ts = tsOf(messageId)
    if (isOpen(messageId)) await stop(to, ts)
    const words = wasStream(messageId) ? saidAfterStream(content) : said(content)
    await api.call(team, (client) => client.chat.update({ channel, ts, ...words, parse: 'none' }))
  }

  /** Fine if the stream is already closed, by its age or by the person. */
  const stop = ({ chat }: Destination, ts: string) => {
    const { team, channel } = placeOf(chat)
    return tolerate(
      ['message_not_in_streaming_state', 'stopped_by_user'],
      api.call(team, (client) => client.chat.stopStream({ channel, ts })),
    )
  }

  /** Undefined where Slack supports no stream. */
  const begin = async ({ chat, context }: Destination, text: string) => {
    const { thread, user, team: recipientTeam } = context
    if (!thread) return undefined
    const { team, channel } = placeOf(chat)
    const recipient = user && recipientTeam ? { recipient_user_id: user, recipient_team_id: recipientTeam } : {}
    const started = await tolerate(
      withoutStreams,
      api.call(team, (client) =>
        client.chat.startStream({ channel, thread_ts: thread, markdown_text: withoutMentions(text), ...recipient }),
      ),
    )
    return started && { messageId: open + idOf(started.ts) }
  }

  /** Whether the text was added. A stream only accepts additions, and Slack closes it after some minutes. */
  const append = async ({ chat }: Destination, ts: string, before: string, after: string): Promise<boolean> => {
    const [shown, wanted] = [withoutMentions(before), withoutMentions(after)]
    if (!wanted.startsWith(shown)) return false
    if (wanted === shown) return true
    const { team, channel } = placeOf(chat)
    const added = api.call(team, (client) =>
      client.chat.appendStream({ channel, ts, markdown_text: wanted.slice(shown.length) }),
    )
    return (await tolerate(['message_not_in_streaming_state'], added)) !== undefined
  }

  return {
    send,
    edit,
    async grow(to, text, { key, messageId, text: before }) {
      if (messageId === null) return (await begin(to, text)) ?? send(to, { text }, key)
      const ts = tsOf(messageId)
      if (isOpen(messageId) && (await append(to, ts, before, text))) return { messageId }
      await edit(to, messageId, { text })
      return { messageId: wasStream(messageId) ? closed + ts : ts }
    },
    async typing({ chat, context: { thread } }) {
      if (!thread) return
      const { team, channel } = placeOf(chat)
      await api.call(team, (client) =>
        client.assistant.threads.setStatus({ channel_id: channel, thread_ts: thread, status: 'is thinking…' }),
      )
    },
  }
}

/** Codes after which a reply is an edited message instead of a stream. */
const withoutStreams = [
  'channel_type_not_supported',
  'missing_recipient_team_id',
  'missing_recipient_user_id',
  'user_not_found',
]

/** The result; undefined if Slack refused with one of these codes. */
async function tolerate<T>(codes: readonly string[], calling: Promise<T>): Promise<T | undefined> {
  try {
    return await calling
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined
    throw error
  }
}

/** With blocks, an edited message shows no "edited" mark. */
const said = (content: Content) => ({ blocks: blocksOf(content), text: previewOf(content.text) })

/** Our blocks cannot replace Slack's blocks of a former stream. */
const saidAfterStream = ({ text }: Content) => ({ markdown_text: withoutMentions(fewerBlocks(text)) || '…' })

const previewOf = (text: string): string =>
  cut(withoutMentions(text), 300).replaceAll(/[&<>]/g, (character) => entities[character] ?? '') || '…'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const blocksOf = ({ text, buttons = [] }: Content): KnownBlock[] => [
  { type: 'markdown', text: withoutMentions(fewerBlocks(text)) || '…' },
  ...(buttons.length > 0 ? [{ type: 'actions' as const, elements: buttons.slice(0, 25).map(buttonOf) }] : []),
]

const buttonOf = ({ data, label }: Button, index: number) => ({
  type: 'button' as const,
  action_id: `button-${index}`,
  text: { type: 'plain_text' as const, text: cut(label, 75) || '…', emoji: false },
  value: data,
})

function idOf(ts: string | undefined): string {
  if (!ts) throw new PlatformError('unavailable', 'Slack named no message.')
  return ts
}
