import { takeBody } from '../../app/models/call-bodies.ts'
import type { Conversations } from '../../app/ports/chat.ts'
import type { MachineTokens } from '../../app/ports/tokens.ts'
import type { MachineActor } from '../../domain/actor.ts'
import { type TurnTrigger, turnTrigger } from '../../domain/chat/message.ts'
import { invalid } from '../../domain/errors.ts'
import { largePath } from '../../domain/models/api-formats.ts'
import { childPattern, type Turn, turnOf } from '../../domain/models/trigger.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import type { PortsOf, RequestFacts } from '../kit/operation.ts'

/** A machine may spend while its generation is the current one. */
export const machineSpender = ({ userId, generation }: Pick<MachineActor, 'userId' | 'generation'>) => ({
  userId,
  spender: { generation },
  isAlive: (wallet: WalletState) => wallet.generation === generation,
})

/** A turn ends when its prompt is closed or stopped; then its proof is void. */
export async function readTurn(
  { machineTokens, conversations }: { machineTokens: MachineTokens; conversations: Conversations },
  actor: MachineActor,
  headers: Readonly<Record<string, string>>,
  now: number,
): Promise<Turn> {
  const token = headers['x-berth-turn']
  const claims = token === undefined ? null : await machineTokens.verify(token, 'turn', now)
  const open = claims?.userId === actor.userId && (await conversations.openPrompt(actor.userId, claims.promptId ?? ''))
  return turnOf(actor, open && !open.stoppedAt ? claims : null, {
    lowered: readTrigger(headers['x-berth-trigger']),
    child: readChild(headers['x-berth-child']),
    conversation: open ? open.conversation : null,
  })
}

function readChild(header: string | undefined): string | null {
  if (header === undefined) return null
  if (!childPattern.test(header)) throw invalid('x-berth-child', 'Use 1–64 letters, digits and . _ -')
  return header
}

function readTrigger(header: string | undefined): TurnTrigger | null {
  if (header === undefined) return null
  const read = turnTrigger.safeParse(header)
  if (!read.success) throw invalid('x-berth-trigger', `Use one of ${turnTrigger.options.join(', ')}.`)
  return read.data
}

export const turnUses = { machineTokens: 'read', conversations: 'read' } as const

export const bodyUses = {
  callBodies: 'write',
  leases: 'write',
  wallets: 'write',
  events: 'write',
  ...turnUses,
} as const

const bodyHeader = 'x-berth-body'

/** The function has too little memory for an uploaded body. @throws validation */
export function refuseUploadedBody({ headers }: Pick<RequestFacts, 'headers'>): void {
  if (headers[bodyHeader] !== undefined) throw invalid(bodyHeader, `Make this call below ${largePath}.`)
}

/**
 * Fetches the body that the machine uploaded, only for an admitted and counted machine.
 * @throws validation, not-found, and the reason why nothing can be paid
 */
export async function withBody(
  deps: PortsOf<typeof bodyUses>,
  {
    actor,
    request,
    now,
    admit,
  }: { actor: MachineActor; request: RequestFacts; now: number; admit: () => Promise<void> },
): Promise<RequestFacts> {
  const id = request.headers[bodyHeader]
  if (id === undefined) throw invalid(bodyHeader, 'Name the body that you uploaded.')
  if (request.rawBody !== '') throw invalid(bodyHeader, 'Send no other body with the call.')
  await admit()
  const { trigger } = await readTurn(deps, actor, request.headers, now)
  return { ...request, rawBody: await takeBody(deps, { ...actor, trigger }, id, now) }
}
