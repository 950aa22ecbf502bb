import * as z from 'zod'
import { conflict, invalid } from '../errors.ts'
import { hourMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { checkUrl, type EndpointRecord } from '../webhooks/endpoint.ts'

export const maxDevices = 10

/** To one browser in an hour, and to all browsers of a user in a UTC day. */
export const pushLimits = { deliveriesAnHour: 60, aDay: 100, bytesADay: 50_000 }

/** An undelivered push is dropped after this time, also by the push service, ms. */
export const pushLifeMs = 4 * hourMs

const base64url = (bytes: number, example: string) =>
  z
    .string()
    .regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}={0,2}$`), `Expected ${bytes} bytes as base64url.`)
    .meta({ example })

/** A Push API subscription: the push service's address, and the keys that encrypt payloads. */
export const subscriptionInput = {
  endpoint: z
    .string()
    .max(1_000)
    .meta({ description: 'An https address with a public name.', example: 'https://push.example.com/send/abc' }),
  p256dh: base64url(65, 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4').meta(
    { description: 'The browser’s public key on P-256, uncompressed.' },
  ),
  auth: base64url(16, 'BTBZMqHH6r4Tts7J_aSIgg').meta({ description: 'The browser’s authentication secret.' }),
}

export const pushDevice = z
  .object({
    id: z.string().meta({ example: 'psh_3QZ6q5b1mS0x5rjS8uWb1A' }),
    name: z.string().meta({ description: 'Browser family and system.', example: 'Firefox on Linux' }),
    createdAt: timestamp,
    failingSince: timestamp
      .nullable()
      .meta({ description: 'The time since which the push service has refused everything.' }),
    current: z.boolean().meta({ description: 'Whether the session of this request added it.' }),
  })
  .meta({ id: 'PushDevice' })
type PushDevice = z.infer<typeof pushDevice>

/** Stored with the webhook endpoints, because both receive events. */
export interface DeviceRecord extends Omit<PushDevice, 'current'>, Pick<EndpointRecord, 'failures' | 'restsUntilMs'> {
  endpoint: string
  p256dh: string
  auth: string
  /** Pushes end with the session that added the browser. */
  sessionId: string
}

export const showDevice = (
  { id, name, createdAt, failingSince, sessionId }: DeviceRecord,
  session: string,
): PushDevice => ({
  id,
  name,
  createdAt,
  failingSince,
  current: sessionId === session,
})

/** @param local on a laptop: its own loopback is allowed @throws validation */
export function checkPushAddress(address: string, local: boolean): string {
  try {
    return checkUrl(address, local)
  } catch {
    throw invalid('endpoint', 'this browser’s push service has no public https address.')
  }
}

export const noRoomForDevice = () =>
  conflict(`An account has at most ${maxDevices} browsers with push notifications. Remove one first.`)

/** Contains no words and no facts: the browser's own worker has the texts by kind. */
export interface PushPayload {
  id: string
  kind: string
  page: string
}
