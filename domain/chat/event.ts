import * as z from 'zod'
import { timestamp } from '../time.ts'

export const eventTypes = [
  'instance.state_changed',
  'instance.image_changed',
  'instance.image_reverted',
  'wallet.credited',
  'wallet.charged',
  'wallet.low',
  'wallet.empty',
  'wallet.auto_topup_failed',
  'subscription.changed',
  'message.received',
  'message.progress',
  'message.sent',
  'prompt.closed',
  'token.created',
  'token.revoked',
  'token.leaked',
  'persona.changed',
  'skill.changed',
  'files.task_ended',
  'instance.runaway',
  'instance.volume_full',
] as const
export type EventType = (typeof eventTypes)[number]

/** Something that happened to a user's account, as streams and webhooks tell it. */
export const event = z
  .object({
    id: z.string().meta({ example: 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    type: z.enum(eventTypes),
    at: timestamp,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof event>

/** How long events are kept for a client to resume from, ms. */
export const eventTtlMs = 24 * 60 * 60 * 1000
