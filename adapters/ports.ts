import type * as account from '../app/ports/account.ts'
import type { Basics } from '../app/ports/basics.ts'
import type * as billing from '../app/ports/billing.ts'
import type * as catalogue from '../app/ports/catalogue.ts'
import type * as channels from '../app/ports/channels.ts'
import type * as chat from '../app/ports/chat.ts'
import type * as chatPlatform from '../app/ports/chat-platform.ts'
import type * as files from '../app/ports/files.ts'
import type * as hooks from '../app/ports/hooks.ts'
import type * as instance from '../app/ports/instance.ts'
import type * as mcp from '../app/ports/mcp.ts'
import type * as models from '../app/ports/models.ts'
import type * as notifications from '../app/ports/notifications.ts'
import type * as oauth from '../app/ports/oauth.ts'
import type * as operator from '../app/ports/operator.ts'
import type * as outbox from '../app/ports/outbox.ts'
import type * as publicFacts from '../app/ports/public-facts.ts'
import type * as rates from '../app/ports/rates.ts'
import type * as socket from '../app/ports/socket.ts'
import type * as tokens from '../app/ports/tokens.ts'
import type * as trial from '../app/ports/trial.ts'
import type * as wallet from '../app/ports/wallet.ts'
import type * as webhooks from '../app/ports/webhooks.ts'

/** The ports that store, call or spend something. An operation's `uses` names those that it needs. */
interface ResourcePorts {
  tokens: tokens.Tokens
  sessions: account.Sessions
  grants: oauth.Grants
  clients: oauth.Clients
  clientDocuments: oauth.ClientDocuments
  logins: account.Logins
  rates: rates.Rates
  leases: rates.Leases
  idempotencyKeys: rates.IdempotencyKeys
  cursors: tokens.Cursors
  edge: tokens.Edge
  users: account.Users
  passkeys: account.Passkeys
  passkeyCeremony: account.PasskeyCeremony
  audit: account.Audit
  outbox: outbox.Intents
  operators: operator.Operators
  operatorTotals: operator.OperatorTotals
  views: operator.Views
  notices: operator.Notices
  booksCheck: operator.BooksCheck
  fleet: operator.Fleet
  directory: operator.Directory
  suspensions: operator.Suspensions
  overdueIntents: operator.OverdueIntents
  erasure: account.Erasure
  wallets: wallet.Wallets
  checkouts: billing.Checkouts
  gracePeriods: billing.GracePeriods
  trialBudget: trial.TrialBudget
  trials: trial.Trials
  instances: instance.Instances
  runs: instance.Runs
  machineTokens: tokens.MachineTokens
  machines: instance.Machines
  variables: instance.Variables
  agentSecrets: instance.AgentSecrets
  metrics: instance.Metrics
  schedules: instance.Schedules
  agentSchedules: instance.AgentSchedules
  hooks: hooks.Hooks
  hookSecrets: hooks.HookSecrets
  webhooks: webhooks.Webhooks
  webhookSender: webhooks.WebhookSender
  notifications: notifications.Notifications
  pushDevices: notifications.PushDevices
  pushMessages: notifications.PushMessages
  unsubscribeLinks: notifications.UnsubscribeLinks
  timers: instance.Timers
  logs: instance.Logs
  rollouts: instance.Rollouts
  runtimes: instance.Runtimes
  conversations: chat.Conversations
  questions: chat.Questions
  attachments: chat.Attachments
  attachmentFiles: chat.AttachmentFiles
  attachmentErasure: chat.AttachmentErasure
  conversationErasure: chat.ConversationErasure
  events: chat.Events
  connections: socket.Connections
  sockets: socket.Sockets
  socketClient: socket.SocketClient
  channelLinks: channels.ChannelLinks
  inboundDeliveries: channels.InboundDeliveries
  outgoingMessages: channels.OutgoingMessages
  deliveryLog: channels.DeliveryLog
  tasks: files.Tasks
  restorePoints: files.RestorePoints
  storage: files.Storage
  artifacts: files.Artifacts
  callBodies: files.CallBodies
  bus: instance.Bus
  sweeps: instance.Sweeps
  mail: notifications.Mail
  contact: publicFacts.Contact
  telegram: chatPlatform.ChatPlatform
  slack: chatPlatform.ChatPlatform
  slackTeams: channels.SlackTeams
  slackInstalls: channels.SlackInstalls
  payments: billing.Payments
  discord: chatPlatform.ChatPlatform
  models: models.Models
  denials: models.Denials
  catalogue: catalogue.Catalogue
  openapi: publicFacts.OpenapiDocument
  mcp: mcp.Mcp
}

export type Ports = ResourcePorts & Basics
export type PortName = keyof ResourcePorts
