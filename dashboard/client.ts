/** The API as the pages see it. Types come from the domain's own schemas, and no schema is bundled. */
import type { Account } from '../domain/account/user.ts'
import type { Checkout } from '../domain/billing/checkout.ts'
import type { Invoice } from '../domain/billing/invoice.ts'
import type { Plan, PlanId, Subscription } from '../domain/billing/plans.ts'
import type { Message } from '../domain/chat/message.ts'
import type { Code, Details } from '../domain/errors.ts'
import type { Instance } from '../domain/instance/instance.ts'
import type { LogLine } from '../domain/instance/logs.ts'
import type { Sample } from '../domain/instance/metrics.ts'
import type { schedule } from '../domain/instance/schedules.ts'
import type { Variable, VariableChanges } from '../domain/instance/variables.ts'
import type { Model } from '../domain/models/model.ts'
import type { Scope } from '../domain/scopes.ts'
import type { mintedPat, Pat } from '../domain/tokens/pat.ts'
import type { Transaction, Wallet } from '../domain/wallet/wallet.ts'

export type Status = { instance: Instance | null; wallet: Wallet; subscription: Subscription }
export type MintedPat = (typeof mintedPat)['_output']
type Schedule = (typeof schedule)['_output']
type Cursor = { nextCursor: string | null }

/** A refusal of the API, or `unreachable` when no answer in the API's own shape came. */
export class ApiError extends Error {
  readonly code: Code | 'unreachable'
  readonly details: Details
  readonly retryAfterSeconds: number | undefined

  constructor(code: Code | 'unreachable', message: string, details: Details = {}, retryAfterSeconds?: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const unreachable = () =>
  new ApiError('unreachable', 'Berth cannot be reached right now. Check your connection and try again.')

/** Fires `signed-out` when a call finds that the session is over. */
export const session = new EventTarget()

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** @throws ApiError */
export async function call<T>(method: Method, path: string, body?: object): Promise<T> {
  const response = await fetch(`/api${path}`, {
    method,
    credentials: 'same-origin',
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : undefined,
  }).catch(() => {
    throw unreachable()
  })
  const text = await response.text().catch(() => '')
  if (response.ok) return parse<T>(text)
  const { error, message, details, retryAfterSeconds } = parse<ErrorBody>(text)
  if (!error || !message) throw unreachable()
  if (response.status === 401 && !path.startsWith('/auth/')) session.dispatchEvent(new Event('signed-out'))
  throw new ApiError(error, message, details, retryAfterSeconds)
}

type ErrorBody = { error?: Code; message?: string; details?: Details; retryAfterSeconds?: number }

function parse<T>(text: string): T {
  try {
    // safe because the API checks each answer against the schema that the type comes from
    return (text === '' ? {} : JSON.parse(text)) as T
  } catch {
    throw unreachable()
  }
}

/** The text to show for anything that was thrown. */
export const wordsOf = (thrown: unknown): string =>
  thrown instanceof ApiError ? thrown.message : 'Something went wrong on this page. Reload it and try again.'

const query = (fields: Record<string, string | number | null>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  ).toString()

export const api = {
  login: (email: string) => call<object>('POST', '/auth/login', { email }),
  verify: (email: string, code: string) => call<{ account: Account }>('POST', '/auth/verify', { email, code }),
  logout: () => call<object>('POST', '/auth/logout', {}),
  session: () => call<{ account: Account; signedInAt: string }>('GET', '/auth/session'),

  status: () => call<Status>('GET', '/instance/status'),
  pause: () => call<{ instance: Instance }>('POST', '/instance/pause', {}),
  resume: () => call<{ instance: Instance }>('POST', '/instance/resume', {}),
  refresh: () => call<{ instance: Instance }>('POST', '/instance/refresh', {}),
  setModel: (model: string) => call<{ instance: Instance }>('POST', '/instance/model', { model }),
  deleteInstance: (confirm: string) => call<{ instance: Instance }>('DELETE', `/instance?${query({ confirm })}`),
  variables: () => call<{ variables: Variable[] }>('GET', '/instance/env'),
  setVariables: (variables: VariableChanges) => call<{ variables: Variable[] }>('PUT', '/instance/env', { variables }),
  schedules: () => call<{ schedules: Schedule[] } & Cursor>('GET', '/instance/schedules'),
  addSchedule: (asked: { cron: string; timeZone: string; text: string }) =>
    call<{ schedule: Schedule }>('POST', '/instance/schedules', asked),
  removeSchedule: (id: string) => call<object>('DELETE', `/instance/schedules/${id}`),
  logs: () => call<{ lines: LogLine[] } & Cursor>('GET', '/instance/logs'),
  metrics: () => call<{ samples: Sample[] }>('GET', '/instance/metrics'),
  models: () => call<{ models: Model[] } & Cursor>('GET', '/models'),

  plans: () => call<{ plans: Plan[] } & Cursor>('GET', '/plans'),
  subscribe: (plan: PlanId) => call<Checkout>('POST', '/checkout', { plan }),
  changePlan: (plan: PlanId) => call<{ subscription: Subscription }>('POST', '/billing/plan', { plan }),
  billingPortal: () => call<{ url: string }>('POST', '/billing/portal', {}),
  invoices: (cursor: string | null) =>
    call<{ invoices: Invoice[] } & Cursor>('GET', `/billing/invoices?${query({ cursor, limit: 12 })}`),
  topUp: (amountCents: number) => call<Checkout>('POST', '/wallet/topup', { amountCents }),
  transactions: (cursor: string | null, type: Transaction['type'] | null = null) =>
    call<{ transactions: Transaction[] } & Cursor>('GET', `/wallet/transactions?${query({ cursor, type, limit: 25 })}`),
  transaction: (id: string) => call<Transaction>('GET', `/wallet/transactions/${encodeURIComponent(id)}`),

  /** The newest messages, oldest first. */
  messages: () => call<{ messages: Message[] } & Cursor>('GET', `/chat/messages?${query({ limit: 100 })}`),
  send: (text: string) => call<{ message: Message }>('POST', '/chat/messages', { text }),

  tokens: () => call<{ tokens: Pat[] } & Cursor>('GET', '/tokens'),
  mint: (token: { name: string; scopes: Scope[]; expiresInDays: number }) => call<MintedPat>('POST', '/tokens', token),
  revoke: (id: string) => call<Pat>('DELETE', `/tokens?${query({ id })}`),
  rename: (id: string, name: string) => call<Pat>('PATCH', `/tokens/${id}`, { name }),
  reroll: (id: string, graceHours: number) => call<MintedPat>('POST', `/tokens/${id}/reroll`, { graceHours }),
}
