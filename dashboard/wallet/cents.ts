/** Cents of `20`, `20.5`, `$20.50` or `20,50`; null for anything else. */
export function readCents(text: string): number | null {
  const found = /^\$?(\d{1,5})(?:[.,](\d{1,2}))?$/.exec(text.trim())
  return found ? Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0')) : null
}

/** What is wrong with an amount that is to lie between two, both in cents; undefined when nothing is. */
export function problemOf(text: string, least: number, most: number): string | undefined {
  const cents = readCents(text)
  if (cents !== null && cents >= least && cents <= most) return undefined
  return `Enter dollars from ${writeCents(least)} to ${writeCents(most)}, such as 5 or 12.50.`
}

/** What a field of dollars begins with: `20` or `20.50`. */
export const writeCents = (cents: number): string =>
  cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2)
