import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import { addSums, type LedgerSums, ledgerSums, noSums } from './totals.ts'
import { userId } from './trail.ts'

const mostNamed = 50

const difference = z.object({
  user: userId,
  says: z
    .array(z.string().meta({ example: 'available is 999, must be 600' }))
    .meta({ description: 'The difference, in µUSD.' }),
})

export const booksRun = z
  .object({
    startedAt: timestamp,
    finishedAt: timestamp.nullable().default(null),
    checked: z.int(),
    wrong: z.int(),
    differences: z.array(difference).meta({ description: 'The first fifty of them.' }),
    /** Wallets that changed during every try, or could not be read. */
    skipped: z.array(userId).meta({ description: 'Users that were skipped; check them separately.' }),
  })
  .meta({ id: 'BooksRun' })

export const booksRecord = booksRun.extend({
  shard: z.int(),
  after: z.string().nullable().default(null),
  revision: z.int(),
  /** Null for a check that an earlier release began. */
  sums: ledgerSums.nullable().default(null),
  /** The sums of the last finished check. */
  lastSums: ledgerSums.nullable().default(null),
})
export type BooksRecord = z.infer<typeof booksRecord>

export const newBooksRun = (
  startedAt: string,
  { revision, lastSums }: Pick<BooksRecord, 'revision' | 'lastSums'>,
): BooksRecord => ({
  startedAt,
  finishedAt: null,
  checked: 0,
  wrong: 0,
  differences: [],
  skipped: [],
  shard: 0,
  after: null,
  revision,
  sums: noSums(Date.parse(startedAt)),
  lastSums,
})

export const finishBooks = (run: BooksRecord, finishedAt: string): BooksRecord => ({
  ...run,
  finishedAt,
  sums: null,
  lastSums: run.sums,
})

export const showBooks = ({ shard: _, after: __, revision: ___, sums: ____, lastSums: _____, ...shown }: BooksRecord) =>
  shown

/** @param found the wallet's differences and sums; null if its check failed */
export function countWallet(
  run: BooksRecord,
  user: string,
  found: { says: string[]; sums: LedgerSums | null } | null,
): BooksRecord {
  if (found === null) return { ...run, skipped: [...run.skipped, user].slice(0, mostNamed) }
  const { says, sums } = found
  const counted = { ...run, checked: run.checked + 1, sums: run.sums && sums && addSums(run.sums, sums) }
  if (says.length === 0) return counted
  const differences = [...run.differences, { user, says }].slice(0, mostNamed)
  return { ...counted, wrong: run.wrong + 1, differences }
}
