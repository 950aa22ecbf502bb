import { forbidden, unauthorized } from '../../domain/errors.ts'
import { liveGeneration } from '../../domain/instance/instance.ts'
import { type Connection, type ConnectionActor, displacedBy, mayListen } from '../../domain/socket/connection.ts'
import { statusOf } from '../../domain/tokens/pat.ts'
import type { Sessions } from '../ports/account.ts'
import type { Instances } from '../ports/instance.ts'
import type { Tokens } from '../ports/tokens.ts'
import { endConnection, type PushPorts } from './push.ts'

type ConnectPorts = PushPorts & { sessions: Sessions; tokens: Tokens; instances: Instances }

/** Stores an authenticated caller's connection, and ends those that it displaces. @throws forbidden, unauthorized */
export async function openConnection(deps: ConnectPorts, id: string, actor: ConnectionActor): Promise<void> {
  if (!mayListen(actor)) throw forbidden('This token has no scope for any of these events.')
  const made: Connection = { id, actor, openedMs: deps.clock.now() }
  const open = await deps.connections.open(made)
  // A credential that ended between the check and the write did not find this connection.
  if (!(await isAlive(deps, actor))) {
    await deps.connections.close(made)
    throw unauthorized()
  }
  await Promise.all(displacedBy(made, open).map((other) => endConnection(deps, other)))
}

async function isAlive(deps: ConnectPorts, actor: ConnectionActor): Promise<boolean> {
  const nowMs = deps.clock.now()
  if (actor.kind === 'session') return deps.sessions.isOpen(actor.sessionId, nowMs)
  if (actor.kind === 'machine') {
    const instance = await deps.instances.find(actor.userId)
    return instance !== null && liveGeneration(instance) === actor.generation
  }
  const token = await deps.tokens.find(actor.tokenId)
  // A token that was rerolled meanwhile may end sooner than it did at the check.
  return token !== null && token.expiresAt === actor.expiresAt && statusOf(token, nowMs) === 'active'
}
