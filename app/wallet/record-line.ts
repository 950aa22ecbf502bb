import type { Transaction } from '../../domain/wallet/ledger.ts'
import type { Events } from '../ports/chat.ts'

export async function recordLine({ events }: { events: Events }, userId: string, line: Transaction): Promise<void> {
  const { id: transactionId, type, amountMicros } = line
  await events.record(userId, amountMicros > 0 ? 'wallet.credited' : 'wallet.charged', {
    transactionId,
    type,
    amountMicros,
  })
}
