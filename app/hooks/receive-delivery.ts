import { mainConversation } from '../../domain/chat/names.ts'
import { fullDay } from '../../domain/day-limit.ts'
import { conflict, DomainError, rateLimited, unauthorized } from '../../domain/errors.ts'
import { type HookRecord, hookLimits, maxDeliveryBytes } from '../../domain/hooks/hook.ts'
import { deliveryPrompt } from '../../domain/hooks/prompt.ts'
import { readProof, type Shown } from '../../domain/hooks/proof.ts'
import type { RunOutcome } from '../../domain/instance/schedules.ts'
import { type Counts, readWindow } from '../../domain/rates/rate-limits.ts'
import { hourMs, iso } from '../../domain/time.ts'
import { type ReceivePorts, receivePrompt } from '../chat/receive-message.ts'
import { outcomeOf } from '../instance/schedules.ts'
import type { Users } from '../ports/account.ts'
import type { HookSecrets, Hooks } from '../ports/hooks.ts'
import { isRefusedBy } from '../ports/part.ts'
import type { Rates } from '../ports/rates.ts'

type DeliveryPorts = ReceivePorts & { hooks: Hooks; hookSecrets: HookSecrets; rates: Rates; users: Users }

/** Header names are lower case. */
interface DeliveryRequest {
  id: string
  headers: Readonly<Record<string, string>>
  body: string
}

const unknownHook = () => unauthorized('The hook does not exist, or the secret, the signature or its time is wrong.')

/**
 * Prompts the agent once per delivery. Until the sender is proven, only the form of its headers is read, and an unknown
 * id costs the same as a wrong secret.
 * @param stranger is called before a stranger is refused
 * @param counted receives the rate counts of all hooks of the user
 * @throws unauthorized, too-large, rate-limited; conflict when the agent cannot be asked
 */
export async function receiveDelivery(
  deps: DeliveryPorts,
  request: DeliveryRequest,
  nowMs: number,
  { stranger, counted }: { stranger(): Promise<void>; counted(counts: Counts): void },
): Promise<void> {
  if (new TextEncoder().encode(request.body).length > maxDeliveryBytes)
    throw new DomainError('too-large', `A delivery has at most ${maxDeliveryBytes / 1024} KB. Send less.`)
  const shown = readProof(request.headers, request.body, nowMs)
  const hook = shown && (await provenHook(deps, request.id, shown))
  if (!hook) {
    await stranger()
    throw unknownHook()
  }
  const admission = await deps.rates.admit({ by: 'hooks', userId: hook.userId }, 'hook', nowMs)
  const counts = 'counts' in admission ? admission.counts : {}
  counted(counts)
  if (!admission.admitted) throw rateLimited(readWindow('hook', counts, nowMs).resetSeconds)
  await take(deps, hook, shown.names, request, nowMs)
}

async function provenHook(deps: DeliveryPorts, id: string, { proof }: Shown): Promise<HookRecord | null> {
  const hook = await deps.hooks.find(id)
  // An unknown hook is checked against a secret that no hook has, so that both cost the same.
  const proven = await deps.hookSecrets.verify(hook ?? { id, secretVersion: 0 }, proof)
  return proven ? hook : null
}

async function take(
  deps: DeliveryPorts,
  hook: HookRecord,
  names: readonly string[],
  { headers, body }: DeliveryRequest,
  nowMs: number,
): Promise<void> {
  const { userId } = hook
  const [known, user, instance, money] = await Promise.all([
    deps.hooks.isKnown(hook.id, names, nowMs),
    deps.users.find(userId),
    deps.instances.find(userId),
    deps.wallets.read(userId),
  ])
  if (known) return
  const outcome: RunOutcome = user && !user.eraseAt ? outcomeOf(instance, money) : 'no-instance'
  if (!instance || outcome !== 'sent') {
    await deps.hooks.recordDelivery(hook.id, { at: iso(nowMs), outcome })
    throw conflict('The agent cannot be prompted now; its owner sees the reason. Retry later.')
  }
  const id = deps.ids.next('msg')
  const text = deliveryPrompt(hook, headers, body, id)
  const message = { id, role: 'user', text, conversation: mainConversation, channel: 'web', at: iso(nowMs) } as const
  const limits = hookLimits(instance.plan)
  const bytes = new TextEncoder().encode(text).length
  const delivery = { hook, names, limits, bytes, atMs: nowMs }
  const claim = deps.hooks.claim(delivery)
  const received = receivePrompt(deps, instance, message, 'schedule', null, { also: [claim] })
  if (!(await isRefusedBy(claim, received))) return
  const because = await deps.hooks.refusalOf(delivery)
  if (because === 'gone') throw unknownHook()
  if (because === 'too-many-today') throw fullDay('hooks take', limits, nowMs)
  if (because === 'too-many') {
    const seconds = Math.ceil((hourMs - (nowMs % hourMs)) / 1000)
    throw rateLimited(seconds, `A hook takes ${limits.deliveriesAnHour} deliveries an hour.`)
  }
}
