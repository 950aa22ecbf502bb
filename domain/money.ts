import * as z from 'zod'

/** Money is an integer of micro-dollars (µUSD): 1 USD = 1 000 000. */
export const microsPerCent = 10_000

export const micros = z.int().meta({ description: 'Micro-dollars (µUSD): 1 USD = 1 000 000.' })
export const unsignedMicros = z.int().min(0).meta({ description: 'Micro-dollars (µUSD): 1 USD = 1 000 000.' })

/** @throws RangeError when an amount is not a safe integer, so that a float can never reach the ledger */
export function wholeMicros(amount: number): number {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole amount of money: ${amount}`)
  return amount
}

/** Any amount of at least zero, in µUSD or cents. @throws RangeError */
export function wholeAmount(amount: number): number {
  if (wholeMicros(amount) < 0) throw new RangeError(`an amount below zero: ${amount}`)
  return amount
}

/** Checks all numbers of a write next to a wallet, at any depth. @throws RangeError */
export function wholeNumbers<T>(written: T): T {
  if (typeof written === 'number') wholeMicros(written)
  else if (typeof written === 'object' && written !== null)
    for (const inner of Object.values(written)) wholeNumbers(inner)
  return written
}

export const centsToMicros = (cents: number): number => wholeMicros(wholeMicros(cents) * microsPerCent)

/** @throws RangeError when the amount is not one of whole cents */
export function microsToCents(amount: number): number {
  if (wholeMicros(amount) % microsPerCent !== 0) throw new RangeError(`not a whole amount of cents: ${amount} µUSD`)
  return Math.floor(amount / microsPerCent)
}
