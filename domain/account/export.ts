import * as z from 'zod'
import { subscription } from '../billing/plans.ts'
import { personaVersion } from '../catalogue/persona.ts'
import { showSkill, skill } from '../catalogue/skill.ts'
import { message } from '../chat/message.ts'
import { restorePoint, showPoint } from '../files/point.ts'
import { instance, showInstance } from '../instance/instance.ts'
import { schedule, showSchedule } from '../instance/schedules.ts'
import type { Ports } from '../ports.ts'
import { iso, timestamp } from '../time.ts'
import { pat, showPat } from '../tokens/pat.ts'
import { showWallet, transaction, wallet } from '../wallet/wallet.ts'
import { auditEntry } from './audit.ts'
import { gatherPart } from './export-lists.ts'
import { passkey, showPasskey } from './passkey.ts'
import { account, session, showAccount, showSession, type UserRecord } from './user.ts'

/** What is whole in the first part. */
const records = z.object({
  account,
  subscription,
  wallet,
  instance: instance.nullable(),
  variables: z
    .array(z.string())
    .meta({ description: 'Names of the instance’s variables; nobody can read the values.' }),
  schedules: z.array(schedule),
  skills: z.array(skill.pick({ id: true, version: true, enabled: true })),
  restorePoints: z.array(restorePoint),
  tokens: z.array(pat),
  sessions: z.array(session),
  passkeys: z.array(passkey),
})

/** What may go on in further parts: each part has lines of these that no other has. */
const lists = z.object({
  transactions: z.array(transaction),
  messages: z.array(message).meta({ description: 'Oldest first.' }),
  audit: z.array(auditEntry),
  personas: z.array(personaVersion).meta({ description: 'Your own personas in every version that is kept.' }),
})
export type ExportLists = z.infer<typeof lists>

/** Everything the service keeps about a user. Secrets are kept as hashes only, so none is in it. */
export const accountExport = lists
  .extend(records.partial().shape)
  .extend({
    exportedAt: timestamp,
    nextCursor: z.string().nullable().meta({ description: 'Where the next part goes on; null when this is the last.' }),
  })
  .meta({ id: 'AccountExport' })
export type AccountExport = z.infer<typeof accountExport>

export type ExportPorts = Pick<
  Ports,
  | 'audit'
  | 'catalogue'
  | 'conversations'
  | 'instances'
  | 'passkeys'
  | 'restorePoints'
  | 'schedules'
  | 'sessions'
  | 'tokens'
  | 'wallets'
>

/** One part of the export; the first one has everything that does not grow for ever. @param from `nextCursor` before */
export async function exportAccount(
  deps: ExportPorts,
  user: UserRecord,
  { sessionId, from, nowMs }: { sessionId: string; from: string | undefined; nowMs: number },
): Promise<AccountExport> {
  const [all, { lists, next }] = await Promise.all([
    from === undefined ? readRecords(deps, user, sessionId, nowMs) : {},
    gatherPart(deps, user.id, from),
  ])
  return { exportedAt: iso(nowMs), ...all, ...lists, nextCursor: next }
}

async function readRecords(
  deps: ExportPorts,
  user: UserRecord,
  sessionId: string,
  nowMs: number,
): Promise<z.infer<typeof records>> {
  const { id: userId } = user
  const [record, money, auto, choices, skills, schedules, points, tokens, sessions, passkeys] = await Promise.all([
    deps.instances.find(userId),
    deps.wallets.read(userId),
    deps.wallets.autoTopUp(userId),
    deps.catalogue.choices(userId),
    deps.catalogue.skills(),
    deps.schedules.list(userId),
    deps.restorePoints.list(userId),
    deps.tokens.list(userId),
    deps.sessions.list(userId, nowMs),
    deps.passkeys.list(userId),
  ])
  return {
    account: showAccount(user),
    subscription: user.subscription,
    wallet: showWallet(money, nowMs, auto),
    instance: record && showInstance(record),
    variables: choices.variables,
    schedules: schedules.map((one) => showSchedule(one, nowMs)),
    skills: skills.map((one) => showSkill(one, choices)).map(({ id, version, enabled }) => ({ id, version, enabled })),
    restorePoints: points.map(showPoint),
    tokens: tokens.map((one) => showPat(one, nowMs)),
    sessions: sessions.map((one) => showSession(one, sessionId)),
    passkeys: passkeys.map(showPasskey),
  }
}
