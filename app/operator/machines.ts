import { conflict } from '../../domain/errors.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { type ChangePorts, changeInstance, resumeInstance } from '../instance/change.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Ids, Settings } from '../ports/basics.ts'
import type { Wallets } from '../ports/wallet.ts'

export const machineActions = ['retry', 'stop', 'refresh'] as const
type MachineAction = (typeof machineActions)[number]

/**
 * `retry` starts a failed machine like its owner's resume, given a subscription and money. `stop` stops any machine; a
 * message wakes it again unless the wallet is suspended. `refresh` restarts it.
 * @throws not-found, conflict, wallet-empty, wallet-suspended
 */
export async function changeMachine(
  deps: ChangePorts & { users: Users; wallets: Wallets; ids: Ids; settings: Settings },
  userId: string,
  action: MachineAction,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<InstanceRecord> {
  if (action !== 'retry') {
    const [verb, reason] = action === 'stop' ? (['suspend', 'user'] as const) : (['refresh', 'refresh'] as const)
    return (await changeInstance(deps, userId, verb, reason, nowMs, outboxFor)).instance
  }
  const found = await deps.instances.find(userId)
  if (found && found.state !== 'failed')
    throw conflict(`The machine has not failed: it is ${found.state}. Changes in progress are checked every minute.`)
  return resumeInstance(deps, userId, nowMs, outboxFor)
}
