import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Wallets } from '../../../app/ports/wallet.ts'
import { dayMs } from '../../../domain/time.ts'
import type { Transaction } from '../../../domain/wallet/ledger.ts'
import {
  countsKeptDays,
  groupKeyOf,
  isCall,
  type UsageDay,
  usageDay,
  usageOfLine,
  usageSum,
} from '../../../domain/wallet/usage.ts'
import { itemRange, queryAll } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'
import { dayItem } from './item.ts'
import { changeInput, putNew } from './writes.ts'

/** Counts a day's calls with the same model, trigger, token and conversation. */
const countItem = (day: string, group: string): string => `use#${day}#${group}`
const countPattern = /^use#(\d{4}-\d\d-\d\d)#(.*)$/s

const storedCount = usageSum.extend({ item: z.string() })

/** Part of the transaction that writes the line; empty if the line is not of a call. */
export function usageCount(table: string, userId: string, line: Transaction): TransactWriteItem[] {
  if (!isCall(line)) return []
  const day = line.at.slice(0, 10)
  const { calls, amountMicros, inputTokens, outputTokens } = usageOfLine(line)
  const update = changeInput({
    ...itemAt<keyof typeof storedCount.shape>(table, { userId, item: countItem(day, groupKeyOf(line.receipt)) }),
    update:
      'SET #ttl = if_not_exists(#ttl, :ttl) ADD #calls :calls, #amountMicros :amount, #inputTokens :input, #outputTokens :output',
    values: {
      ':ttl': Math.floor((Date.parse(day) + (countsKeptDays + 2) * dayMs) / 1000),
      ':calls': calls,
      ':amount': amountMicros,
      ':input': inputTokens,
      ':output': outputTokens,
    },
  })
  return [{ Update: update }]
}

export const usage = (table: string): Pick<Wallets, 'usageDays' | 'usageCounts' | 'keepUsageDay'> => ({
  usageDays(userId, from, to) {
    const range = itemRange(table, userId, dayItem(from), dayItem(to))
    return queryAll({ ...range, ConsistentRead: false }, (item) => parse(usageDay, item))
  },

  async usageCounts(userId, from, to) {
    const range = itemRange(table, userId, countItem(from, ''), countItem(to, '~'))
    const counts = await queryAll(range, (item) => parse(storedCount, item))
    const days = new Map<string, UsageDay>()
    for (const { item, ...sum } of counts) {
      const [, day = '', group = ''] = countPattern.exec(item) ?? []
      const usage = days.get(day) ?? { day, groups: {} }
      usage.groups[group] = sum
      days.set(day, usage)
    }
    return [...days.values()]
  },

  async keepUsageDay(userId, day) {
    await putNew(table, { userId, item: dayItem(day.day), ...day })
  },
})
