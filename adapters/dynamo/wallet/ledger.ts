import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Part } from '../../../app/ports/part.ts'
import type { Wallets } from '../../../app/ports/wallet.ts'
import { lost } from '../../../app/retry.ts'
import type { CheckoutRecord } from '../../../domain/billing/checkout.ts'
import { notFound } from '../../../domain/errors.ts'
import { firstIdAt, idPattern } from '../../../domain/ids.ts'
import { failureReasons } from '../../../domain/models/failure.ts'
import { unsignedMicros, wholeAmount } from '../../../domain/money.ts'
import type { FailedCall } from '../../../domain/operator/overview.ts'
import {
  type Balances,
  decideCredit,
  decideDebit,
  isPaid,
  type Transaction,
  transactionTypes,
} from '../../../domain/wallet/ledger.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { get, itemRange, query, transact, untilWritten } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { findLine, linePut, newLineId, onceItem, readLine, readWallet, toState, walletMove } from './item.ts'
import { changed, changeInput, putInput, putNew } from './writes.ts'

/** Lines read per page. A page of a rare kind may be empty and still have a next one. */
const maxLinesRead = 1_000

/** The latest lines that are searched for failed calls. */
const maxFailedRead = 200
const failureReason = z.enum(failureReasons)

/** A payment's credit and debits, in checkouts and once-keys. Only credits without a payment have a type. */
const payment = z.object({
  amountMicros: unsignedMicros,
  debited: unsignedMicros.default(0),
  type: z.enum(transactionTypes).optional(),
})

/** A credit or debit in its once-key; without a line nothing was moved. */
const remembered = z.object({
  line: z.string().default(''),
  amountMicros: unsignedMicros,
  /** Marks a debit that may have found too little. A debit that was undone in advance has none. */
  wantedMicros: unsignedMicros.optional(),
  /** Marks a debit that must take nothing more. */
  undone: z.boolean().default(false),
  payment: z.string().optional(),
  type: z.enum(transactionTypes).default('adjustment'),
})

type Credits = Pick<Wallets, 'creditCheckout' | 'creditOnce' | 'wasCredited'>
type Debits = Pick<Wallets, 'debitOnce' | 'undoDebit'>
type Lines = Pick<Wallets, 'transactions' | 'transaction' | 'failedCalls' | 'lines'>

export const ledger = (table: string): Credits & Debits & Lines => ({
  ...credits(table),
  ...debits(table),
  ...lines(table),
})

const credits = (table: string): Credits => ({
  creditCheckout: ({ id, userId, amountMicros }, description, at) =>
    credit(table, userId, { type: 'topup', amountMicros, description, at }, (line) => ({
      Update: changeInput({
        ...itemAt<keyof CheckoutRecord | 'line'>(table, { userId, item: id }),
        update: 'SET #state = :credited, #line = :line',
        condition: '#state = :pending',
        values: { ':credited': 'credited', ':pending': 'pending', ':line': line },
      }),
    })),

  creditOnce: (userId, key, amountMicros, type, description, at, ...also) => {
    const once = (line: string) => ({
      Put: putInput(table, { userId, item: onceItem(key), line, amountMicros, at, ...(!isPaid(type) && { type }) }),
    })
    return credit(table, userId, { type, amountMicros, description, at }, once, also)
  },

  wasCredited: async (userId, key) => (await get(table, { userId, item: onceItem(key) })) !== null,
})

const debits = (table: string): Debits => ({
  /** One transaction. A later call takes the missing amount, after another debit of the payment was returned. */
  async debitOnce(userId, { key, payment: name, amountMicros, type, description, at }, ...also) {
    wholeAmount(amountMicros)
    const id = newLineId(at)
    const once = { userId, item: onceItem(key) }
    return untilMoved('a debit could not be written', async () => {
      const [seen, done, paid] = await Promise.all([
        readWallet(table, userId),
        get(table, once),
        name === null ? null : readPayment(table, userId, name),
      ])
      const taken = done ? parse(remembered, done) : null
      if (taken?.line === id) return findLine(table, userId, id)
      const missing = taken ? (taken.wantedMicros ?? 0) - taken.amountMicros : amountMicros
      const amount = paid ? Math.min(missing, paid.amountMicros - paid.debited) : missing
      const about = { wantedMicros: amountMicros, payment: name, type, at }
      if (amount <= 0 || taken?.undone) {
        if (!taken) await putNew(table, { ...once, ...about, amountMicros: 0 }, ...also)
        return null
      }
      const next = decideDebit(seen ?? newWallet(userId), amount)
      const line: Transaction = { id, type, amountMicros: -amount, balanceMicros: next.total, at, description }
      const moved = [
        taken
          ? { Update: takenInput(table, once, taken.amountMicros, taken.amountMicros + amount, id) }
          : { Put: putInput(table, { ...once, ...about, line: id, amountMicros: amount }) },
        ...(name && paid ? [setDebited(table, userId, name, paid.debited, paid.debited + amount)] : []),
      ]
      const result = await writeMove(table, userId, seen, next, line, moved, also)
      return result.done ? line : lost
    })
  },

  /** Also prevents a debit that has not arrived yet, so the order of the two does not matter. */
  async undoDebit(userId, key, description, at) {
    const id = newLineId(at)
    const undoKey = { userId, item: onceItem(`${key}#undone`) }
    return untilMoved('a debit could not be undone', async () => {
      const item = await get(table, { userId, item: onceItem(key) })
      if (!item && !(await putNew(table, { userId, item: onceItem(key), amountMicros: 0, at })).done) return lost
      const debit = item && parse(remembered, item)
      if (!debit) return null
      const end = undoneInput(table, { userId, item: onceItem(key) }, debit.amountMicros)
      if (!debit.line) return debit.undone || (await changed(end)) ? null : lost
      const [seen, done, paid] = await Promise.all([
        readWallet(table, userId),
        get(table, undoKey),
        debit.payment ? readPayment(table, userId, debit.payment) : null,
      ])
      if (done) return ownLine(table, userId, id, done)
      const { type, amountMicros } = debit
      const next = decideCredit(seen ?? newWallet(userId), amountMicros)
      const line: Transaction = { id, type, amountMicros, balanceMicros: next.total, at, description }
      const result = await writeMove(table, userId, seen, next, line, [
        { Put: putInput(table, { ...undoKey, line: id, amountMicros, at }) },
        { Update: changeInput(end) },
        ...(debit.payment && paid
          ? [setDebited(table, userId, debit.payment, paid.debited, paid.debited - amountMicros)]
          : []),
      ])
      return result.done ? line : lost
    })
  },
})

const lines = (table: string): Lines => ({
  async transactions(userId, { after, limit, type }) {
    if (after !== null && !idPattern('txn').test(after)) return { items: [], next: null }
    const range = itemRange(table, userId, 'txn_', after === null ? 'txn_~' : justBefore(after))
    const found = query({ ...range, ScanIndexForward: false, Limit: type ? 200 : limit + 1 })
    const items: Transaction[] = []
    let next: string | null = null
    let read = 0
    for await (const item of found) {
      if (items.length === limit || read === maxLinesRead) return { items, next }
      if (!type || item.type?.S === type) items.push(readLine(item))
      next = item.item?.S ?? null
      read++
    }
    return { items, next: null }
  },

  async failedCalls(userId, most) {
    const range = itemRange(table, userId, 'txn_', 'txn_~')
    const calls: FailedCall[] = []
    let read = 0
    for await (const item of query({ ...range, ScanIndexForward: false, Limit: maxFailedRead })) {
      if (read++ === maxFailedRead || calls.length === most) break
      const reason = failureReason.safeParse(item.failure?.S)
      const { receipt, at } = readLine(item)
      if (!reason.success || !receipt) continue
      calls.push({ at, callId: receipt.callId, model: receipt.model, provider: receipt.provider, reason: reason.data })
    }
    return calls
  },

  transaction: async (userId, id) => (idPattern('txn').test(id) ? findLine(table, userId, id) : null),

  async *lines(userId, fromMs, toMs, after = '') {
    const [first, end] = [firstLineId(fromMs), firstLineId(toMs)]
    // `!` sorts directly after an id, and no id contains it.
    const from = after < first ? first : `${after}!`
    if (from > end) return
    const range = itemRange(table, userId, from, end)
    for await (const item of query(range)) yield readLine(item)
  },
})

/** One transaction, on the condition that the wallet is unchanged. @throws not-found for an unknown checkout */
async function credit(
  table: string,
  userId: string,
  move: Pick<Transaction, 'type' | 'amountMicros' | 'description' | 'at'>,
  writeOnce: (lineId: string) => TransactWriteItem,
  also: readonly Part[] = [],
): Promise<Transaction | null> {
  const id = newLineId(move.at)
  let seen = await readWallet(table, userId)
  return untilMoved('a credit could not be written', async () => {
    const next = decideCredit(seen ?? newWallet(userId), move.amountMicros)
    const line: Transaction = { id, ...move, balanceMicros: next.total }
    const result = await writeMove(table, userId, seen, next, line, [writeOnce(id)], also)
    if (result.done) return line
    const [stale, , done] = result.refused
    if (done === null) throw notFound('checkout')
    if (done) return ownLine(table, userId, id, done)
    seen = stale ? toState(stale) : await readWallet(table, userId)
    return lost
  })
}

/** Tries of a move while others change the wallet or the payment. */
const tries = 20

const untilMoved = <T>(failure: string, attempt: () => Promise<T | typeof lost>): Promise<T> =>
  untilWritten(tries, () => new Error(`${failure} in ${tries} tries; nothing has changed`), attempt)

const writeMove = (
  table: string,
  userId: string,
  seen: WalletState | null,
  next: Balances,
  line: Transaction,
  once: TransactWriteItem[],
  also: readonly Part[] = [],
) =>
  transact([{ Update: walletMove(table, userId, seen, next) }, { Put: linePut(table, userId, line) }, ...once], ...also)

/** The line of a retry after a lost answer; null when an earlier call made the move. */
const ownLine = async (table: string, userId: string, id: string, done: Item): Promise<Transaction | null> =>
  parse(remembered, done).line === id ? findLine(table, userId, id) : null

const paymentItem = (name: string): string => (name.startsWith('chk_') ? name : onceItem(name))

async function readPayment(table: string, userId: string, name: string) {
  const item = await get(table, { userId, item: paymentItem(name) })
  const found = item && parse(payment, item)
  if (!found || found.type !== undefined) throw notFound('payment')
  return found
}

type OnceKey = Record<'userId' | 'item', string>

/** Sets a debit's total, if it has taken this much and was not undone. */
const takenInput = (table: string, key: OnceKey, before: number, after: number, line: string) =>
  changeInput({
    ...itemAt<keyof typeof remembered.shape>(table, key),
    update: 'SET #amountMicros = :after, #line = :line',
    condition: '#amountMicros = :before AND attribute_not_exists(#undone)',
    values: { ':after': after, ':before': before, ':line': line },
  })

const undoneInput = (table: string, key: OnceKey, takenMicros: number) =>
  ({
    ...itemAt<keyof typeof remembered.shape>(table, key),
    update: 'SET #undone = :yes',
    condition: '#amountMicros = :taken',
    values: { ':yes': true, ':taken': takenMicros },
  }) as const

/** Sets the amount taken back from a payment, if it is unchanged. */
const setDebited = (table: string, userId: string, name: string, from: number, to: number): TransactWriteItem => ({
  Update: changeInput({
    ...itemAt<keyof typeof payment.shape>(table, { userId, item: paymentItem(name) }),
    update: 'SET #debited = :to',
    condition: from === 0 ? '(attribute_not_exists(#debited) OR #debited = :from)' : '#debited = :from',
    values: { ':from': from, ':to': to },
  }),
})

const firstLineId = (ms: number): string => firstIdAt('txn', ms)

/** Sorts directly before `id`; no item has it. */
const justBefore = (id: string): string => `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}~`
