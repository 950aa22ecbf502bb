import type { Ports } from '../../../adapters/ports.ts'
import { checkMoreBooks } from '../../../app/operator/books.ts'
import { unaudited } from '../../../app/outbox/outbox.ts'
import { shards } from '../../../domain/ids.ts'
import type { BooksRecord } from '../../../domain/operator/books.ts'
import { newWallet } from '../../../domain/wallet/state.ts'

/** Users by shard, with empty wallets; the users that were read, and storage for the run. */
function openBooks(counts: readonly number[]) {
  const all = counts.map((count, shard) =>
    Array.from({ length: count }, (_, i) => `usr_${shard}_${String(i).padStart(4, '0')}`),
  )
  const read: string[] = []
  let kept: BooksRecord | null = null
  const booksCheck: Ports['booksCheck'] = {
    last: async () => kept,
    async save(next, revision) {
      if ((kept?.revision ?? 0) !== revision) return false
      kept = { ...next, revision: revision + 1 }
      return true
    },
    owners: async (shard, after, limit) =>
      (all[shard] ?? []).filter((user) => after === null || user > after).slice(0, limit),
  }
  const wallets = {
    read: async (user: string) => newWallet(user),
    lines(user: string) {
      read.push(user)
      return []
    },
  } as unknown as Ports['wallets'] // safe because the check reads only wallets and ledger entries
  const next = (anew = false) => checkMoreBooks({ booksCheck, wallets }, anew, 0, unaudited)
  return { all: all.flat(), read, booksCheck, next }
}

const even = (count: number) => Array.from({ length: shards }, () => count)

describe('a check of all books', () => {
  test.each([
    ['no user', even(0)],
    ['one in the last shard', [...even(0).slice(1), 1]],
    ['one step in one shard', [25, ...even(0).slice(1)]],
    ['one step less one, and one', [24, 1, ...even(0).slice(2)]],
    ['steps that end within shards', even(7)],
    ['steps that end with shards', even(25)],
    ['large shards', [130, 0, 51, ...even(1).slice(3)]],
  ])('with %s checks each wallet once, at most 25 a step', async (_, counts) => {
    const { all, read, next } = openBooks(counts)
    let [run, before] = [await next(), 0]
    for (let steps = 1; run.finishedAt === null; steps++) {
      expect(steps).toBeLessThan(all.length + 2)
      expect(run.checked - before).toBeLessThanOrEqual(25)
      before = run.checked
      run = await next()
    }
    expect([...read].sort()).toEqual([...all].sort())
    expect(run).toMatchObject({ checked: all.length, wrong: 0, skipped: [] })
  })

  test('does one step for two concurrent callers, and begins again when it is done or on request', async () => {
    const { next } = openBooks(even(7))
    const both = await Promise.allSettled([next(), next()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await next()).checked).toBe(50)
    expect((await next(true)).checked).toBe(25)
  })
})
