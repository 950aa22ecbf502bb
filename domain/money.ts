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

/** `$12.34`, or as many decimals as a small amount needs (`$0.000123`). */
export function formatMicros(amountMicros: number): string {
  const sign = amountMicros < 0 ? '-' : ''
  const digits = String(Math.abs(amountMicros)).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '')
  return `${sign}$${digits.slice(0, -6)}.${fraction}`
}
