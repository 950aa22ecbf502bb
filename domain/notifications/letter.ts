import * as z from 'zod'
import type { UserRecord } from '../account/user.ts'
import { type Group, groups } from './kinds.ts'

/** Plain text. */
export const letter = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  switchable: z.object({ userId: z.string(), group: z.enum(groups) }).optional(),
})
export type Letter = z.infer<typeof letter>

/** Null when the user has turned the group off. */
export const ofGroup = ({ id, muted }: UserRecord, group: Group, mail: Letter): Letter | null =>
  muted.includes(`mail.${group}`) ? null : { ...mail, switchable: { userId: id, group } }

export const switchOffText = (group: Group, address: string): string =>
  `You get this because mails about ${mailedAbout[group]} are on. Switch them off: ${address}`

const mailedAbout: Record<Group, string> = {
  money: 'money',
  machine: 'your agent’s machine',
  chat: 'chats',
  schedules: 'schedules',
  product: 'the service',
}
