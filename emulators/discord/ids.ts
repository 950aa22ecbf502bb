import { createHash } from 'node:crypto'

const epochMs = 1_420_070_400_000n
let last = 0n

/** A snowflake above every one before it. */
export function newId(ms = Date.now()): string {
  const id = (BigInt(ms) - epochMs) << 22n
  last = id > last ? id : last + 1n
  return String(last)
}

/** The id of something that has the same at every start, made in 2020. */
export function fixedId(name: string): string {
  const ms = 1_577_836_800_000n + BigInt(createHash('sha256').update(name).digest().readUInt32BE())
  return String((ms - epochMs) << 22n)
}

/** Whether one id is that of something later. */
export const isAfter = (id: string, other: string): boolean => BigInt(id) > BigInt(other)
