/** Every operation of the API that the pages call. Types come from the domain's own schemas; no schema is bundled. */
import type { AuditEntry } from '../../domain/account/audit.ts'
import type { AccountExport } from '../../domain/account/export.ts'
import type { Passkey } from '../../domain/account/passkey.ts'
import type { Account, Session } from '../../domain/account/user.ts'
import type { Checkout } from '../../domain/billing/checkout.ts'
import type { Invoice } from '../../domain/billing/invoice.ts'
import type { Plan, PlanId } from '../../domain/billing/plans.ts'
import type { Subscription } from '../../domain/billing/subscription.ts'
import type { Persona, PersonaFile } from '../../domain/catalogue/persona.ts'
import type { personaVersions, versionDetail } from '../../domain/catalogue/persona-versions.ts'
import type { Skill, skillDetail } from '../../domain/catalogue/skill.ts'
import type { Message, ReceivedMessage } from '../../domain/chat/message.ts'
import type { EntryPage } from '../../domain/files/entry.ts'
import type { RestorePoint } from '../../domain/files/restore-point.ts'
import type { FilesTask } from '../../domain/files/task-view.ts'
import type { Instance } from '../../domain/instance/instance.ts'
import type { LogLine } from '../../domain/instance/logs.ts'
import type { Sample } from '../../domain/instance/metrics.ts'
import type { schedule } from '../../domain/instance/schedules.ts'
import type { Variable, VariableChanges } from '../../domain/instance/variables.ts'
import type { Model } from '../../domain/models/model.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { mintedPat, Pat } from '../../domain/tokens/pat.ts'
import type { AutoTopup } from '../../domain/wallet/auto-topup.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import type { LimitSettings, Limits } from '../../domain/wallet/limits.ts'
import type { UsageRow } from '../../domain/wallet/usage.ts'
import type { Wallet } from '../../domain/wallet/wallet.ts'
import { ApiError, call, query } from './client.ts'

export type Status = { instance: Instance | null; wallet: Wallet; subscription: Subscription }
export type MintedPat = (typeof mintedPat)['_output']
export type SkillDetail = (typeof skillDetail)['_output']
export type PersonaDraft = { name: string; description: string; files: PersonaFile[] }
export type PersonaVersions = (typeof personaVersions)['_output']['versions']
export type PersonaVersion = (typeof versionDetail)['_output']
export type Folder = EntryPage & { asOf?: string | null }
export type UsageBy = 'day' | 'model' | 'trigger'
type Schedule = (typeof schedule)['_output']
type Cursor = { nextCursor: string | null }

const personaPath = (id: string) => `/personas/${encodeURIComponent(id)}`

export const api = {
  login: (email: string) => call<object>('POST', '/auth/login', { email }),
  verify: (email: string, code: string) => call<{ account: Account }>('POST', '/auth/verify', { email, code }),
  verifyLink: (email: string, token: string) => call<{ account: Account }>('POST', '/auth/verify', { email, token }),
  logout: () => call<object>('POST', '/auth/logout', {}),
  session: () => call<{ account: Account; signedInAt: string }>('GET', '/auth/session'),
  sessions: () => call<{ sessions: Session[] }>('GET', '/auth/sessions'),
  endSession: (id: string) => call<object>('DELETE', `/auth/sessions/${id}`),
  passkeys: () => call<{ passkeys: Passkey[] }>('GET', '/auth/passkeys'),
  removePasskey: (id: string) => call<{ passkey: Passkey }>('DELETE', `/auth/passkeys/${id}`),

  changeEmail: (change: { email: string; currentCode?: string; newCode?: string }) =>
    call<{ account: Account; confirm: string | null }>('PATCH', '/account', change),
  exportAccount,
  deleteAccount: () => call<{ eraseAt: string }>('DELETE', '/account'),
  auditTrail: (cursor: string | null) =>
    call<{ entries: AuditEntry[] } & Cursor>('GET', `/account/audit?${query({ limit: 15, cursor })}`),

  status: () => call<Status>('GET', '/instance/status'),
  pause: () => call<{ instance: Instance }>('POST', '/instance/pause', {}),
  resume: () => call<{ instance: Instance }>('POST', '/instance/resume', {}),
  refresh: () => call<{ instance: Instance }>('POST', '/instance/refresh', {}),
  setModel: (model: string) => call<{ instance: Instance }>('POST', '/instance/model', { model }),
  deleteInstance: (confirm: string) => call<{ instance: Instance }>('DELETE', `/instance?${query({ confirm })}`),
  variables: () => call<{ variables: Variable[] }>('GET', '/instance/env'),
  setVariables: (variables: VariableChanges) => call<{ variables: Variable[] }>('PUT', '/instance/env', { variables }),
  schedules: () => call<{ schedules: Schedule[] }>('GET', '/instance/schedules'),
  addSchedule: (asked: { cron: string; timeZone: string; text: string }) =>
    call<{ schedule: Schedule }>('POST', '/instance/schedules', asked),
  removeSchedule: (id: string) => call<object>('DELETE', `/instance/schedules/${id}`),
  logs: () => call<{ lines: LogLine[] } & Cursor>('GET', '/instance/logs'),
  metrics: () => call<{ samples: Sample[] }>('GET', '/instance/metrics'),
  models: () => call<{ models: Model[] }>('GET', '/models'),

  plans: () => call<{ plans: Plan[] }>('GET', '/plans'),
  subscribe: (plan: PlanId) => call<Checkout>('POST', '/checkout', { plan }),
  changePlan: (plan: PlanId) => call<{ subscription: Subscription }>('POST', '/billing/plan', { plan }),
  billingPortal: () => call<{ url: string }>('POST', '/billing/portal', {}),
  invoices: (cursor: string | null) =>
    call<{ invoices: Invoice[] } & Cursor>('GET', `/billing/invoices?${query({ cursor, limit: 12 })}`),
  topUp: (amountCents: number) => call<Checkout>('POST', '/wallet/topup', { amountCents }),
  wallet: () => call<Wallet>('GET', '/wallet'),
  setLimits: (settings: LimitSettings) => call<{ limits: Limits }>('PUT', '/wallet/limits', settings),
  setAutoTopup: (settings: AutoTopup) => call<{ autoTopup: AutoTopup }>('PUT', '/wallet/auto-topup', settings),
  usage: (by: UsageBy) => call<{ usage: UsageRow[] }>('GET', `/wallet/usage?by=${by}`),
  transactions: (cursor: string | null, type: Transaction['type'] | null = null) =>
    call<{ transactions: Transaction[] } & Cursor>('GET', `/wallet/transactions?${query({ cursor, type, limit: 25 })}`),

  /** The newest messages, oldest first. */
  messages: () => call<{ messages: Message[]; more: boolean }>('GET', `/chat/messages?${query({ limit: 100 })}`),
  sendMessage: (text: string) => call<ReceivedMessage>('POST', '/chat/messages', { text }),

  tokens: () => call<{ tokens: Pat[] }>('GET', '/tokens'),
  mintToken: (token: { name: string; scopes: Scope[]; expiresInDays: number }) =>
    call<MintedPat>('POST', '/tokens', token),
  revokeToken: (id: string) => call<Pat>('DELETE', `/tokens?${query({ id })}`),
  renameToken: (id: string, name: string) => call<Pat>('PATCH', `/tokens/${id}`, { name }),
  rerollToken: (id: string, graceHours: number) => call<MintedPat>('POST', `/tokens/${id}/reroll`, { graceHours }),

  skills: (q: string) => call<{ skills: Skill[] }>('GET', `/skills?${query({ limit: 100, q })}`),
  skill: (id: string) => call<{ skill: SkillDetail }>('GET', `/skills/${id}`).then(({ skill }) => skill),
  chooseSkill: (id: string, enabled: boolean) =>
    call<{ skill: Skill }>('POST', `/skills/${id}/${enabled ? 'enable' : 'disable'}`, {}),
  personas: () => call<{ personas: Persona[] }>('GET', '/personas'),
  persona: (id: string) => call<{ persona: Persona; texts: PersonaFile[] }>('GET', personaPath(id)),
  activatePersona: (id: string) => call<{ personas: Persona[] }>('POST', `${personaPath(id)}/activate`, {}),
  deactivatePersona: (id: string) => call<{ personas: Persona[] }>('POST', `${personaPath(id)}/deactivate`, {}),
  savePersona: (id: string, draft: PersonaDraft) => call<{ persona: Persona }>('PUT', personaPath(id), draft),
  deletePersona: (id: string) => call<{ personas: Persona[] }>('DELETE', personaPath(id)),
  personaVersions: (id: string) => call<{ versions: PersonaVersions }>('GET', `${personaPath(id)}/versions`),
  personaVersion: (id: string, version: number) =>
    call<PersonaVersion>('GET', `${personaPath(id)}/versions/${version}`),
  restorePersona: (id: string, version: number) =>
    call<{ persona: Persona }>('POST', `${personaPath(id)}/versions/${version}/restore`, {}),

  files: (path: string, point: string | null, after: string | null) =>
    retryConflicts(() =>
      call<Folder>(
        'GET',
        `${point ? `/instance/restore-points/${point}/files` : '/instance/files'}?${query({ path, after })}`,
      ),
    ),
  restorePoints: () => call<{ restorePoints: RestorePoint[] }>('GET', '/instance/restore-points'),
  makeRestorePoint: () => call<{ restorePoint: RestorePoint }>('POST', '/instance/restore-points', {}),
  restoreFiles: (id: string) => call<{ task: FilesTask }>('POST', `/instance/restore-points/${id}/restore`, {}),
  exportFiles: () => call<{ task: FilesTask }>('POST', '/instance/export', {}),
}

/** Downloaded by the browser itself, so that they land where downloads do. */
export const statementPath = '/api/wallet/statement'
export const filePath = (path: string, point: string | null): string =>
  `/api/instance/files/${path.split('/').map(encodeURIComponent).join('/')}${point ? `?${query({ point })}` : ''}`

/** Everything in one document: the first part with the lines of those that follow. */
async function exportAccount(): Promise<AccountExport> {
  const read = (cursor: string | null) => call<AccountExport>('GET', `/account/export?${query({ cursor })}`)
  const whole = await read(null)
  while (whole.nextCursor) {
    const part = await read(whole.nextCursor)
    for (const name of ['transactions', 'messages', 'audit', 'personas'] as const)
      (whole[name] as object[]).push(...part[name]) // safe because a list of one name has lines of one kind
    whole.nextCursor = part.nextCursor
  }
  return whole
}

/** A volume worker takes up to a minute to start in the cloud, longer than one request may wait. */
const maxTries = 5

async function retryConflicts<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await request()
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'conflict' || tries === maxTries) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
  }
}

/** Reads a task until it has ended, well or not. */
export async function untilTaskEnds(id: string): Promise<FilesTask> {
  for (;;) {
    const { task } = await call<{ task: FilesTask }>('GET', `/instance/tasks/${id}`)
    if (task.state !== 'open') return task
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
