/** Messages of the app: how they are kept, shown, and grow. */
import type { Content } from '../content.ts'
import type { Message, Team } from '../records.ts'
import { keepMessage, nextTs } from '../store.ts'
import type { Context } from './method.ts'

/** Keeps a message of the app's and tells of it. */
export function post(
  { store, events }: Context,
  team: Team,
  about: Content & Pick<Message, 'channel' | 'threadTs'> & Partial<Message>,
): Message {
  const message: Message = {
    ts: nextTs(store),
    user: team.botUserId,
    files: [],
    edited: false,
    streamingSince: null,
    streamMode: null,
    onlyFor: null,
    ...about,
  }
  keepMessage(store, message)
  for (const key of [`${message.channel} ${message.threadTs}`, `${message.channel} ${message.ts}`])
    store.statuses.delete(key)
  store.save()
  events.said(message)
  return message
}

export const shown = (message: Message, team: Team, appId: string) => ({
  type: 'message',
  user: message.user,
  ts: message.ts,
  bot_id: team.botId,
  app_id: appId,
  text: message.text,
  team: team.id,
  ...(message.blocks.length > 0 && { blocks: message.blocks }),
  ...(message.threadTs && { thread_ts: message.threadTs }),
  ...(message.streamingSince !== null && { streaming_state: 'in_progress' }),
})

/** How long a stream stays open, ms: what nobody stopped is closed. */
const streamLifeMs = 5 * 60_000

export const isStreaming = ({ streamingSince }: Message, now: number): boolean =>
  streamingSince !== null && now - streamingSince < streamLifeMs
