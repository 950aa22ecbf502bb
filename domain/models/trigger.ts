import type { MachineActor } from '../actor.ts'
import type { TurnTrigger } from '../chat/message.ts'
import type { MachineClaims } from '../tokens/machine-token.ts'

/** How much a trigger is trusted: what nobody asked for is trusted least. */
const trust: Record<TurnTrigger, number> = { chat: 3, tool: 2, schedule: 1, heartbeat: 0 }

/** How a runtime may name a sub-agent. */
export const childPattern = /^[\w.-]{1,64}$/

/** The context of a call. */
export interface Turn {
  trigger: TurnTrigger
  /** The prompt it works for; null when it works for none, or does not prove it. */
  promptId: string | null
  /** The conversation of that prompt. */
  conversation: string | null
  /** The sub-agent that makes it, by the name its runtime gave it. */
  child: string | null
}

/**
 * The trigger of a call's turn: from the turn's own token, if it is this machine's, and the lowest without one. A
 * header may only lower it, and name the sub-agent of a turn.
 */
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
