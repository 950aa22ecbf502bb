import { iso, minuteMs, secondMs } from '../../domain/time.ts'
import {
  type Answer,
  afterRest,
  afterTry,
  cancellation,
  type DeliveryRecord,
  isSuccess,
} from '../../domain/webhooks/delivery.ts'
import { type EndpointRecord, isLost, type LossReason, restMs } from '../../domain/webhooks/endpoint.ts'
import { commit } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import type { DueDelivery } from './ports.ts'

export type SendPorts = Pick<Ports, 'webhooks' | 'webhookSender' | 'hookSecrets' | 'outbox'> &
  Pick<Basics, 'clock' | 'ids'>

/** Whoever takes a delivery has this long, ms, and then another may: longer than a function runs. */
const takenMs = 2 * minuteMs

/** After this nothing more is begun, ms: what is left is due still, and the sweep's. */
const runMs = 40 * secondMs

/** A next try that is so near is waited for, ms. */
const nearMs = 6 * secondMs

/** Deliveries of one endpoint under way at once. */
const atOnce = 4

/**
 * Sends a user's deliveries that are due, each endpoint's apart from the others'. Nothing is lost when it dies at any
 * point: what was taken is due again when its time is over, under the same id.
 */
export async function sendDeliveries(deps: SendPorts, userId: string, due: readonly DueDelivery[]): Promise<void> {
  const endpoints = new Map((await deps.webhooks.endpoints(userId)).map((endpoint) => [endpoint.id, endpoint]))
  const endMs = deps.clock.now() + runMs
  const waiting = Map.groupBy(due, ({ endpointId }) => endpointId)
  const failed: unknown[] = []
  const work = async (queue: DueDelivery[]) => {
    for (let next = queue.shift(); next && deps.clock.now() < endMs; next = queue.shift()) {
      const again = await sendOne(deps, userId, endpoints, next).catch((error) => void failed.push(error))
      if (again) queue.push(again)
    }
  }
  await Promise.all([...waiting.values()].flatMap((queue) => Array.from({ length: atOnce }, () => work(queue))))
  if (failed.length > 0)
    throw new AggregateError(failed, `${failed.length} of ${due.length} deliveries were left to the sweep`)
}

/** One delivery's turn; answers it again when it is to be tried once more in a moment. */
async function sendOne(
  deps: SendPorts,
  userId: string,
  endpoints: Map<string, EndpointRecord>,
  due: DueDelivery,
): Promise<DueDelivery | undefined> {
  const { webhooks, clock } = deps
  if (due.dueMs > clock.now() && due.dueMs - clock.now() <= nearMs) await clock.sleep(due.dueMs - clock.now())
  const nowMs = clock.now()
  const endpoint = endpoints.get(due.endpointId)
  if (endpoint && endpoint.restsUntilMs > nowMs) {
    await webhooks.postpone(userId, due, afterRest(endpoint, Math.random()))
    return
  }
  const untilMs = nowMs + takenMs
  const delivery = await webhooks.take(userId, due, untilMs)
  if (!delivery) return
  const cancelled = cancellation(endpoint, delivery, nowMs)
  if (!endpoint || cancelled) {
    await webhooks.settle(userId, { ...delivery, state: 'failed', nextTryAt: null, cancelled }, untilMs)
    return
  }
  const answer = await post(deps, endpoint, delivery)
  endpoints.set(endpoint.id, await noteAnswer(deps, userId, endpoints.get(endpoint.id) ?? endpoint, answer))
  const after = afterTry(delivery, answer, clock.now(), Math.random())
  await webhooks.settle(userId, after, untilMs)
  const nextMs = after.nextTryAt === null ? Number.POSITIVE_INFINITY : Date.parse(after.nextTryAt)
  return nextMs - clock.now() <= nearMs ? { ...due, dueMs: nextMs } : undefined
}

/** Signed with the secret, and for a day after a change with the one before as well. */
async function post(
  { webhookSender, hookSecrets, clock }: SendPorts,
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

/** The endpoint as its answer leaves it: at peace, resting for a while, or given up. */
async function noteAnswer(
  deps: SendPorts,
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
  const because: LossReason | null = answer.status === 410 ? 'gone' : isLost(noted, nowMs) ? 'failing' : null
  if (because === null || noted.disabled !== null) return noted
  await disable(deps, userId, noted, because)
  return { ...noted, disabled: because }
}

/** In one write, with the mail that says so: once for all who see it fail at the same time. */
const disable = (deps: SendPorts, userId: string, { id, name }: EndpointRecord, because: LossReason) =>
  commit(deps, userId, { followUps: [{ intent: { kind: 'endpoint-disabled', name, because } }] }, () =>
    deps.webhooks.disable(userId, id, because),
  )
