import type { OperatorActor } from '../../domain/actor.ts'
import { forbidden, invalid, notFound } from '../../domain/errors.ts'
import { centsToMicros } from '../../domain/money.ts'
import { cut } from '../../domain/text.ts'
import { iso } from '../../domain/time.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import type { Operators, OperatorTotals } from '../ports/operator.ts'
import type { Part } from '../ports/part.ts'
import type { Wallets } from '../ports/wallet.ts'

export interface MoneyAct {
  userId: string
  /** Idempotency key among actions of its kind, kept forever. */
  key: string
  /** µUSD above zero; only an adjustment may be negative. */
  micros: number
  reason: string
}

type WalletPorts = { wallets: Wallets }

const descriptionOf = (label: string, reason: string): string => cut(`${label}: ${reason}`, 200)

/** Promotional credit. Null for a repetition. */
export const creditByHand = (
  { wallets }: WalletPorts,
  { userId, key, micros, reason }: MoneyAct,
  nowMs: number,
  ...also: Part[]
): Promise<Transaction | null> => {
  const description = descriptionOf('Promotional credit', reason)
  return wallets.creditOnce(userId, `credit#${key}`, micros, 'adjustment', description, iso(nowMs), ...also)
}

/** Corrects a balance; an uncovered part becomes owed. Null for a repetition. */
export const adjustByHand = (
  { wallets }: WalletPorts,
  { userId, key, micros, reason }: MoneyAct,
  nowMs: number,
  ...also: Part[]
): Promise<Transaction | null> => {
  const [name, at, description] = [`adjust#${key}`, iso(nowMs), descriptionOf('Adjustment', reason)]
  if (micros > 0) return wallets.creditOnce(userId, name, micros, 'adjustment', description, at, ...also)
  const debit = { key: name, payment: null, amountMicros: -micros, type: 'adjustment' as const, description, at }
  return wallets.debitOnce(userId, debit, ...also)
}

/**
 * For money refunded outside the billing provider. Null for a repetition, or when nothing of the payment is left.
 * @throws not-found when the payment credited nothing
 */
export async function refundByHand(
  { wallets }: WalletPorts,
  { userId, key, micros, reason }: MoneyAct,
  payment: string,
  nowMs: number,
  ...also: Part[]
): Promise<Transaction | null> {
  if (!(await wasCredited({ wallets }, userId, payment))) throw notFound('payment')
  const [at, description] = [iso(nowMs), descriptionOf('Refund', reason)]
  const debit = { key: `refund#${key}`, payment, amountMicros: micros, type: 'refund' as const, description, at }
  return wallets.debitOnce(userId, debit, ...also)
}

async function wasCredited({ wallets }: WalletPorts, userId: string, payment: string): Promise<boolean> {
  for await (const { name } of wallets.payments(userId)) if (name === payment) return true
  return false
}

/** @throws forbidden for the operator's own account */
export function checkNotOwn({ userId }: Pick<OperatorActor, 'userId'>, user: string): void {
  if (userId === user) throw forbidden('You cannot do this to your own account. Ask another operator.')
}

/** US cents in, µUSD out. @throws forbidden above the stage's limit for one action */
export function amountWithin({ operators }: { operators: Operators }, cents: number): number {
  const most = operators.maxCents()
  if (cents > most)
    throw forbidden(`One action can move at most ${most} cents. For a larger amount, use the command line.`)
  return centsToMicros(cents)
}

/** Counts the amount for the operator's UTC day, as part of the act's write. Above the day's limit, it is forbidden. */
export function countInDay(
  { operators, operatorTotals }: { operators: Operators; operatorTotals: OperatorTotals },
  { userId }: Pick<OperatorActor, 'userId'>,
  cents: number,
  nowMs: number,
): Part {
  const most = operators.maxDayCents()
  const refusal = () =>
    forbidden(`An operator can move at most ${most} cents a day. Ask another operator, or continue tomorrow (UTC).`)
  return operatorTotals.count(userId, cents, most, nowMs, refusal)
}

/** @throws validation without an idempotency key */
export function actKey(headers: Readonly<Record<string, string>>): string {
  const key = headers['idempotency-key']
  if (!key) throw invalid('Idempotency-Key', 'send a key such as a UUID, so that the money moves only once.')
  return key
}
