import { type DeviceRecord, type PushPayload, pushLifeMs } from '../../domain/notifications/device.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { type Answer, type DeliveryRecord, isSuccess, isTooLate } from '../../domain/webhooks/delivery.ts'
import { isLost, restMs } from '../../domain/webhooks/endpoint.ts'
import type { Clock } from '../ports/basics.ts'
import type { PushDevices, PushMessages } from '../ports/notifications.ts'
import type { WebhookSender } from '../ports/webhooks.ts'
import type { Target } from './target.ts'

export type DevicePorts = {
  pushDevices: PushDevices
  pushMessages: PushMessages
  webhookSender: WebhookSender
  clock: Clock
}

/** A push service's statuses after which a retry is pointless (RFC 8030, 8292). */
const finalStatuses = new Set([400, 401, 403, 404, 410, 413])

const goneStatuses = new Set([404, 410])

export const deviceTarget = (deps: DevicePorts, userId: string, device: DeviceRecord): Target => ({
  restsUntilMs: device.restsUntilMs,
  cancellation: (delivery, nowMs) => (isTooLate(delivery, nowMs) ? 'too-late' : null),
  post: (delivery) => post(deps, device, delivery),
  isFinal: ({ status }) => status !== null && finalStatuses.has(status),
  noteAnswer: async (answer) => deviceTarget(deps, userId, await noteAnswer(deps, userId, device, answer)),
})

/** The result for an address or a key that cannot be encrypted or signed for. */
const unsealed: Answer = { status: null, failure: 'refused-address', latencyMs: 0, retryAfterSeconds: null }

async function post(
  { pushMessages, webhookSender, clock }: DevicePorts,
  device: DeviceRecord,
  { id, body, untilMs }: DeliveryRecord,
): Promise<Answer> {
  const ttlSeconds = Math.max(0, Math.ceil((Math.min(untilMs, clock.now() + pushLifeMs) - clock.now()) / secondMs))
  const payload: PushPayload = JSON.parse(body)
  const topic = id.slice(id.indexOf('_') + 1)
  // If the stage's own key is missing, this throws, and the push stays due; the browser is not to blame.
  await pushMessages.publicKey()
  const sealed = await pushMessages.seal(device, payload, { ttlSeconds, topic }).catch(() => null)
  return sealed ? webhookSender.post(device.endpoint, sealed.headers, sealed.body) : unsealed
}

async function noteAnswer(
  { pushDevices, clock }: DevicePorts,
  userId: string,
  device: DeviceRecord,
  answer: Answer,
): Promise<DeviceRecord> {
  if (isSuccess(answer)) {
    if (device.failingSince !== null) await pushDevices.noteSuccess(userId, device.id)
    return { ...device, failures: 0, failingSince: null, restsUntilMs: 0 }
  }
  if (answer.status !== null && goneStatuses.has(answer.status)) {
    await pushDevices.remove(userId, device.id)
    return device
  }
  const nowMs = clock.now()
  const rest = Math.max(restMs(device.failures + 1), (answer.retryAfterSeconds ?? 0) * secondMs)
  const noted = await pushDevices.noteFailure(userId, device.id, iso(nowMs), nowMs + rest)
  if (noted && isLost(noted, nowMs)) await pushDevices.remove(userId, device.id)
  return noted ?? device
}
