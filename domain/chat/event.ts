import * as z from 'zod'
import { firstIdAt, timeOfId } from '../ids.ts'
import type { Scope } from '../scopes.ts'
import { secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { eventTypes } from './event-types.ts'

export type EventType = (typeof eventTypes)[number]

export const event = z
  .object({
    id: z.string().meta({ example: 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    type: z.enum(eventTypes),
    at: timestamp,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof event>

/** The scope for reading an event, by the first word of its type. */
const scopes = {
  conversation: 'api:chat',
  message: 'api:chat',
  prompt: 'api:chat',
  question: 'api:chat',
  wallet: 'mcp:wallet.read',
  subscription: 'mcp:instance.read',
  instance: 'mcp:instance.read',
  persona: 'mcp:personas.read',
  skill: 'mcp:skills.read',
  files: 'api:instance',
  token: 'api:tokens.write',
  channel: 'api:channels',
  schedule: 'api:instance',
  account: 'api:tokens.write',
  notice: 'mcp:instance.read',
  notification: 'api:tokens.write',
} satisfies Record<NounOf<EventType>, Scope>

export const eventScopes: readonly Scope[] = [...new Set(Object.values(scopes))]

export type NounOf<T extends string> = T extends `${infer Noun}.${string}` ? Noun : never

export const eventScope = ({ type }: Pick<Event, 'type'>): Scope => scopes[type.split('.')[0] as NounOf<EventType>] // safe because that is how types are named

/** Many functions make ids, so an event may become visible this much later than a newer one. */
const overlapMs = 3 * secondMs

export const momentBefore = (nowMs: number): string => firstIdAt('evt', nowMs - overlapMs)

/** Events may still become visible before the newest one: a reader who continues from here misses none. */
export function readUpTo(after: string, youngest: string | undefined): string {
  const certain = youngest === undefined ? after : momentBefore(timeOfId(youngest))
  return certain > after ? certain : after
}
