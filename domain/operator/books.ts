import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
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
})
export type BooksRecord = z.infer<typeof booksRecord>

export const newBooksRun = (startedAt: string, revision: number): BooksRecord => ({
  startedAt,
  finishedAt: null,
  checked: 0,
  wrong: 0,
  differences: [],
  skipped: [],
  shard: 0,
  after: null,
  revision,
})

export const showBooks = ({ shard: _, after: __, revision: ___, ...shown }: BooksRecord) => shown

/** @param says the wallet's differences; null if its check failed */
export function countWallet(run: BooksRecord, user: string, says: string[] | null): BooksRecord {
  if (says === null) return { ...run, skipped: [...run.skipped, user].slice(0, mostNamed) }
  if (says.length === 0) return { ...run, checked: run.checked + 1 }
  const differences = [...run.differences, { user, says }].slice(0, mostNamed)
  return { ...run, checked: run.checked + 1, wrong: run.wrong + 1, differences }
}
