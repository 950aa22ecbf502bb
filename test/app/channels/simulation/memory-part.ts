import { type Part, PartRefused } from '../../../../app/ports/part.ts'

/** A write of a store in memory: its conditions, and its effect. */
interface Write {
  holds(): boolean
  write(): void
}

export const partOf = (write: Write): Part => ({ items: [{ write }], isWritten: false })

// safe because every part of these stores is made by `partOf`
const writesOf = ({ items }: Part): Write[] => items.map(({ write }) => write as Write)

/** Does all writes, or none if a condition does not hold, like `transact` of the DynamoDB adapters. */
export function transact(own: Write, also: readonly Part[] = []): boolean {
  if (also.some(({ isWritten }) => isWritten)) throw new Error('a part of this transaction was written before')
  if (!own.holds()) return false
  const refused = also.find((part) => !writesOf(part).every((each) => each.holds()))
  if (refused) throw new PartRefused(refused)
  for (const each of [own, ...also.flatMap(writesOf)]) each.write()
  for (const part of also) part.isWritten = true
  return true
}

export const always = (write: () => void): Write => ({ holds: () => true, write })
