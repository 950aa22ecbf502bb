import * as z from 'zod'
import { text } from '../text-schema.ts'
import { dayMs, iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { userId } from './trail.ts'

export const notice = z
  .object({
    id: z.string().meta({ description: 'The notice’s id.', example: 'ntc_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    text: z.string().meta({ example: 'New machines start slowly today. Messages are kept.' }),
    at: timestamp,
    until: timestamp,
  })
  .meta({ id: 'Notice' })
type Notice = z.infer<typeof notice>

export const noticeRecord = notice
  .extend({
    to: z.array(userId).nullable().default(null).meta({ description: 'The users; null for all users.' }),
    by: z.string().meta({ description: 'The operator’s account.', example: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  })
  .meta({ id: 'OperatorNotice' })
export type NoticeRecord = z.infer<typeof noticeRecord>

export const maxNotices = 20

export const newNoticeInput = z.strictObject({
  text: text().trim().min(1).max(500).meta({ example: 'New machines start slowly today. Messages are kept.' }),
  users: z.array(userId).min(1).max(100).optional().meta({ description: 'Its recipients; default: everybody.' }),
  days: z.int().min(1).max(30).default(7).meta({ description: 'For how many days it stands.' }),
})

export const newNotice = (
  id: string,
  { text, users, days }: z.output<typeof newNoticeInput>,
  by: string,
  nowMs: number,
): NoticeRecord => ({ id, text, to: users ?? null, by, at: iso(nowMs), until: iso(nowMs + days * dayMs) })

/** Newest first. */
export const noticesFor = (all: readonly NoticeRecord[], user: string): Notice[] =>
  all.filter(({ to }) => to === null || to.includes(user)).map(({ id, text, at, until }) => ({ id, text, at, until }))
