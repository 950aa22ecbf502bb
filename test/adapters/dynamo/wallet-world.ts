import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { changeInput, query } from '../../../adapters/dynamo/calls.ts'
import { database } from '../../../adapters/dynamo/client.ts'
import { fromItem } from '../../../adapters/dynamo/item.ts'
import { generationChange, readLine, toState, walletItem } from '../../../adapters/dynamo/wallet/item.ts'
import { ulid } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import { differences, type UsageReceipt } from '../../../domain/wallet/ledger.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import {
  addUsage,
  groupKeyOf,
  isCall,
  noUsage,
  type UsageSum,
  usageOfLine,
  usageSum,
} from '../../../domain/wallet/usage.ts'
import { isBalanced } from '../../domain/wallet/balanced.ts'
import { openWorld, startMs } from '../../world.ts'

export const now = startMs

let made = 0
/** A ULID that is unique in this file and sorts after the earlier ones. */
export const fresh = (prefix: string): string => {
  const number = ++made
  const random = Uint8Array.from({ length: 16 }, (_, i) => (number >> (5 * Math.max(0, 9 - i))) & 31)
  return `${prefix}_${ulid(now + number, random)}`
}

/** A receipt of the largest realistic size. */
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
  settledBecause: 'usage',
  trigger: 'heartbeat',
  promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
  conversation: 'cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
  startedAt: iso(now),
  firstByteMs: 12_345,
  durationMs: 123_456,
})

/** One read of a wallet, the sum of its ledger entries, and usage both as counted and as summed from the entries. */
async function bookOf(table: string, userId: string) {
  let state = newWallet(userId)
  let sum = 0
  const counted: Record<string, UsageSum> = {}
  const charged: Record<string, UsageSum> = {}
  const asked = {
    TableName: table,
    KeyConditionExpression: 'userId = :user',
    ExpressionAttributeValues: { ':user': { S: userId } },
    ConsistentRead: true,
  }
  for await (const item of query(asked)) {
    if (item.item?.S === walletItem) state = toState(item)
    if (item.item?.S?.startsWith('use#')) counted[item.item.S] = usageSum.parse(fromItem(item))
    if (!item.item?.S?.startsWith('txn_')) continue
    sum += Number(item.amountMicros?.N)
    const line = readLine(item)
    if (!isCall(line)) continue
    const name = `use#${line.at.slice(0, 10)}#${groupKeyOf(line.receipt)}`
    charged[name] = addUsage(charged[name] ?? noUsage, usageOfLine(line))
  }
  return { state, sum, counted, charged }
}

export async function walletWorld() {
  const world = await openWorld({ ports: ['checkouts', 'audit', 'events'] })
  const port = world.ports.wallets
  const startGeneration = (userId: string, generation: number) =>
    database().send(new UpdateItemCommand(changeInput(generationChange('wallets', userId, generation))))
  return {
    ...world,
    port,
    /** Allows the machine of this generation, and no other, to spend. */
    startGeneration,
    /** A user whose machine of this generation may spend this amount. */
    async richUser(micros: number, generation = 1) {
      const userId = fresh('usr')
      await startGeneration(userId, generation)
      if (micros > 0) await port.creditOnce(userId, 'start', micros, 'adjustment', 'Start', iso(now))
      return userId
    },
    async hold(
      userId: string,
      micros: number,
      { callId = fresh('call'), minimum = micros, at = now }: { callId?: string; minimum?: number; at?: number } = {},
    ) {
      const ask = { boundMicros: micros, minimumMicros: minimum, generation: 1 }
      const result = await port.hold(userId, callId, ask, at)
      if (!result.held) throw new Error(result.because)
      return callId
    },
    settle: (userId: string, callId: string, cost: number, held: number, total: number | null = null) =>
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
    /** Takes money back without a payment behind it. */
    debit: (userId: string, amountMicros: number) => {
      const about = { type: 'adjustment' as const, description: 'Back', at: iso(now) }
      return port.debitOnce(userId, { key: fresh('evt'), payment: null, amountMicros, ...about })
    },
    /** The wallet, after checking that its books balance and that its ledger matches it and the counted usage. */
    async checked(userId: string): Promise<WalletState> {
      const { state, sum, counted, charged } = await bookOf(world.env.table('wallets'), userId)
      expect(isBalanced(state)).toBe(true)
      expect(differences(state, sum)).toEqual([])
      expect(counted).toEqual(charged)
      return state
    },
  }
}

export type World = Awaited<ReturnType<typeof walletWorld>>
