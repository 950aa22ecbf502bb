import * as z from 'zod'
import type { UserRecord } from '../account/user.ts'
import { type Group, groups } from './kinds.ts'

/** A mail, plain text. */
export const letter = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** The user and group of an e-mail that can be turned off. */
  switchable: z.object({ userId: z.string(), group: z.enum(groups) }).optional(),
})
export type Letter = z.infer<typeof letter>

/** The mail as one of a group that can be switched off; null where its user has done so. */
export const ofGroup = ({ id, muted }: UserRecord, group: Group, mail: Letter): Letter | null =>
  muted.includes(`mail.${group}`) ? null : { ...mail, switchable: { userId: id, group } }

/** An e-mail's footer about turning it off. */
export const switchOffText = (group: Group, address: string): string =>
  `You get this because mails about ${mailedAbout[group]} are on. Switch them off: ${address}`

/** As a person would say it. */
const mailedAbout: Record<Group, string> = {
  money: 'money',
  machine: 'your agent’s machine',
  chat: 'chats',
  schedules: 'schedules',
  product: 'the service',
}
