import * as z from 'zod'
import { subscription } from '../billing/plans.ts'
import { message } from '../chat/message.ts'
import { instance, showInstance } from '../instance/instance.ts'
import type { Page } from '../page.ts'
import type { Ports } from '../ports.ts'
import { iso, timestamp } from '../time.ts'
import { pat, showPat } from '../tokens/pat.ts'
import { transaction } from '../wallet/wallet.ts'
import { auditEntry } from './audit.ts'
import { passkey, showPasskey } from './passkey.ts'
import { account, session, showAccount, showSession, type UserRecord } from './user.ts'

/** Lines of a kind in one export: an answer of the service is 6 MB at most. */
const most = 2_000

/** Everything the service keeps about a user. Secrets are kept as hashes only, so none is in it. */
export const accountExport = z
  .object({
    exportedAt: timestamp,
    account,
    subscription,
    instance: instance.nullable(),
    tokens: z.array(pat),
    sessions: z.array(session),
    passkeys: z.array(passkey),
    transactions: z.array(transaction),
    messages: z.array(message),
    audit: z.array(auditEntry),
    complete: z.boolean().meta({ description: `False when a list has more than the newest ${most} lines.` }),
  })
  .meta({ id: 'AccountExport' })
export type AccountExport = z.infer<typeof accountExport>

type ExportPorts = Pick<Ports, 'tokens' | 'sessions' | 'passkeys' | 'wallets' | 'conversations' | 'instances' | 'audit'>

export async function exportAccount(
  deps: ExportPorts,
  user: UserRecord,
  sessionId: string,
  nowMs: number,
): Promise<AccountExport> {
  const { id: userId } = user
  const [record, tokens, sessions, passkeys, transactions, messages, audit] = await Promise.all([
    deps.instances.find(userId),
    deps.tokens.list(userId),
    deps.sessions.list(userId, nowMs),
    deps.passkeys.list(userId),
    gather((after) => deps.wallets.transactions(userId, { after, limit: 100 })),
    deps.conversations.messages(userId, { after: null, limit: most }),
    gather((after) => deps.audit.list(userId, { after, limit: 100 })),
  ])
  return {
    exportedAt: iso(nowMs),
    account: showAccount(user),
    subscription: user.subscription,
    instance: record && showInstance(record),
    tokens: tokens.map((one) => showPat(one, nowMs)),
    sessions: sessions.map((one) => showSession(one, sessionId)),
    passkeys: passkeys.map(showPasskey),
    transactions: transactions.items,
    messages: messages.items,
    audit: audit.items,
    complete: transactions.complete && audit.complete && messages.items.length < most,
  }
}

/** Page after page, up to what one export holds. */
async function gather<T>(read: (after: string | null) => Promise<Page<T>>): Promise<{ items: T[]; complete: boolean }> {
  const items: T[] = []
  let after: string | null = null
  do {
    const page: Page<T> = await read(after)
    items.push(...page.items)
    after = page.next
  } while (after !== null && items.length < most)
  return { items, complete: after === null }
}
