import type { MachineActor } from '../actor.ts'
import type { TurnTrigger } from '../chat/message.ts'
import type { MachineClaims } from '../tokens/machine-token.ts'

/** Work that nobody asked for is trusted least. */
const trust: Record<TurnTrigger, number> = { chat: 3, tool: 2, schedule: 1, heartbeat: 0 }

/** Names of sub-agents. */
export const childPattern = /^[\w.-]{1,64}$/

export interface Turn {
  trigger: TurnTrigger
  /** Null without a prompt, or without its proof. */
  promptId: string | null
  /** The prompt's conversation. */
  conversation: string | null
  /** The sub-agent's name, by its runtime. */
  child: string | null
}

/**
 * Trusts the turn's own token, if it is this machine's; without one the lowest trigger. A header may only lower it, and
 * name the sub-agent of a turn.
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
