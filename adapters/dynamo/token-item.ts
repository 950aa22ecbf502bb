import * as z from 'zod'
import { type PatRecord, pat } from '../../domain/tokens/pat.ts'
import { type Item, parse } from './item.ts'

const stored = pat.omit({ status: true }).extend({
  lastUsedAt: pat.shape.lastUsedAt.default(null),
  revokedAt: pat.shape.revokedAt.default(null),
  userId: z.string(),
  mintedBy: z.string().optional(),
  replacedBy: z.string().optional(),
}) satisfies z.ZodType<PatRecord>

export const readToken = (item: Item): PatRecord => parse(stored, item)

/** The item that lists what a token minted, in attributes named like the tokens. Revocation alone reads it. */
export const mintedId = (tokenId: string): string => `minted#${tokenId}`
