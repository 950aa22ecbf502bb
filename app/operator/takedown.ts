import { transition } from '../../domain/instance/life-cycle.ts'
import { recordChange } from '../instance/change.ts'
import type { Events } from '../ports/chat.ts'
import type { Instances } from '../ports/instance.ts'
import type { Denials } from '../ports/models.ts'
import type { Suspensions } from '../ports/operator.ts'
import type { Part } from '../ports/part.ts'
import type { Wallets } from '../ports/wallet.ts'
import { lost, retry } from '../retry.ts'
import { suspendWallet } from '../wallet/freeze.ts'
import { changeStop } from './stops.ts'

type TakedownPorts = {
  denials: Denials
  events: Events
  instances: Instances
  suspensions: Suspensions
  wallets: Wallets
}

/**
 * Stops everything an account does and keeps its data; safe to repeat.
 * @param auditOf makes the audit entry of each write
 * @returns what was done, a line each
 */
export async function takeDown(
  { denials, ...deps }: TakedownPorts,
  { userId, reason, by }: { userId: string; reason: string; by: string | null },
  auditOf: (operation: string) => Part,
  nowMs: number,
): Promise<string[]> {
  const target = { kind: 'user' as const, what: userId }
  const stopped = await retry(async () => {
    const outcome = await changeStop(denials, target, { reason, by }, auditOf('admin.stop'))
    return outcome === 'moved' ? lost : outcome
  })
  if (stopped === lost || stopped === 'full')
    throw new Error('The list of blocks could not be written. Run this again.')
  const frozen = await suspendWallet(deps, userId, reason, nowMs, auditOf('admin.suspend'))
  const machine = await retry(async () => {
    const record = await deps.instances.find(userId)
    if (!record) return 'There is no instance.'
    const { next, changed } = transition(record, 'suspend', 'user', nowMs)
    if (!changed) return `The instance is ${record.state}.`
    // The next sweep, within a minute, stops the machine.
    const stopping = { ...next, deadlineMs: nowMs }
    const saved = await deps.instances.save(stopping, record, auditOf('admin.machine.stop'))
    if (saved) await recordChange(deps, next)
    return saved ? `The machine is stopped within two minutes; the instance was ${record.state}.` : lost
  })
  if (machine === lost) throw new Error('The instance is changing. Run this again.')
  return [
    stopped === 'done' ? 'Model calls end within 15 s, and no machine starts.' : 'The account was already blocked.',
    frozen ? 'The wallet is suspended.' : 'The wallet was already suspended.',
    machine,
    'The volume, messages, audit trail and ledger stay unchanged until the resume, even if the account is scheduled for deletion.',
  ]
}
