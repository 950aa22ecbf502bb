import type { AlarmName, MeasureName } from '../domain/alarms.ts'
import type { Prefix } from '../domain/ids.ts'
import type { Letter } from '../domain/notifications/letter.ts'
import type { Audit, Erasure, PasskeyCeremony, Passkeys, Users } from './account/ports.ts'
import type { Checkouts, GracePeriods, Payments } from './billing/ports.ts'
import type { Catalogue } from './catalogue/ports.ts'
import type { ChatPlatform } from './channels/platform-port.ts'
import type { ChannelLinks, DeliveryLog, InboundDeliveries, OutgoingMessages } from './channels/ports.ts'
import type { SlackInstalls, SlackTeams } from './channels/slack-ports.ts'
import type { AttachmentFiles, Attachments, Conversations, Events, Questions } from './chat/ports.ts'
import type { Artifacts, CallBodies, RestorePoints, Storage, Tasks } from './files/ports.ts'
import type { HookSecrets, Hooks } from './hooks/ports.ts'
import type {
  AgentSchedules,
  AgentSecrets,
  Bus,
  Instances,
  Logs,
  Machines,
  Metrics,
  Rollouts,
  Runtimes,
  Schedules,
  Timers,
  Variables,
} from './instance/ports.ts'
import type { Mcp } from './mcp/ports.ts'
import type { Denials, Models } from './models/ports.ts'
import type { Notifications, PushDevices, PushMessages, UnsubscribeLinks } from './notifications/ports.ts'
import type { ClientDocuments, Clients, Grants } from './oauth/ports.ts'
import type { BooksCheck, Fleet, Notices, Operators, OperatorTotals, OverdueIntents, Views } from './operator/ports.ts'
import type { Outbox } from './outbox/ports.ts'
import type { Connections, SocketClient, Sockets } from './socket/ports.ts'
import type {
  Cursors,
  Edge,
  IdempotencyKeys,
  Leases,
  Logins,
  MachineTokens,
  Rates,
  Sessions,
  Tokens,
} from './tokens/ports.ts'
import type { TrialBudget, Trials } from './trial/ports.ts'
import type { Wallets } from './wallet/ports.ts'
import type { WebhookSender, Webhooks } from './webhooks/ports.ts'

export interface Mail {
  /** A letter that can be switched off says how in its headers and below its text. */
  send(letter: Letter): Promise<void>
}

export interface Contact {
  /** The mail address for reports of abuse and security problems. */
  abuseMail(): string
}

export interface OpenapiDocument {
  read(): Promise<Record<string, unknown>>
}

/** Ports that store, call or spend something; an area's access list names those it may use. */
export interface ResourcePorts {
  tokens: Tokens
  sessions: Sessions
  grants: Grants
  clients: Clients
  clientDocuments: ClientDocuments
  logins: Logins
  rates: Rates
  leases: Leases
  idempotencyKeys: IdempotencyKeys
  cursors: Cursors
  edge: Edge
  users: Users
  passkeys: Passkeys
  passkeyCeremony: PasskeyCeremony
  audit: Audit
  outbox: Outbox
  operators: Operators
  operatorTotals: OperatorTotals
  views: Views
  notices: Notices
  booksCheck: BooksCheck
  fleet: Fleet
  overdueIntents: OverdueIntents
  erasure: Erasure
  wallets: Wallets
  checkouts: Checkouts
  gracePeriods: GracePeriods
  trialBudget: TrialBudget
  trials: Trials
  instances: Instances
  machineTokens: MachineTokens
  machines: Machines
  variables: Variables
  agentSecrets: AgentSecrets
  metrics: Metrics
  schedules: Schedules
  agentSchedules: AgentSchedules
  hooks: Hooks
  hookSecrets: HookSecrets
  webhooks: Webhooks
  webhookSender: WebhookSender
  notifications: Notifications
  pushDevices: PushDevices
  pushMessages: PushMessages
  unsubscribeLinks: UnsubscribeLinks
  timers: Timers
  logs: Logs
  rollouts: Rollouts
  runtimes: Runtimes
  conversations: Conversations
  questions: Questions
  attachments: Attachments
  attachmentFiles: AttachmentFiles
  events: Events
  connections: Connections
  sockets: Sockets
  socketClient: SocketClient
  channelLinks: ChannelLinks
  inboundDeliveries: InboundDeliveries
  outgoingMessages: OutgoingMessages
  deliveryLog: DeliveryLog
  tasks: Tasks
  restorePoints: RestorePoints
  storage: Storage
  artifacts: Artifacts
  callBodies: CallBodies
  bus: Bus
  mail: Mail
  contact: Contact
  telegram: ChatPlatform
  slack: ChatPlatform
  slackTeams: SlackTeams
  slackInstalls: SlackInstalls
  payments: Payments
  discord: ChatPlatform
  models: Models
  denials: Denials
  catalogue: Catalogue
  openapi: OpenapiDocument
  mcp: Mcp
}

/** Ports that every operation has. */
export interface Basics {
  clock: { now(): number; sleep(ms: number): Promise<void> }
  ids: { next(prefix: Prefix): string; random(alphabet: string, length: number): string }
  settings: Settings
  /** Log lines that are also metrics. */
  alarms: {
    /** Notifies the operators; `facts` must not contain secrets. */
    raise(name: AlarmName, value: number, facts: Record<string, string | number>): void
    /** `facts` are logged next to the metric; they are not its dimensions. */
    measure(name: MeasureName, value: number, dimensions?: Record<string, string>, facts?: Record<string, string>): void
  }
}

/** Facts of the stage, from the template's environment. */
export interface Settings {
  stage: string
  production: boolean
  /** The origin that cookies and redirects belong to. */
  publicOrigin: string
  /** Two characters that name this cell in every token. */
  cell: string
  imageVersion: string
  /** `INFO` logs a line for each request and job, `ERROR` only failures. */
  logLevel: 'INFO' | 'ERROR'
}

export type Ports = ResourcePorts & Basics
export type PortName = keyof ResourcePorts

export type Level = 'read' | 'write'

export type Uses<U extends PortName> = Readonly<Record<U, Level>>

/** A function's ports: its environment, its grants and its live ports are derived from them. */
export type Access = Readonly<Partial<Record<PortName, Level>>>

/** The higher of two levels wins. */
export function mergeAccess(all: readonly Access[]): Access {
  const merged: Partial<Record<PortName, Level>> = {}
  for (const [port, level] of all.flatMap(portsOf)) if (merged[port] !== 'write') merged[port] = level
  return merged
}

/** Ports in a stable order. */
export const portsOf = (access: Access): [PortName, Level][] =>
  Object.entries(access).sort(([a], [b]) => a.localeCompare(b)) as [PortName, Level][] // safe because Access has port names only
