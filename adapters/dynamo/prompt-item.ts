import * as z from 'zod'
import { message, type Prompt, prompt } from '../../domain/chat/message.ts'
import { iso } from '../../domain/time.ts'
import { type Item, parse } from './item.ts'

/** An open prompt as stored: never handed out, it has no attempt and no lease. */
export const storedPrompt = prompt.omit({ id: true, attempt: true, leaseExpiresAt: true }).extend({
  item: z.string(),
  attempt: z.int(),
  leaseUntil: z.int(),
  leaseGeneration: z.int(),
  replyId: z.string().optional(),
})
export type StoredPrompt = z.infer<typeof storedPrompt>

export function toPrompt(item: Item): Prompt {
  const { item: id, leaseUntil, leaseGeneration: _, replyId: __, ...rest } = parse(storedPrompt, item)
  return { ...rest, id, leaseExpiresAt: iso(leaseUntil) }
}

/** What is left of a closed prompt, so that a late reply can be answered. */
export const endKey = (userId: string, promptId: string) => ({ userId, item: `end#${promptId}` })

export const storedEnd = z.object({ closedBy: z.string(), replyId: z.string().optional() })

export const readMessage = (item: Item) => parse(message, { ...item, id: item.item ?? { S: '' } })
