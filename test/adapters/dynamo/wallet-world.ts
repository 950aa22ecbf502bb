import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { changeInput, query } from '../../../adapters/dynamo/calls.ts'
import { database } from '../../../adapters/dynamo/client.ts'
import { generationChange, toState, walletItem } from '../../../adapters/dynamo/wallet-item.ts'
import { wallets } from '../../../adapters/dynamo/wallets.ts'
import { ulid } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import type { Wallets } from '../../../domain/wallet/ports.ts'
import { differences } from '../../../domain/wallet/rebuild.ts'
import { balances, newWallet, type UsageReceipt, type WalletState } from '../../../domain/wallet/wallet.ts'
import { type Engine, startEngine } from '../engine.ts'

export const now = Date.parse('2026-11-20T12:00:00.000Z')

let made = 0
/** A ULID that no other of this file equals, and that sorts after those before it. */
export const fresh = (prefix: string): string => {
  const number = ++made
  const random = Uint8Array.from({ length: 16 }, (_, i) => (number >> (5 * Math.max(0, 9 - i))) & 31)
  return `${prefix}_${ulid(now + number, random)}`
}

/** A receipt as large as real ones get. */
export const receipt = (callId: string, heldMicros: number): UsageReceipt => ({
  callId,
  model: 'anthropic/claude-sonnet-4-5-20250929',
  provider: 'anthropic',
  priceVersion: 'genai-prices-0.1.8-2026-11-01',
  inputTokens: 123_456,
  cachedInputTokens: 100_000,
  cacheWriteTokens: 20_000,
  outputTokens: 8_192,
  reasoningTokens: 4_096,
  unitPrices: { input: 3_000_000, cachedInput: 300_000, cacheWrite: 3_750_000, output: 15_000_000 },
  markup: 1_000,
  heldMicros,
  settledMicros: 0,
  settledBecause: 'upstream-error',
  trigger: 'heartbeat',
  startedAt: iso(now),
  firstByteMs: 12_345,
  durationMs: 123_456,
})

export interface World {
  engine: Engine
  port: Wallets
  /** A user whose machine of this generation may spend this much. */
  richUser(micros: number, generation?: number): Promise<string>
  hold(userId: string, micros: number, more?: { callId?: string; minimum?: number; at?: number }): Promise<string>
  settle(
    userId: string,
    callId: string,
    cost: number,
    held: number,
    total?: number | null,
  ): ReturnType<Wallets['settle']>
  receipt: typeof receipt
  /** Takes money back that no payment stands for. */
  debit(userId: string, micros: number): ReturnType<Wallets['debitOnce']>
  /** The wallet, after checking that its books balance and that its ledger adds up to it. */
  checked(userId: string): Promise<WalletState>
}

/** A wallet and the sum of its ledger's lines, in one reading. */
async function bookOf(table: string, userId: string): Promise<{ state: WalletState; sum: number }> {
  let state = newWallet(userId)
  let sum = 0
  const asked = {
    TableName: table,
    KeyConditionExpression: 'userId = :user',
    ExpressionAttributeValues: { ':user': { S: userId } },
    ConsistentRead: true,
  }
  for await (const item of query(asked)) {
    if (item.item?.S === walletItem) state = toState(item)
    if (item.item?.S?.startsWith('txn_')) sum += Number(item.amountMicros?.N)
  }
  return { state, sum }
}

export async function walletWorld(): Promise<World> {
  const engine = await startEngine()
  const port = wallets(engine.env)
  return {
    engine,
    port,
    async richUser(micros, generation = 1) {
      const userId = fresh('usr')
      await database().send(new UpdateItemCommand(changeInput(generationChange('wallets', userId, generation))))
      if (micros > 0) await port.creditOnce(userId, 'start', micros, 'adjustment', 'Start', iso(now))
      return userId
    },
    async hold(userId, micros, { callId = fresh('call'), minimum = micros, at = now } = {}) {
      const ask = { boundMicros: micros, minimumMicros: minimum, generation: 1 }
      const result = await port.hold(userId, callId, ask, at)
      if (!result.held) throw new Error(result.because)
      return callId
    },
    settle: (userId, callId, cost, held, total = null) =>
      port.settle(
        userId,
        callId,
        cost,
        {
          description: 'Model call: anthropic/claude-sonnet-4-5-20250929',
          receipt: receipt(callId, held),
          at: iso(now),
        },
        total,
      ),
    receipt,
    debit: (userId, amountMicros) => {
      const about = { type: 'adjustment' as const, description: 'Back', at: iso(now) }
      return port.debitOnce(userId, { key: fresh('evt'), payment: null, amountMicros, ...about })
    },
    async checked(userId) {
      const { state, sum } = await bookOf(engine.env.table('wallets'), userId)
      expect(balances(state)).toBe(true)
      expect(differences(state, sum)).toEqual([])
      return state
    },
  }
}
