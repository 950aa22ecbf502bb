import { events } from '../../adapters/dynamo/chat/events.ts'
import { books } from '../../adapters/dynamo/wallet/books.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import { auditWallet } from '../../app/wallet/books.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { heldOf } from '../../domain/wallet/state.ts'
import { auditOf, type Command, type Context, reasonOf, UsageError, userOf } from './command.ts'

export const wallet: Command = {
  usage: [
    ['wallet show    <user>', 'compare a wallet with its ledger, and list its payments'],
    ['wallet rebuild <user> --reason <text>', 'recalculate a wallet from its ledger'],
  ],
  async run(context, [verb, user]) {
    if (verb === 'rebuild') return rebuild(context, await userOf(context, user))
    if (verb !== 'show') throw new UsageError()
    const userId = await userOf(context, user)
    const code = await showWallet(context, userId)
    await showPayments(context, userId)
    return code
  },
}

/** Returns 1 when the ledger and the balance differ. */
export async function showWallet({ env }: Context, userId: string): Promise<number> {
  const { state, lines, differences } = await auditWallet({ wallets: wallets(env) }, userId)
  console.log(
    `${userId}: available ${formatMicros(state.available)}, held ${formatMicros(heldOf(state))}, owed ${formatMicros(state.owed)}` +
      `${state.frozen === null ? '' : `, suspended (${state.frozen})`}; its ${lines} ledger lines ` +
      (differences.length === 0 ? 'agree' : 'differ (amounts in millionths of a dollar):'),
  )
  for (const difference of differences) console.log(`  ${difference}`)
  return differences.length > 0 ? 1 : 0
}

async function showPayments({ env }: Context, userId: string): Promise<void> {
  for await (const { name, amountMicros, takenBackMicros } of wallets(env).payments(userId)) {
    const taken = takenBackMicros > 0 ? `, ${formatMicros(takenBackMicros)} of it taken back` : ''
    console.log(`  ${name} credited ${formatMicros(amountMicros)}${taken}`)
  }
}

async function rebuild(context: Context, userId: string): Promise<number> {
  reasonOf(context)
  const { state, expected, lines, differences } = await auditWallet({ wallets: wallets(context.env) }, userId)
  if (differences.length === 0) {
    console.log('The wallet agrees with its ledger: nothing to rebuild.')
    return showWallet(context, userId)
  }
  for (const difference of differences) console.log(`  ${difference}`)
  const about = { user: userId, operation: 'admin.wallet.rebuild', record: userId }
  const event = events(context.env).entry(userId, 'wallet.changed', { rebuilt: true })
  if (!(await books(context.env).rewrite(state, expected, auditOf(context, about), event)))
    throw new UsageError('The wallet changed in the meantime. Run this again.')
  console.log(`${userId} is rebuilt from ${lines} ledger entries.`)
  return 0
}
