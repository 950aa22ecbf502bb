import { iso, secondMs } from '../../domain/time.ts'
import { type Answer, cancellation, type DeliveryRecord, isSuccess } from '../../domain/webhooks/delivery.ts'
import { beginsToRest, type EndpointRecord, isLost, type LossReason, restMs } from '../../domain/webhooks/endpoint.ts'
import { type OutboxPorts, outboxOf } from '../outbox/outbox.ts'
import type { HookSecrets } from '../ports/hooks.ts'
import type { WebhookSender, Webhooks } from '../ports/webhooks.ts'
import type { Target } from './target.ts'

export type EndpointPorts = OutboxPorts & { webhooks: Webhooks; webhookSender: WebhookSender; hookSecrets: HookSecrets }

export const endpointTarget = (deps: EndpointPorts, userId: string, endpoint: EndpointRecord): Target => ({
  restsUntilMs: endpoint.restsUntilMs,
  cancellation: (delivery, nowMs) => cancellation(endpoint, delivery, nowMs),
  post: (delivery) => post(deps, endpoint, delivery),
  isFinal: ({ status }) => status === 410,
  noteAnswer: async (answer) => endpointTarget(deps, userId, await noteAnswer(deps, userId, endpoint, answer)),
})

/** Signed with the current secret and, for a day after a change, also with the old one. */
async function post(
  { webhookSender, hookSecrets, clock }: EndpointPorts,
  endpoint: EndpointRecord,
  { id, body }: DeliveryRecord,
): Promise<Answer> {
  const nowMs = clock.now()
  const time = Math.floor(nowMs / secondMs)
  const { secretVersion, oldSecretUntil } = endpoint
  const versions =
    oldSecretUntil && Date.parse(oldSecretUntil) > nowMs ? [secretVersion, secretVersion - 1] : [secretVersion]
  const signatures = versions.map((version) =>
    hookSecrets.sign({ id: endpoint.id, secretVersion: version }, `${id}.${time}.${body}`),
  )
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': (await Promise.all(signatures)).join(' '),
  }
  return webhookSender.post(endpoint.url, headers, body)
}

async function noteAnswer(
  deps: EndpointPorts,
  userId: string,
  endpoint: EndpointRecord,
  answer: Answer,
): Promise<EndpointRecord> {
  const { webhooks, clock } = deps
  if (isSuccess(answer)) {
    if (endpoint.failingSince !== null) await webhooks.noteSuccess(userId, endpoint.id)
    return { ...endpoint, failures: 0, failingSince: null, restsUntilMs: 0 }
  }
  const nowMs = clock.now()
  const rest = Math.max(restMs(endpoint.failures + 1), (answer.retryAfterSeconds ?? 0) * secondMs)
  const noted = await webhooks.noteFailure(userId, endpoint.id, iso(nowMs), nowMs + rest)
  if (!noted) return endpoint
  if (beginsToRest(noted)) deps.alarms.raise('EndpointFailing', 1, { userId, endpointId: noted.id })
  const because: LossReason | null = answer.status === 410 ? 'gone' : isLost(noted, nowMs) ? 'failing' : null
  if (because === null || noted.disabled !== null) return noted
  await disable(deps, userId, noted, because)
  return { ...noted, disabled: because }
}

/** One write with its mail, so that concurrent failures disable and mail once. */
async function disable(deps: EndpointPorts, userId: string, { id, name }: EndpointRecord, because: LossReason) {
  const outbox = outboxOf(deps, userId, [{ intent: { kind: 'endpoint-disabled', name, because } }])
  if (await deps.webhooks.disable(userId, id, because, outbox)) await outbox.flush()
}
