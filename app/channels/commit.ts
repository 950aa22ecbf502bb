import type { LinkRecord } from '../../domain/channels/link.ts'
import { type Commit, type CommitPorts, commit } from '../outbox/commit.ts'
import type { Audit } from '../ports/account.ts'

/** The actor is the person whom the chat is linked to. */
export const commitAs =
  (deps: CommitPorts & { audit: Audit }, { userId, id }: LinkRecord, operation: string): Commit =>
  async (record, act, followUps = []) => {
    const line = { userId, operation, record, actor: { kind: 'channel', id } } as const
    return (await commit(deps, userId, { lines: [line], followUps }, act)).result
  }
