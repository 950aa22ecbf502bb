import { randomUUID } from 'node:crypto'
import { events } from '../../adapters/dynamo/chat/events.ts'
import { suspensions } from '../../adapters/dynamo/operator/suspensions.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import { adjustByHand, creditByHand, type MoneyAct, refundByHand } from '../../app/operator/money.ts'
import type { Part } from '../../app/ports/part.ts'
import { suspendWallet, unsuspendWallet } from '../../app/wallet/freeze.ts'
import { recordLine } from '../../app/wallet/record-line.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { DomainError } from '../../domain/errors.ts'
import { centsToMicros } from '../../domain/money.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { auditOf, type Command, type Context, reasonOf, UsageError, userOf } from './command.ts'
import { showWallet } from './wallet.ts'

const deps = ({ env }: Context) => ({ wallets: wallets(env), events: events(env), suspensions: suspensions(env) })

export const credit: Command = {
  usage: [['credit  <user> <cents> --reason <text>', 'give a promotional credit']],
  run: (context, [user, cents]) => {
    const byHand = (act: MoneyAct, audit: Part) => creditByHand(deps(context), act, Date.now(), audit)
    return move(context, { operation: 'credit', user, micros: aboveZero(cents) }, byHand)
  },
}

export const adjust: Command = {
  usage: [
    ['adjust  <user> <±cents> --reason <text>', 'correct a balance; an amount that it cannot cover becomes owed'],
  ],
  run: (context, [user, cents]) => {
    const byHand = (act: MoneyAct, audit: Part) => adjustByHand(deps(context), act, Date.now(), audit)
    return move(context, { operation: 'adjust', user, micros: microsOf(cents) }, byHand)
  },
}

export const refund: Command = {
  usage: [
    [
      'refund  <user> <payment> <cents> --reason <text>',
      'take back the credit of a payment (chk_… or its key) whose money was returned outside the billing provider',
    ],
  ],
  run: (context, [user, payment, cents]) => {
    if (!payment) throw new UsageError('Name the payment: chk_… or its key.')
    const byHand = (act: MoneyAct, audit: Part) =>
      refundByHand(deps(context), act, payment, Date.now(), audit).catch((error: unknown) => {
        if (!(error instanceof DomainError && error.code === 'not-found')) throw error
        throw new UsageError(`The payment ${payment} credited nothing. "wallet show ${act.userId}" lists the payments.`)
      })
    return move(context, { operation: 'refund', user, micros: aboveZero(cents) }, byHand)
  },
}

export const suspend: Command = {
  usage: [['suspend <user> --reason <text>', 'stop all spending; unsuspend allows it again']],
  async run(context, [user]) {
    const userId = await userOf(context, user)
    const audit = auditOf(context, { user: userId, operation: 'admin.suspend', record: userId })
    const changed = await suspendWallet(deps(context), userId, reasonOf(context), Date.now(), audit)
    console.log(changed ? `${userId} is suspended.` : `${userId} was already suspended.`)
    return 0
  },
}

export const unsuspend: Command = {
  usage: [],
  async run(context, [user]) {
    const userId = await userOf(context, user)
    const audit = auditOf(context, { user: userId, operation: 'admin.unsuspend', record: userId })
    const changed = await unsuspendWallet(deps(context), userId, Date.now(), audit)
    console.log(changed ? `${userId} can spend again.` : `${userId} was not suspended.`)
    return 0
  },
}

async function move(
  context: Context,
  { operation, user, micros }: { operation: 'credit' | 'adjust' | 'refund'; user: string | undefined; micros: number },
  byHand: (act: MoneyAct, audit: Part) => Promise<Transaction | null>,
): Promise<number> {
  const userId = await userOf(context, user)
  const act = { userId, key: context.options.key ?? randomUUID(), micros, reason: reasonOf(context) }
  const about = { user: userId, operation: `admin.${operation}`, record: `${operation}#${act.key}` }
  const line = await byHand(act, auditOf(context, about))
  if (line) await recordLine(deps(context), userId, line)
  console.log(
    line ? `${line.id} ${formatMicros(line.amountMicros)}` : 'Nothing to do: an earlier run with this key did it.',
  )
  return showWallet(context, userId)
}

/** A minus before digits arrives here as U+2212, so that it is not parsed as an option. */
function microsOf(text: string | undefined): number {
  const match = /^([+\u2212]?)(\d{1,9})$/.exec(text ?? '')
  const cents = Number(match?.[2])
  // `5.00` would be read as five cents instead of five dollars.
  if (!cents) throw new UsageError('Give the amount in whole cents, digits only: 500 is $5.00.')
  return centsToMicros(match?.[1] === '\u2212' ? -cents : cents)
}

function aboveZero(text: string | undefined): number {
  const micros = microsOf(text)
  if (micros < 0) throw new UsageError('The amount must be above zero.')
  return micros
}
