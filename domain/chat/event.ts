import * as z from 'zod'
import { firstIdAt, timeOfId } from '../ids.ts'
import type { Scope } from '../scopes.ts'
import { secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { eventTypes } from './event-types.ts'

export type EventType = (typeof eventTypes)[number]

/** An event of a user's account, as streams and webhooks send it. */
export const event = z
  .object({
    id: z.string().meta({ example: 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    type: z.enum(eventTypes),
    at: timestamp,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof event>

/** The scope that reading what an event tells of takes, by the first word of its type. */
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

/** All of them. */
export const eventScopes: readonly Scope[] = [...new Set(Object.values(scopes))]

/** The first word of an event type: `message` of `message.sent`. */
export type NounOf<T extends string> = T extends `${infer Noun}.${string}` ? Noun : never

/** The scope that a token wants to hear of an event. */
export const eventScope = ({ type }: Pick<Event, 'type'>): Scope => scopes[type.split('.')[0] as NounOf<EventType>] // safe because that is how types are named

/** Ids are made by many functions, so an event may come into sight this much later than a younger one. */
const overlapMs = 3 * secondMs

/** From a moment ago. */
export const momentBefore = (nowMs: number): string => firstIdAt('evt', nowMs - overlapMs)

/**
 * The newest position before which a reader who has read from an event to this one misses nothing: later events may
 * still become visible before it.
 */
export function readUpTo(after: string, youngest: string | undefined): string {
  const certain = youngest === undefined ? after : momentBefore(timeOfId(youngest))
  return certain > after ? certain : after
}
