import type { LinkRecord } from '../../domain/channels/link.ts'
import { type Commit, commit } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'

/** Writes a change with its line in the audit trail: it was done by whom a chat is linked to. */
export const commitAs =
  (
    deps: Pick<Ports, 'outbox' | 'audit'> & Pick<Basics, 'clock' | 'ids'>,
    { userId, id }: LinkRecord,
    operation: string,
  ): Commit =>
  async (record, act, followUps = []) => {
    const line = { userId, operation, record, actor: { kind: 'channel', id } } as const
    return (await commit(deps, userId, { lines: [line], followUps }, act)).result
  }
