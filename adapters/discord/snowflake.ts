/** Discord's ids carry the millisecond at which they were made. */
import * as z from 'zod'

/** The first second of 2015, ms since the epoch. */
const discordEpochMs = 1_420_070_400_000n

export const snowflake = z.string().regex(/^\d{1,20}$/)

/** When this id was made, ms since the epoch. */
export const snowflakeMs = (id: string): number => Number((BigInt(id) >> 22n) + discordEpochMs)

/** The least id that could be made at this time. */
export const snowflakeAt = (ms: number): string =>
  String((BigInt(Math.max(Math.trunc(ms), Number(discordEpochMs))) - discordEpochMs) << 22n)

/** As wide as the widest, so that ids sort as texts. */
export const padded = (id: string): string => id.padStart(20, '0')
