import * as z from 'zod'

/** Money is an integer of micro-dollars (µUSD): 1 USD = 1 000 000. */
export const microsPerCent = 10_000

export const micros = z.int().meta({ description: 'Micro-dollars (µUSD): 1 USD = 1 000 000.' })
export const unsignedMicros = z.int().min(0).meta({ description: 'Micro-dollars (µUSD): 1 USD = 1 000 000.' })

/** Throws when a computed amount is not a safe integer, so that a float can never reach the ledger. */
export function wholeMicros(amount: number): number {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not an integer amount of micro-dollars: ${amount}`)
  return amount
}

export const centsToMicros = (cents: number): number => wholeMicros(cents * microsPerCent)
