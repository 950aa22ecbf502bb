/** The form of Slack's ids and times, and our own names derived from them. */
import * as z from 'zod'
import type { Chat, Person } from '../../domain/channels/inbound.ts'
import { cut } from '../../domain/text.ts'
import { iso } from '../../domain/time.ts'

export const teamId = z.string().regex(/^[TE][A-Z0-9]{1,30}$/)
export const channelId = z.string().regex(/^[CDG][A-Z0-9]{1,30}$/)
export const userId = z.string().regex(/^[UWB][A-Z0-9]{1,30}$/)
export const fileId = z.string().regex(/^F[A-Z0-9]{1,30}$/)
/** Seconds since 1970 with six digits after the point: the time, and within a channel the id, of a message. */
export const ts = z.string().regex(/^\d{10}\.\d{6}$/)

/** As much of a text as there is room for; half a character is none. */

export const text = z
  .string()
  .catch('')
  .transform((value) => value.toWellFormed())

/**
 * An id that sorts by time, of a time that may stand with or without its fraction, and what tells apart what is of one
 * time.
 */
export const sortingId = (time: string, ...parts: string[]): string => [time.padEnd(17, '.000000'), ...parts].join('/')

export const at = (time: string): string => iso(Math.floor(Number(time) * 1000))

/** A direct chat is the one whose id says so; a group of several people in direct messages is none. */
export const chatOf = (team: string, channel: string, title?: string): Chat => ({
  platform: 'slack',
  id: `${team}/${channel}`,
  kind: channel.startsWith('D') ? 'direct' : 'group',
  ...(title && { title: cut(title, 200) }),
})

/** People have their ids per workspace, so ours begin with it. */
export const personOf = (team: string, user: string, name = '', bot = false): Person => ({
  id: `${team}/${user}`,
  name: cut(name || user, 200),
  bot,
})

/** The workspace and the channel of a chat; the channel is empty for all of a workspace. */
export function placeOf(chat: Pick<Chat, 'id'>): { team: string; channel: string } {
  const [team = '', channel = ''] = chat.id.split('/')
  return { team, channel }
}
