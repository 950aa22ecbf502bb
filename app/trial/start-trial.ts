import type { UserRecord } from '../../domain/account/user.ts'
import { isOnTrial, newTrial, refusalToTry, type Trial, trialRefusals } from '../../domain/trial/trial.ts'
import { giveInstance } from '../billing/provision.ts'
import type { ChangePorts } from '../instance/change.ts'
import type { FollowUp, OutboxFor } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { TrialBudget, Trials } from '../ports/trial.ts'

type InstancePorts = ChangePorts & { users: Users } & Basics
type StartPorts = InstancePorts & { trials: Trials; trialBudget: TrialBudget }

/**
 * Starts an account's only trial; returns a running one.
 * @param network counts towards its daily limit
 * @throws conflict with the obstacle and the next step
 */
export async function startTrial(
  deps: StartPorts,
  user: UserRecord,
  network: string,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<Trial> {
  if (user.trial && isOnTrial(user, nowMs)) return user.trial
  const terms = deps.trialBudget.terms()
  const unfit = refusalToTry(user, terms)
  if (unfit || !terms) throw unfit
  const trial = newTrial(terms, nowMs)
  const outbox = outboxFor(user.id, [giveTrialInstance(deps, user.id)])
  try {
    const refusal = await deps.trials.start({ user, trial, terms, network }, outbox)
    if (refusal !== null) throw trialRefusals[refusal]()
  } catch (refused) {
    // A concurrent request of the same account may have started it.
    const now = await deps.users.find(user.id)
    if (now?.trial && isOnTrial(now, nowMs)) return now.trial
    throw refused
  }
  await outbox.flush()
  return trial
}

/** Starts a trial's machine, unless the trial is over or a plan was bought; safe to repeat. */
export async function startTrialInstance(deps: InstancePorts, userId: string): Promise<void> {
  const user = await deps.users.find(userId)
  const nowMs = deps.clock.now()
  if (user && !user.eraseAt && isOnTrial(user, nowMs)) await giveInstance(deps, userId, 'trial', nowMs)
}

const giveTrialInstance = (deps: InstancePorts, userId: string): FollowUp => ({
  intent: { kind: 'trial' },
  run: () => startTrialInstance(deps, userId),
})
