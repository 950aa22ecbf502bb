import { minuteMs, secondMs } from '../../domain/time.ts'
import { afterRest, afterTry } from '../../domain/webhooks/delivery.ts'
import type { DueDelivery } from '../ports/webhooks.ts'
import { type DevicePorts, deviceTarget } from './device-target.ts'
import { type EndpointPorts, endpointTarget } from './endpoint-target.ts'
import type { Target } from './target.ts'

type SendPorts = EndpointPorts & DevicePorts

/** How long a run holds a claimed delivery, ms: longer than a function runs. */
const takenMs = 2 * minuteMs

/** After this, no delivery is begun, ms; the sweep sends the rest. */
const runMs = 40 * secondMs

/** A next try within this time is waited for, ms. */
const nearMs = 6 * secondMs

/** Concurrent deliveries to one target. */
const atOnce = 4

/** Targets are independent. A crash loses nothing: a claim expires, and the delivery is due again under the same id. */
export async function sendDeliveries(deps: SendPorts, userId: string, due: readonly DueDelivery[]): Promise<void> {
  const waiting = Map.groupBy(due, ({ endpointId }) => endpointId)
  const targets = await targetsOf(deps, userId, [...waiting.keys()])
  const endMs = deps.clock.now() + runMs
  const failed: unknown[] = []
  const work = async (queue: DueDelivery[]) => {
    for (let next = queue.shift(); next && deps.clock.now() < endMs; next = queue.shift()) {
      const again = await sendOne(deps, userId, targets, next).catch((error) => void failed.push(error))
      if (again) queue.push(again)
    }
  }
  await Promise.all([...waiting.values()].flatMap((queue) => Array.from({ length: atOnce }, () => work(queue))))
  if (failed.length > 0)
    throw new AggregateError(failed, `${failed.length} of ${due.length} deliveries were left to the sweep`)
}

/** The user's endpoints and browsers by id; only lists that contain one of these ids are read. */
async function targetsOf(deps: SendPorts, userId: string, ids: readonly string[]): Promise<Map<string, Target>> {
  const [devices, endpoints] = await Promise.all([
    ids.some(isDevice) ? deps.pushDevices.list(userId) : [],
    ids.every(isDevice) ? [] : deps.webhooks.endpoints(userId),
  ])
  return new Map([
    ...devices.map((device) => [device.id, deviceTarget(deps, userId, device)] as const),
    ...endpoints.map((endpoint) => [endpoint.id, endpointTarget(deps, userId, endpoint)] as const),
  ])
}

const isDevice = (id: string): boolean => id.startsWith('psh_')

/** Returns the delivery if its next try is near. */
async function sendOne(
  deps: SendPorts,
  userId: string,
  targets: Map<string, Target>,
  due: DueDelivery,
): Promise<DueDelivery | undefined> {
  const { webhooks, clock } = deps
  if (due.dueMs > clock.now() && due.dueMs - clock.now() <= nearMs) await clock.sleep(due.dueMs - clock.now())
  const nowMs = clock.now()
  const target = targets.get(due.endpointId)
  if (target && target.restsUntilMs > nowMs) {
    await webhooks.postpone(userId, due, afterRest(target, Math.random()))
    return
  }
  const untilMs = nowMs + takenMs
  const delivery = await webhooks.take(userId, due, untilMs)
  if (!delivery) return
  const cancelled = target ? target.cancellation(delivery, nowMs) : 'endpoint-deleted'
  if (!target || cancelled) {
    await webhooks.settle(userId, { ...delivery, state: 'failed', nextTryAt: null, cancelled }, untilMs)
    return
  }
  const answer = await target.post(delivery)
  targets.set(due.endpointId, await (targets.get(due.endpointId) ?? target).noteAnswer(answer))
  const after = afterTry(delivery, answer, clock.now(), Math.random(), target.isFinal(answer))
  await webhooks.settle(userId, after, untilMs)
  const nextMs = after.nextTryAt === null ? Number.POSITIVE_INFINITY : Date.parse(after.nextTryAt)
  return nextMs - clock.now() <= nearMs ? { ...due, dueMs: nextMs } : undefined
}
