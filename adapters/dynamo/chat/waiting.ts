import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import {
  type MessageLimits,
  maxOpenTasks,
  tooManyTasks,
  tooManyToday,
  tooManyWaiting,
} from '../../../domain/chat/message-limits.ts'
import { dayMs, hourMs } from '../../../domain/time.ts'
import { changed, changeInput, itemRange, query } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import type { Item } from '../item.ts'

/**
 * Counts a user's waiting messages and tasks, so that the write that adds one can check the limit. A counted item has
 * `counted`; the write that ends the item lowers the count.
 */
const waitingAt = (table: string, userId: string) =>
  itemAt<keyof Counts | 'recountedMs'>(table, { userId, item: 'waiting' })

interface Counts {
  messages: number
  bytes: number
  tasks: number
}

/** Old days whose counters a write also removes. */
const clearedDays = 7

const dayName = (letter: 'n' | 'b', day: number) => `${letter}${day}`
const numberIn = (item: Item | null | undefined, name: string): number => Number(item?.[name]?.N ?? 0)

interface Added {
  bytes: number
  limits: MessageLimits
  /** Whether it also counts for the day. */
  ofToday: boolean
  nowMs: number
}

export function countMessage(
  table: string,
  userId: string,
  { bytes, limits, ofToday, nowMs }: Added,
): TransactWriteItem {
  const day = Math.floor(nowMs / dayMs)
  const [n, b] = [`#${dayName('n', day)}`, `#${dayName('b', day)}`]
  const old = Array.from({ length: clearedDays }, (_, i) => day - 1 - i)
  const today = ofToday ? ` AND (attribute_not_exists(${n}) OR (${n} < :aDay AND ${b} <= :roomToday))` : ''
  return {
    Update: changeInput({
      ...waitingAt(table, userId),
      update: `ADD #messages :one, #bytes :bytes${ofToday ? `, ${n} :one, ${b} :bytes` : ''}
        REMOVE ${old.flatMap((each) => [`#${dayName('n', each)}`, `#${dayName('b', each)}`]).join(', ')}`,
      condition: `(attribute_not_exists(#messages) OR (#messages < :waiting AND #bytes <= :room))${today}`,
      values: {
        ':one': 1,
        ':bytes': bytes,
        ':waiting': limits.waiting,
        ':room': limits.waitingBytes - bytes,
        ...(ofToday && { ':aDay': limits.aDay, ':roomToday': limits.bytesADay - bytes }),
      },
    }),
  }
}

export function refusalOfMessage(old: Item | null | undefined, { bytes, limits, nowMs }: Added) {
  const day = Math.floor(nowMs / dayMs)
  const isFullToday =
    numberIn(old, dayName('n', day)) >= limits.aDay || numberIn(old, dayName('b', day)) > limits.bytesADay - bytes
  return isFullToday ? tooManyToday(limits) : tooManyWaiting(limits)
}

export const uncountMessage = (table: string, userId: string, bytes: number): TransactWriteItem =>
  uncount(table, userId, { messages: 1, bytes })

export const countTask = (table: string, userId: string): TransactWriteItem => ({
  Update: changeInput({
    ...waitingAt(table, userId),
    update: 'ADD #tasks :one',
    condition: 'attribute_not_exists(#tasks) OR #tasks < :most',
    values: { ':one': 1, ':most': maxOpenTasks },
  }),
})

export const refusalOfTask = tooManyTasks

export const uncountTask = (table: string, userId: string): TransactWriteItem => uncount(table, userId, { tasks: 1 })

const uncount = (table: string, userId: string, counts: Partial<Counts>): TransactWriteItem => ({
  Update: changeInput({
    ...waitingAt(table, userId),
    update: `ADD ${Object.keys(counts)
      .map((name) => `#${name} :${name}`)
      .join(', ')}`,
    values: Object.fromEntries(Object.entries(counts).map(([name, count]) => [`:${name}`, -count])),
  }),
})

/** Interval in ms of comparing a full count with the waiting items: an earlier release does not lower it. */
const recountMs = hourMs

/** Corrects a full count; false if it was right, or was compared within the interval. */
export async function recount(
  table: string,
  userId: string,
  seen: Item | null | undefined,
  nowMs: number,
): Promise<boolean> {
  if (!seen || numberIn(seen, 'recountedMs') > nowMs - recountMs) return false
  const counts = { messages: 0, bytes: 0, tasks: 0 }
  for await (const item of query(itemRange(table, userId, 'prm_', 'tsk_~'))) {
    if (item.counted === undefined) continue
    if (item.item?.S?.startsWith('tsk_')) counts.tasks++
    else counts.messages++
    counts.bytes += numberIn(item, 'counted')
  }
  return changed({
    ...waitingAt(table, userId),
    update: 'SET #messages = :messages, #bytes = :bytes, #tasks = :tasks, #recountedMs = :now',
    condition: `${same('messages')} AND ${same('bytes')} AND ${same('tasks')}`,
    values: {
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`:${name}`, count])),
      ':now': nowMs,
      ':zero': 0,
      ...Object.fromEntries(Object.keys(counts).map((name) => [`:seen_${name}`, numberIn(seen, name)])),
    },
  })
}

/** A missing count is 0. */
const same = (name: keyof Counts) =>
  `(#${name} = :seen_${name} OR (attribute_not_exists(#${name}) AND :seen_${name} = :zero))`
