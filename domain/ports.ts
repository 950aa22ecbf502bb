import type * as z from 'zod'
import type { SessionRecord, UserRecord } from './account/user.ts'
import type { Audience } from './actor.ts'
import type { CheckoutRecord, PaymentEvent } from './billing/checkout.ts'
import type { PlanId, Subscription } from './billing/plans.ts'
import type { CataloguePersona } from './catalogue/persona.ts'
import type { CatalogueSkill } from './catalogue/skill.ts'
import type { Event, EventType } from './chat/event.ts'
import type { Message, Outcome, Prompt } from './chat/message.ts'
import type { Prefix } from './ids.ts'
import type { InstanceRecord } from './instance/instance.ts'
import type { Format, PricedModel } from './models/model.ts'
import type { MachineClaims } from './tokens/machine-token.ts'
import type { PatRecord } from './tokens/pat.ts'
import type { Counts, LimitClass } from './tokens/window.ts'
import type { HoldAsk } from './wallet/moves.ts'
import type { Transaction, UsageReceipt, WalletState } from './wallet/wallet.ts'

/** One page of a list; `next` is the id to go on after, null at the end. */
export interface Page<T> {
  items: T[]
  next: string | null
}

/**
 * The answer of the one store call that authenticates and counts: the record with its counts after the
 * admission, or why it was refused. `unknown` covers missing, revoked, expired and dead generations alike.
 */
export type Admission<T> =
  | { admitted: true; record: T; counts: Counts }
  | { admitted: false; because: 'unknown' }
  | { admitted: false; because: 'limited'; counts: Counts }

/** Personal Access Tokens, found by an id derived from the plaintext's SHA-256. */
export interface Tokens {
  admit(plaintext: string, limit: LimitClass, nowMs: number): Promise<Admission<PatRecord>>
  /** Makes a token and stores its hash. */
  mint(record: Omit<PatRecord, 'id' | 'tokenPrefix'>): Promise<{ record: PatRecord; plaintext: string }>
  list(userId: string): Promise<PatRecord[]>
  find(id: string): Promise<PatRecord | null>
  /** Revokes once; a second call changes nothing. */
  revoke(id: string, at: string): Promise<void>
}

/** Browser sessions, found by an id derived from the cookie's SHA-256. */
export interface Sessions {
  admit(cookie: string, limit: LimitClass, nowMs: number): Promise<Admission<SessionRecord>>
  open(userId: string, nowMs: number): Promise<{ record: SessionRecord; cookie: string }>
  close(id: string): Promise<void>
}

/** Login codes: one open code per e-mail address. */
export interface Logins {
  /** Stores a new code, replacing the older one; false when this address was mailed too often. */
  issue(email: string, code: string, nowMs: number): Promise<boolean>
  /** Counts a try and compares in constant time; true once, for the right code in time. */
  redeem(email: string, code: string, nowMs: number): Promise<boolean>
}

/** Windows of callers who are nobody yet, counted by address or the like. */
export interface Rates {
  admit(subject: string, limit: LimitClass, nowMs: number): Promise<Admission<null>>
}

export interface Users {
  find(userId: string): Promise<UserRecord | null>
  /** The user with this address, made if there is none. Two at once make one. */
  findOrCreate(email: string, newUserId: string, nowMs: number): Promise<{ user: UserRecord; created: boolean }>
  setCustomer(userId: string, customerId: string): Promise<void>
  /** False when a newer event was applied already. */
  setSubscription(
    userId: string,
    change: { subscription: Subscription; subscriptionId: string; asOfSeconds: number },
  ): Promise<boolean>
}

export type HoldResult =
  | { held: true; micros: number; total: number; counts: Counts }
  /** `unknown`: dead generation; `limited`: window full. Anything else is thrown as a domain error. */
  | { held: false; because: 'unknown' | 'limited'; counts: Counts }

export interface Wallets {
  /** Makes the wallet if there is none. */
  open(userId: string): Promise<void>
  read(userId: string): Promise<WalletState>
  /** One conditional write that authenticates, counts the window and holds. @throws wallet-empty, rate-limited */
  hold(userId: string, callId: string, ask: HoldAsk, nowMs: number): Promise<HoldResult>
  /**
   * Ends a hold at its true cost and writes the ledger line in the same transaction; a second call changes nothing
   * and answers null. A cost of zero removes the hold and writes no line.
   */
  settle(
    userId: string,
    callId: string,
    costMicros: number,
    line: { description: string; receipt: UsageReceipt; at: string },
    knownTotal: number | null,
  ): Promise<Transaction | null>
  /** Credits once per checkout for ever: the checkout's record and the wallet change together. Null when done before. */
  creditCheckout(record: CheckoutRecord, description: string, at: string): Promise<Transaction | null>
  /** Credits once per key for ever. Null when done before. */
  creditOnce(
    userId: string,
    key: string,
    amountMicros: number,
    type: Transaction['type'],
    description: string,
    at: string,
  ): Promise<Transaction | null>
  transactions(
    userId: string,
    page: { after: string | null; limit: number; type?: Transaction['type'] },
  ): Promise<Page<Transaction>>
  transaction(userId: string, id: string): Promise<Transaction | null>
  /** Holds whose time is up, by sweep shard. */
  overdueHolds(shard: number, nowMs: number): Promise<{ userId: string; callId: string; micros: number }[]>
}

export interface Checkouts {
  create(record: CheckoutRecord): Promise<void>
  setSession(userId: string, id: string, sessionId: string): Promise<void>
  find(userId: string, id: string): Promise<CheckoutRecord | null>
}

export interface Instances {
  find(userId: string): Promise<InstanceRecord | null>
  /** False when the user has one already. */
  create(record: InstanceRecord): Promise<boolean>
  /** Writes `next` if the stored version is still `previous.version`; the wallet's generation changes with it. False when it lost the race. */
  save(next: InstanceRecord, previous: InstanceRecord): Promise<boolean>
  /** Notes the machine that runs a generation; false when the generation has moved on. */
  setTask(userId: string, generation: number, taskArn: string): Promise<boolean>
  /** Authenticates and counts a machine's call in one conditional write. */
  admitMachine(claims: MachineClaims, limit: LimitClass, nowMs: number): Promise<Admission<InstanceRecord>>
  touch(userId: string, at: string): Promise<void>
  setModel(userId: string, model: string): Promise<InstanceRecord | null>
  setPersona(userId: string, persona: string): Promise<InstanceRecord | null>
  /** Users whose transient state is overdue, by sweep shard. */
  overdue(shard: number, nowMs: number): Promise<string[]>
}

/** Signs and checks machine tokens; keys are derived per audience and cached. */
export interface MachineTokens {
  sign(claims: MachineClaims): Promise<string>
  /** The claims of a genuine, unexpired token of this audience; null for anything else. */
  verify(token: string, audience: Audience, nowMs: number): Promise<MachineClaims | null>
}

/** A machine as its host shows it; `missing` is one the host does not know, or does not know yet. */
export type MachineSight = 'starting' | 'running' | 'stopping' | 'stopped' | 'missing'

/** The driver of machines: a task and its volume, one per instance generation. */
export interface Machines {
  /**
   * Starts the machine of this generation with its volume; repeated calls start one. Answers its task.
   * @throws MachineError when the host does not start it
   */
  run(instance: InstanceRecord, environment: Record<string, string>): Promise<string>
  /** Asks the machine to stop; fine when it has stopped. */
  stop(taskArn: string, reason: string): Promise<void>
  /** What can be seen of a task now. */
  observe(taskArn: string): Promise<MachineSight>
  /** The instance's machines, of any generation, that have not stopped yet and may still write to its volume. */
  alive(instance: InstanceRecord): Promise<{ taskArn: string; generation: number }[]>
}

export interface Conversations {
  /** Writes the user's message and its prompt together. */
  receive(userId: string, message: Message, prompt: Omit<Prompt, 'attempt' | 'leaseExpiresAt'>): Promise<void>
  /** Hands out the oldest open prompt that nobody holds; null when there is none. */
  lease(userId: string, generation: number, nowMs: number): Promise<Prompt | null>
  openPrompt(userId: string, promptId: string): Promise<Prompt | null>
  /** Prolongs the lease; false when the prompt is closed or leased to another generation. */
  renewLease(userId: string, promptId: string, generation: number, nowMs: number): Promise<boolean>
  /** Writes the agent's reply once per prompt; the second time it answers the first reply. */
  reply(userId: string, promptId: string, message: Message): Promise<Message>
  /** Closes a prompt; false when it was closed already. */
  close(userId: string, promptId: string, outcome: Outcome): Promise<boolean>
  /** Oldest first; without `after` the newest page. */
  messages(userId: string, page: { after: string | null; limit: number }): Promise<Page<Message>>
}

/** What happened to a user, for streams. */
export interface Events {
  record(userId: string, type: EventType, data: Record<string, unknown>): Promise<void>
  after(userId: string, eventId: string, limit: number): Promise<Event[]>
}

/** Tells the reconciler that somebody wants an instance changed. */
export interface Bus {
  publish(type: 'instance.wanted', userId: string): Promise<void>
}

export interface Mail {
  send(mail: { to: string; subject: string; text: string }): Promise<void>
}

/** The billing provider. Every failure of its own is thrown as `provider-error`. */
export interface Payments {
  customer(user: { id: string; email: string; customerId: string | null }): Promise<string>
  topUpPage(ask: {
    userId: string
    customerId: string
    checkoutId: string
    amountCents: number
  }): Promise<{ sessionId: string; url: string; expiresAt: string }>
  planPage(ask: {
    userId: string
    customerId: string
    checkoutId: string
    plan: PlanId
  }): Promise<{ sessionId: string; url: string; expiresAt: string }>
  /** Checks the signature over the raw body. @throws validation when it does not hold */
  readEvent(rawBody: string, signature: string | undefined, nowMs: number): Promise<PaymentEvent>
}

/** Model providers and prices. */
export interface Models {
  list(): Promise<PricedModel[]>
  /** Null for a model that is unknown or has no price. */
  find(id: string): Promise<PricedModel | null>
  /** The model an instance without a choice of its own uses. */
  defaultModel(): Promise<PricedModel>
  /** A name for the user that means nothing outside and differs from provider to provider. */
  pseudonym(model: PricedModel, userId: string): Promise<string>
  /** One call to the provider with our key. The body is sent as given. @throws provider-error without a connection */
  call(
    model: PricedModel,
    format: Format,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response>
}

/** The first-party skills and personas shipped with this version. */
export interface Catalogue {
  skills(): Promise<CatalogueSkill[]>
  personas(): Promise<CataloguePersona[]>
}

/** A tool as a model sees it; `call` answers the operation's output or throws its domain error. */
export interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  output: z.ZodType
  annotations: ToolAnnotations
  call(input: unknown): Promise<unknown>
}

export interface ToolAnnotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** The Model Context Protocol's wire: one stateless request in, one answer (JSON or SSE) out. */
export interface Mcp {
  handle(request: Request, tools: Tool[]): Promise<Response>
}

/** The OpenAPI document shipped with this version. */
export interface OpenapiDocument {
  read(): Promise<Record<string, unknown>>
}

/** Ports behind which something is stored, called or spent: an area's access list names those it may use. */
export interface ResourcePorts {
  tokens: Tokens
  sessions: Sessions
  logins: Logins
  rates: Rates
  users: Users
  wallets: Wallets
  checkouts: Checkouts
  instances: Instances
  machineTokens: MachineTokens
  machines: Machines
  conversations: Conversations
  events: Events
  bus: Bus
  mail: Mail
  payments: Payments
  models: Models
  catalogue: Catalogue
  openapi: OpenapiDocument
  mcp: Mcp
}

/** What every operation gets without asking. */
export interface Basics {
  clock: { now(): number; sleep(ms: number): Promise<void> }
  ids: { next(prefix: Prefix): string; digits(length: number): string }
  settings: Settings
}

/** The stage's facts, from the template's environment. */
export interface Settings {
  stage: string
  production: boolean
  /** Where people's browsers are: the origin that cookies and redirects belong to. */
  publicOrigin: string
  /** Two characters that name this cell in every token. */
  cell: string
  imageVersion: string
}

export type Ports = ResourcePorts & Basics
export type PortName = keyof ResourcePorts

/** What an area's function may touch: its environment, its grants and its live ports are made from this. */
export type Access = Partial<Record<PortName, 'read' | 'write'>>
