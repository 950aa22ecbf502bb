import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import {
  type MessageLimits,
  maxOpenTasks,
  tooManyTasks,
  tooManyToday,
  tooManyWaiting,
} from '../../../domain/chat/message-limits.ts'
import { dayMs, hourMs } from '../../../domain/time.ts'
import { changeAlone, changeInput, itemRange, query } from '../calls.ts'
import type { Item } from '../item.ts'

/**
 * One item a user counts what waits for the agent, so that the write that adds something checks it. Each counted item is marked
 * `counted`, and the write that ends the item lowers the count.
 */
const waitingKey = (userId: string) => ({ userId, item: 'waiting' })

/** Days of counters that a write clears on its way. */
const clearedDays = 7

const dayName = (letter: 'n' | 'b', day: number) => `${letter}${day}`
const numberIn = (item: Item | null | undefined, name: string): number => Number(item?.[name]?.N ?? 0)

interface Added {
  bytes: number
  limits: MessageLimits
  /** Whether it counts for the day as well. */
  ofToday: boolean
  nowMs: number
}

/** Counts a message that will wait. */
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
      table,
      key: waitingKey(userId),
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

/** Why a message was not counted, from the item that refused it. */
export function refusalOfMessage(old: Item | null | undefined, { bytes, limits, nowMs }: Added) {
  const day = Math.floor(nowMs / dayMs)
  const isFullToday =
    numberIn(old, dayName('n', day)) >= limits.aDay || numberIn(old, dayName('b', day)) > limits.bytesADay - bytes
  return isFullToday ? tooManyToday(limits) : tooManyWaiting(limits)
}

export const uncountMessage = (table: string, userId: string, bytes: number): TransactWriteItem =>
  uncount(table, userId, { messages: 1, bytes })

/** Counts a task that is open. */
export const countTask = (table: string, userId: string): TransactWriteItem => ({
  Update: changeInput({
    table,
    key: waitingKey(userId),
    update: 'ADD #tasks :one',
    condition: 'attribute_not_exists(#tasks) OR #tasks < :most',
    values: { ':one': 1, ':most': maxOpenTasks },
  }),
})

export const refusalOfTask = tooManyTasks

export const uncountTask = (table: string, userId: string): TransactWriteItem => uncount(table, userId, { tasks: 1 })

const uncount = (table: string, userId: string, counts: Record<string, number>): TransactWriteItem => ({
  Update: changeInput({
    table,
    key: waitingKey(userId),
    update: `ADD ${Object.keys(counts)
      .map((name) => `#${name} :${name}`)
      .join(', ')}`,
    values: Object.fromEntries(Object.entries(counts).map(([name, count]) => [`:${name}`, -count])),
  }),
})

/** How often a full count is compared with what waits, ms: an earlier release ends things without taking them off. */
const recountMs = hourMs

/** Sets a count that refused something to what really waits; false where it was right, or was compared a while ago. */
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
  const written = await changeAlone({
    table,
    key: waitingKey(userId),
    update: 'SET #messages = :messages, #bytes = :bytes, #tasks = :tasks, #recountedMs = :now',
    condition: `${same('messages')} AND ${same('bytes')} AND ${same('tasks')}`,
    values: {
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`:${name}`, count])),
      ':now': nowMs,
      ':zero': 0,
      ...Object.fromEntries(Object.keys(counts).map((name) => [`:seen_${name}`, numberIn(seen, name)])),
    },
  })
  return written.done
}

/** Nothing counted is like 0. */
const same = (name: string) =>
  `(#${name} = :seen_${name} OR (attribute_not_exists(#${name}) AND :seen_${name} = :zero))`
