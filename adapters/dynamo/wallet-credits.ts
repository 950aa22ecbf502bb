import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import { notFound } from '../../domain/errors.ts'
import { decideCredit } from '../../domain/wallet/moves.ts'
import type { Wallets } from '../../domain/wallet/ports.ts'
import { newWallet, type Transaction } from '../../domain/wallet/wallet.ts'
import { backOff, transact } from './calls.ts'
import { type Item, parse } from './item.ts'
import { newLineId } from './line-id.ts'
import { findLine, linePut, onceItem, readWallet, toState, walletMove } from './wallet-item.ts'
import { changeInput, putInput } from './wallet-writes.ts'

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
    write: (line) => {
      const { userId, amountMicros, at } = one
      return { Put: putInput(table, { userId, item: onceItem(key), line, amountMicros, at }) }
    },
    doneBy: (refused) => (refused ? parse(lineOf, refused).line : ''),
  })

/** Wallet, ledger line and the once-write in one transaction; another wallet than the one seen refuses it. */
async function credit(table: string, one: Credit, once: Once): Promise<Transaction | null> {
  const { userId, amountMicros, type, description, at } = one
  const id = newLineId(at)
  let seen = await readWallet(table, userId)
  for (let tried = 1; tried <= creditTries; tried++) {
    const next = decideCredit(seen ?? newWallet(userId), amountMicros)
    const update = walletMove(table, userId, seen, next)
    const line: Transaction = { id, type, amountMicros, balanceMicros: next.total, at, description }
    const result = await transact([{ Update: update }, { Put: linePut(table, userId, line) }, once.write(id)])
    if (result.done) return line
    const [stale, , done] = result.refused
    if (done !== undefined) return once.doneBy(done) === id ? findLine(table, userId, id) : null
    seen = stale ? toState(stale) : await readWallet(table, userId)
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw new Error(`a credit could not be written in ${creditTries} tries; nothing has changed`)
}
