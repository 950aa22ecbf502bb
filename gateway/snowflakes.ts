/** The first second of 2015, ms since 1970. */
const discordEpochMs = 1_420_070_400_000n

/** The smallest id of this time. */
export const snowflakeAt = (ms: number): string =>
  String((BigInt(Math.max(Math.trunc(ms), Number(discordEpochMs))) - discordEpochMs) << 22n)

export const isAfter = (id: string, other: string): boolean => BigInt(id) > BigInt(other)
