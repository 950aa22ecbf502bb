import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { unsignedMicros, wholeAmount } from '../../domain/money.ts'
import { decideCredit, decideDebit } from '../../domain/wallet/moves.ts'
import type { Debit } from '../../domain/wallet/ports.ts'
import { newWallet, type Transaction, transactionTypes } from '../../domain/wallet/wallet.ts'
import { backOff, get, transact } from './calls.ts'
import { parse } from './item.ts'
import { newLineId } from './line-id.ts'
import { findLine, linePut, onceItem, readWallet, walletMove } from './wallet-item.ts'
import { changeInput, putInput, putNew } from './wallet-writes.ts'

/** How often a debit is tried on a wallet or payment that others change. */
const debitTries = 20

/** What a payment credited and what was taken back of it; checkouts and once-keys both carry these. */
const payment = z.object({ amountMicros: unsignedMicros, debited: unsignedMicros.default(0) })

/** A debit as its once-key remembers it; without a line nothing was taken. */
const debit = z.object({
  line: z.string().optional(),
  amountMicros: unsignedMicros,
  payment: z.string().optional(),
  type: z.enum(transactionTypes).optional(),
})

const paymentItem = (name: string): string => (name.startsWith('chk_') ? name : onceItem(name))

/** See `Wallets.debitOnce`. The payment, the wallet, the line and the once-key change together. */
export async function debitOnce(table: string, userId: string, one: Debit): Promise<Transaction | null> {
  wholeAmount(one.amountMicros)
  const id = newLineId(one.at)
  const once = { userId, item: onceItem(one.key) }
  for (let tried = 1; tried <= debitTries; tried++) {
    const [seen, done, paid] = await Promise.all([
      readWallet(table, userId),
      get(table, once),
      one.payment === null ? null : readPayment(table, userId, one.payment),
    ])
    if (done) return parse(debit, done).line === id ? findLine(table, userId, id) : null
    const amount = paid ? Math.min(one.amountMicros, paid.amountMicros - paid.debited) : one.amountMicros
    if (amount === 0) {
      await putNew(table, { ...once, amountMicros: 0, at: one.at })
      return null
    }
    const before = seen ?? newWallet(userId)
    const next = decideDebit(before, amount)
    const { type, at, description } = one
    const line: Transaction = { id, type, amountMicros: -amount, balanceMicros: next.total, at, description }
    const remembered = { ...once, line: id, amountMicros: amount, payment: one.payment, type, at }
    const result = await transact([
      { Update: walletMove(table, userId, seen, next) },
      { Put: linePut(table, userId, line) },
      { Put: putInput(table, remembered) },
      ...(one.payment && paid ? [takeBack(table, userId, one.payment, paid.debited, paid.debited + amount)] : []),
    ])
    if (result.done) return line
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw new Error(`a debit could not be written in ${debitTries} tries; nothing has changed`)
}

async function readPayment(table: string, userId: string, name: string) {
  const item = await get(table, { userId, item: paymentItem(name) })
  if (!item) throw notFound('payment')
  return parse(payment, item)
}

const takeBack = (table: string, userId: string, name: string, from: number, to: number): TransactWriteItem => ({
  Update: changeInput({
    table,
    key: { userId, item: paymentItem(name) },
    update: 'SET #debited = :to',
    condition: from === 0 ? '(attribute_not_exists(#debited) OR #debited = :from)' : '#debited = :from',
    values: { ':from': from, ':to': to },
  }),
})

/** See `Wallets.undoDebit`. A debit that has not come yet is ruled out for ever, so the order of the two is no matter. */
export async function undoDebit(
  table: string,
  userId: string,
  key: string,
  description: string,
  at: string,
): Promise<Transaction | null> {
  const id = newLineId(at)
  const undoKey = { userId, item: onceItem(`${key}#undone`) }
  for (let tried = 1; tried <= debitTries; tried++) {
    const item = await get(table, { userId, item: onceItem(key) })
    if (!item && !(await putNew(table, { userId, item: onceItem(key), amountMicros: 0, at })).done) continue
    const made = item && parse(debit, item)
    if (!made?.line) return null
    const [seen, done] = await Promise.all([readWallet(table, userId), get(table, undoKey)])
    if (done) return parse(debit, done).line === id ? findLine(table, userId, id) : null
    const next = decideCredit(seen ?? newWallet(userId), made.amountMicros)
    const line = undoLine(id, made, next, description, at)
    const paid = made.payment ? await readPayment(table, userId, made.payment) : null
    const result = await transact([
      { Update: walletMove(table, userId, seen, next) },
      { Put: linePut(table, userId, line) },
      { Put: putInput(table, { ...undoKey, line: id, amountMicros: made.amountMicros, at }) },
      ...(made.payment && paid
        ? [takeBack(table, userId, made.payment, paid.debited, paid.debited - made.amountMicros)]
        : []),
    ])
    if (result.done) return line
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw new Error(`a debit could not be undone in ${debitTries} tries; nothing has changed`)
}

const undoLine = (
  id: string,
  made: z.infer<typeof debit>,
  { total }: { total: number },
  description: string,
  at: string,
): Transaction => ({
  id,
  type: made.type ?? 'adjustment',
  amountMicros: made.amountMicros,
  balanceMicros: total,
  at,
  description,
})
