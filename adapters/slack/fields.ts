/** Formats of Slack's ids and times, and our names for them. */
import * as z from 'zod'
import type { Chat, Person } from '../../domain/channels/inbound.ts'
import { cut } from '../../domain/text.ts'
import { iso } from '../../domain/time.ts'

export const teamId = z.string().regex(/^[TE][A-Z0-9]{1,30}$/)
export const channelId = z.string().regex(/^[CDG][A-Z0-9]{1,30}$/)
export const userId = z.string().regex(/^[UWB][A-Z0-9]{1,30}$/)
export const fileId = z.string().regex(/^F[A-Z0-9]{1,30}$/)
/** Seconds since 1970 with six decimals: a message's time and its id within the channel. */
export const ts = z.string().regex(/^\d{10}\.\d{6}$/)

/** Cut to the maximum length, never inside a character. */

export const text = z
  .string()
  .catch('')
  .transform((value) => value.toWellFormed())

/** An id that sorts by time, with parts that make it unique. The time may lack its fraction. */
export const sortingId = (time: string, ...parts: string[]): string => [time.padEnd(17, '.000000'), ...parts].join('/')

export const at = (time: string): string => iso(Math.floor(Number(time) * 1000))

/** Only ids of direct messages between two people begin with D. */
export const chatOf = (team: string, channel: string, title?: string): Chat => ({
  platform: 'slack',
  id: `${team}/${channel}`,
  kind: channel.startsWith('D') ? 'direct' : 'group',
  ...(title && { title: cut(title, 200) }),
})

/** People's ids are unique only within a workspace, so ours contain both. */
export const personOf = (team: string, user: string, name = '', bot = false): Person => ({
  id: `${team}/${user}`,
  name: cut(name || user, 200),
  bot,
})

/** `channel` is empty for a whole workspace. */
export function placeOf(chat: Pick<Chat, 'id'>): { team: string; channel: string } {
  const [team = '', channel = ''] = chat.id.split('/')
  return { team, channel }
}
