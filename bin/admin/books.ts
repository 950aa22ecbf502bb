import { books as booksOf } from '../../adapters/dynamo/wallet/books.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import { auditWallet } from '../../app/wallet/books.ts'
import type { Command } from './command.ts'

export const books: Command = {
  usage: [['books', 'check each wallet against its ledger; exits with 1 if one differs']],
  async run({ env }) {
    const deps = { wallets: wallets(env) }
    const owners: string[] = []
    for await (const userId of booksOf(env).owners()) owners.push(userId)
    const wrong: string[] = []
    for (const [i, userId] of owners.entries()) {
      const { differences } = await auditWallet(deps, userId)
      if (differences.length > 0) wrong.push(`${userId}: ${differences.join('; ')}`)
      progress(i + 1, owners.length)
    }
    for (const line of wrong) console.log(line)
    console.log(`${owners.length} wallets, ${wrong.length} that differ from their ledgers`)
    return wrong.length > 0 ? 1 : 0
  },
}

function progress(done: number, all: number): void {
  if (!process.stderr.isTTY && done < all) return
  const width = 30
  const bar = '#'.repeat(Math.round((done / all) * width)).padEnd(width, '.')
  process.stderr.write(`\r[${bar}] ${done}/${all}${done === all ? '\n' : ''}`)
}
