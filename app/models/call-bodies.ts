import type { MachineActor } from '../../domain/actor.ts'
import type { Trigger } from '../../domain/chat/message.ts'
import { DomainError, notFound, rateLimited } from '../../domain/errors.ts'
import { bodySlots, maxBodyValues, maxCallBytes } from '../../domain/models/call-limits.ts'
import { decideHold } from '../../domain/wallet/holds.ts'
import type { CallBodies } from '../ports/files.ts'
import type { Leases } from '../ports/rates.ts'
import { type TellingPorts, tellingOfLimits } from './telling-of-limits.ts'

type BodyPorts = { callBodies: CallBodies; leases: Leases } & TellingPorts

type Caller = Pick<MachineActor, 'userId' | 'instanceId' | 'generation'> & { trigger: Trigger }

const subject = ({ instanceId }: Caller): string => `bodies#${instanceId}`

/** The form of slot names; no other id was ever given out. */
const slotId = /^\d{13}-[\w-]{10,40}$/

/**
 * The address uses one of the instance's few slots until it expires.
 * @throws too-large, rate-limited, and the reason why nothing can be paid
 */
export async function signBody(
  deps: BodyPorts,
  caller: Caller,
  body: { size: number; sha256: string },
  nowMs: number,
): Promise<{ id: string; url: string }> {
  if (body.size > maxCallBytes)
    throw new DomainError('too-large', `A call has at most ${maxCallBytes / 2 ** 20} MB. Send less.`)
  await requireMoney(deps, caller, nowMs)
  const slot = await deps.leases.acquire(subject(caller), bodySlots, nowMs)
  if (!slot.acquired) throw rateLimited(slot.retryAfterSeconds, 'Too many bodies wait for their calls.')
  return { id: slot.id, url: await deps.callBodies.putAddress(caller.instanceId, slot.id, body) }
}

/**
 * Deletes the body, so a second call finds none.
 * @throws not-found, too-large, and the reason why nothing can be paid
 */
export async function takeBody(deps: BodyPorts, caller: Caller, id: string, nowMs: number): Promise<string> {
  const { callBodies, leases } = deps
  const { instanceId } = caller
  if (!slotId.test(id) || !(await leases.release(subject(caller), id))) throw notFound('body')
  // The address is valid for a while yet, so the slot is taken again, under a name that nobody knows.
  await leases.acquire(subject(caller), bodySlots, nowMs)
  try {
    await requireMoney(deps, caller, nowMs)
    const body = await callBodies.read(instanceId, id)
    if (body === null) throw notFound('body')
    if (mayHaveMore(body, maxBodyValues)) throw tooManyValues()
    return body
  } finally {
    // If this deletion fails, the bucket deletes the body after a day.
    await callBodies.remove(instanceId, id).catch(() => {})
  }
}

const tooManyValues = () => new DomainError('too-large', 'The body has too many values. Send less.')

/** Whether a JSON text may have more values: each begins a list or an object, or follows a comma. */
function mayHaveMore(text: string, most: number): boolean {
  let values = 0
  for (let i = 0; i < text.length && values <= most; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x2c || code === 0x5b || code === 0x7b) values++
  }
  return values > most
}

/** Nothing is stored or fetched for a caller who cannot pay the smallest call. */
async function requireMoney(deps: BodyPorts, { userId, generation, trigger }: Caller, nowMs: number): Promise<void> {
  const state = await deps.wallets.read(userId)
  try {
    decideHold(state, { boundMicros: 1, minimumMicros: 1, generation, trigger }, nowMs)
  } catch (refusal) {
    await tellingOfLimits(deps, userId, nowMs)(refusal)
  }
}
