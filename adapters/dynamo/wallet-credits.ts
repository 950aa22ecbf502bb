import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import { notFound } from '../../domain/errors.ts'
import { decideCredit } from '../../domain/wallet/moves.ts'
import type { Wallets } from '../../domain/wallet/ports.ts'
import { newWallet, type Transaction, type WalletState } from '../../domain/wallet/wallet.ts'
import { backOff, changeInput, putInput, transact } from './calls.ts'
import { type Item, parse } from './item.ts'
import { newLineId } from './line-id.ts'
import { findLine, linePut, readWallet, toState, walletKey } from './wallet-item.ts'

/** How often a credit is tried on a wallet that others change. */
const creditTries = 20

type Credit = Pick<Transaction, 'type' | 'description' | 'at'> & { userId: string; amountMicros: number }

/** What makes a credit happen once: a write that holds only the first time, and the line that first time wrote. */
interface Once {
  write(lineId: string): TransactWriteItem
  /** The line of the move that was there first. @throws when nothing can be credited from it at all */
  doneBy(refused: Item | null): string
}

const lineOf = z.object({ line: z.string() })

export const creditCheckout = (
  table: string,
  { id, userId, amountMicros }: CheckoutRecord,
  description: string,
  at: string,
): Promise<Transaction | null> =>
  credit(
    table,
    { userId, amountMicros, type: 'topup', description, at },
    {
      write: (lineId) => ({
        Update: changeInput({
          table,
          key: { userId, item: id },
          update: 'SET #state = :credited, #line = :line',
          condition: '#state = :pending',
          values: { ':credited': 'credited', ':pending': 'pending', ':line': lineId },
        }),
      }),
      doneBy: (refused) => {
        if (!refused) throw notFound('checkout')
        return parse(lineOf.partial(), refused).line ?? ''
      },
    },
  )

export const creditOnce = (
  table: string,
  key: string,
  one: Credit & { type: Parameters<Wallets['creditOnce']>[3] },
): Promise<Transaction | null> =>
  credit(table, one, {
    write: (line) => ({ Put: putInput(table, 'item', { userId: one.userId, item: `once#${key}`, line, at: one.at }) }),
    doneBy: (refused) => (refused ? parse(lineOf, refused).line : ''),
  })

/** Wallet, ledger line and the once-write in one transaction; another wallet than the one seen refuses it. */
async function credit(table: string, one: Credit, once: Once): Promise<Transaction | null> {
  const { userId, amountMicros, type, description, at } = one
  const id = newLineId(at)
  let seen = await readWallet(table, userId)
  for (let tried = 1; tried <= creditTries; tried++) {
    const { update, total } = walletCredit(table, userId, seen, amountMicros)
    const line: Transaction = { id, type, amountMicros, balanceMicros: total, at, description }
    const result = await transact([{ Update: update }, { Put: linePut(table, userId, line) }, once.write(id)])
    if (result.done) return line
    const [stale, , done] = result.refused
    if (done !== undefined) return once.doneBy(done) === id ? findLine(table, userId, id) : null
    seen = stale ? toState(stale) : await readWallet(table, userId)
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw new Error(`a credit could not be written in ${creditTries} tries; nothing has changed`)
}

function walletCredit(table: string, userId: string, seen: WalletState | null, amountMicros: number) {
  const before = seen ?? newWallet(userId)
  const { available, total, owed } = decideCredit(before, amountMicros)
  const next = { ':up': available - before.available, ':total': total, ':owed': owed }
  const update = seen
    ? changeInput({
        table,
        key: walletKey(userId),
        update: 'SET #available = #available + :up, #total = :total, #owed = :owed',
        condition: '#total = :seenTotal AND #owed = :seenOwed',
        values: { ...next, ':seenTotal': seen.total, ':seenOwed': seen.owed },
      })
    : changeInput({
        table,
        key: walletKey(userId),
        update: 'SET #available = :up, #total = :total, #owed = :owed, #holds = :none, #generation = :zero',
        condition: 'attribute_not_exists(#item)',
        values: { ...next, ':none': {}, ':zero': 0 },
      })
  return { update, total }
}
