import * as z from 'zod'
import { chatKey } from '../../../domain/channels/inbound.ts'
import { type Platform, platform } from '../../../domain/channels/platform.ts'
import { dueItems } from '../calls.ts'
import { parse, toItem } from '../item.ts'

export const chatId = (chat: { platform: Platform; id: string }): string => `chat#${chatKey(chat)}`

/** @throws for the key of anything but a chat */
export function chatOf(id: string): { platform: Platform; id: string } {
  const [, name, ...rest] = id.split('#')
  return { platform: platform.parse(name), id: rest.join('#') }
}

export const userKey = (userId: string): string => `user#${userId}`

/** Seconds since 1970. */
export const ttlOf = (untilMs: number): number => Math.ceil(untilMs / 1000)

/** A strongly consistent query between two sort keys, in order. */
export const rangeOf = (table: string, id: string, from: string, to: string) => ({
  TableName: table,
  KeyConditionExpression: '#id = :id AND #item BETWEEN :from AND :to',
  ExpressionAttributeNames: { '#id': 'id', '#item': 'item' },
  ExpressionAttributeValues: toItem({ ':id': id, ':from': from, ':to': to }),
  ConsistentRead: true,
})

const dueKey = z.object({ id: z.string(), item: z.string(), dueAt: z.int() })

/** The due items in a shard whose sort keys have this prefix. */
export async function dueWith(table: string, prefix: string, shard: number, nowMs: number) {
  const due = (await dueItems(table, shard, nowMs)).map((item) => parse(dueKey, item))
  return due.filter(({ item }) => item.startsWith(prefix))
}
