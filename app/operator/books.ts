import { conflict, DomainError } from '../../domain/errors.ts'
import { shards } from '../../domain/ids.ts'
import { type BooksRecord, countWallet, finishBooks, newBooksRun } from '../../domain/operator/books.ts'
import { type LedgerSums, noSums, sumsOfWallet } from '../../domain/operator/totals.ts'
import { dayMs, iso } from '../../domain/time.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { type OutboxFor, unaudited } from '../outbox/outbox.ts'
import type { Alarms } from '../ports/basics.ts'
import type { BooksCheck } from '../ports/operator.ts'
import type { Wallets } from '../ports/wallet.ts'
import { auditWallet } from '../wallet/books.ts'

/** Most wallets that one step checks. */
const walletsAtOnce = 25

/** A ledger with more lines is left to the command line, which has no time limit. */
const mostLines = 20_000

/** Most lines read in one step, over all ledgers. */
const linesAtOnce = 40_000

type BooksPorts = { wallets: Wallets; booksCheck: BooksCheck }

/** Raises the alarm while the check has findings; they stay readable for a day before the next check begins. */
export async function checkNextBooks(deps: BooksPorts & { alarms: Alarms }, nowMs: number): Promise<void> {
  const last = await deps.booksCheck.last()
  const found = last?.finishedAt && last.wrong > 0 && Date.parse(last.finishedAt) > nowMs - dayMs
  const run = found ? last : await checkMoreBooks(deps, false, nowMs, unaudited).catch(tookBySomebody)
  if (!run || run.wrong === 0) return
  const wallets = run.differences.map(({ user }) => user).slice(0, 10)
  deps.alarms.raise('BooksOutOfBalance', run.wrong, { wallets: wallets.join(' ') })
}

/** Another run took the step and reports its result. */
function tookBySomebody(thrown: unknown): null {
  if (thrown instanceof DomainError && thrown.code === 'conflict') return null
  throw thrown
}

/**
 * Continues the current check of all wallets, or begins one if the last is done or on request.
 * @throws conflict when another run took the step
 */
export async function checkMoreBooks(
  deps: BooksPorts,
  anew: boolean,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<BooksRecord> {
  const last = await deps.booksCheck.last()
  const under = last && last.finishedAt === null && !anew
  const begun = under ? last : newBooksRun(iso(nowMs), last ?? { revision: 0, lastSums: null })
  const stepped = await step(deps, begun)
  const next = stepped.shard < shards ? stepped : finishBooks(stepped, iso(nowMs))
  if (!(await deps.booksCheck.save(next, begun.revision, outboxFor(next.startedAt))))
    throw conflict('Another operator is checking the books. Read them again.')
  return next
}

async function step({ wallets, booksCheck }: BooksPorts, begun: BooksRecord): Promise<BooksRecord> {
  let run = begun
  let [left, lines] = [walletsAtOnce, 0]
  while (run.shard < shards && left > 0 && lines < linesAtOnce) {
    const owners = await booksCheck.owners(run.shard, run.after, left)
    for (const owner of owners) {
      const found = await auditAndSum({ wallets }, owner, run.sums)
      run = { ...countWallet(run, owner, found), after: owner }
      lines += found?.lines ?? mostLines
      left--
      if (lines >= linesAtOnce) return run
    }
    if (left > 0) run = { ...run, shard: run.shard + 1, after: null }
  }
  return run
}

/** Null if the wallet could not be checked. */
async function auditAndSum(deps: { wallets: Wallets }, owner: string, before: LedgerSums | null) {
  let sums: LedgerSums | null = null
  const begin = () => {
    const wallet = before && sumsOfWallet(noSums(Date.parse(before.to)))
    sums = wallet?.sums ?? null
    return (line: Transaction) => wallet?.add(line)
  }
  try {
    const { differences, lines } = await auditWallet(deps, owner, mostLines, begin)
    return { says: differences, lines, sums }
  } catch {
    return null
  }
}
