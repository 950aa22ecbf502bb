/** Discord's ids contain the millisecond of their creation. */
import * as z from 'zod'

/** First second of 2015, ms since the epoch. */
const discordEpochMs = 1_420_070_400_000n

export const snowflake = z.string().regex(/^\d{1,20}$/)

/** ms since the epoch. */
export const snowflakeMs = (id: string): number => Number((BigInt(id) >> 22n) + discordEpochMs)

/** The smallest id of this time. */
export const snowflakeAt = (ms: number): string =>
  String((BigInt(Math.max(Math.trunc(ms), Number(discordEpochMs))) - discordEpochMs) << 22n)

/** Padded to the maximum width, so that ids sort as texts. */
export const padded = (id: string): string => id.padStart(20, '0')
