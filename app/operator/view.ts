import type { OperatorActor } from '../../domain/actor.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { isStanding, newView, type ViewRecord } from '../../domain/operator/view.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Ids } from '../ports/basics.ts'
import type { Views } from '../ports/operator.ts'
import { checkNotOwn } from './money.ts'
import { mustExist } from './overview.ts'

type ViewPorts = { views: Views }

/** @throws forbidden for the operator's own account; not-found; conflict while the operator has another view */
export async function beginView(
  deps: ViewPorts & { users: Users; ids: Ids },
  { userId, sessionId }: OperatorActor,
  request: Pick<ViewRecord, 'user' | 'reason' | 'messages'>,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<ViewRecord> {
  checkNotOwn({ userId }, request.user)
  await mustExist(deps, request.user)
  const begun = newView({ ...request, id: deps.ids.next('viw'), operator: userId, session: sessionId }, nowMs)
  if (!(await deps.views.begin(begun, nowMs, outboxFor(begun.id))))
    throw conflict('You already have an open view. End it first.')
  return begun
}

/** The operator's current view, whichever session began it; null without one. */
export async function standingView(
  { views }: ViewPorts,
  { userId }: Pick<OperatorActor, 'userId'>,
  nowMs: number,
): Promise<ViewRecord | null> {
  const found = await views.of(userId)
  return found && isStanding(found, nowMs) ? found : null
}

/** Ends the operator's view of this user, from any of the operator's sessions. @throws not-found when it is over */
export async function endView(
  deps: ViewPorts,
  actor: OperatorActor,
  user: string,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<void> {
  const found = await standingView(deps, actor, nowMs)
  if (found?.user !== user || !(await deps.views.end(found, outboxFor(found.id)))) throw notFound('view')
}
