import type { MachineActor } from '../actor.ts'
import type { TurnTrigger } from '../chat/message.ts'
import type { MachineClaims } from '../tokens/machine-token.ts'

/** Work that nobody asked for is trusted least. */
const trust: Record<TurnTrigger, number> = { chat: 3, tool: 2, schedule: 1, heartbeat: 0 }

export const childPattern = /^[\w.-]{1,64}$/

export interface Turn {
  trigger: TurnTrigger
  /** Null without a prompt, or without its proof. */
  promptId: string | null
  conversation: string | null
  child: string | null
}

/** Trusts only this machine's own turn token; a header may lower the trigger, and name a turn's sub-agent. */
export function turnOf(
  actor: MachineActor,
  claims: MachineClaims | null,
  { lowered, child, conversation }: { lowered: TurnTrigger | null; child: string | null; conversation: string | null },
): Turn {
  const own = claims?.userId === actor.userId && claims.generation === actor.generation ? claims : null
  const proven = own?.trigger ?? 'heartbeat'
  const trigger = lowered !== null && trust[lowered] < trust[proven] ? lowered : proven
  const promptId = own?.promptId ?? null
  return { trigger, promptId, conversation: promptId && conversation, child: promptId && child }
}
