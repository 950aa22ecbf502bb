import type { TableAction, TableName } from './dynamo/tables.ts'
import type { PortName } from './ports.ts'

/** The service's secrets, and the environment variables with their ARNs. */
export const secrets = {
  /** `{ secretKey, webhookSecrets: string[], apiBase? }` */
  stripe: 'STRIPE_SECRET_ARN',
  /** `{ token, webhookSecret, username, apiBase? }` of the bot */
  telegram: 'TELEGRAM_SECRET_ARN',
  /** `{ appId, clientId, clientSecret, signingSecret, apiBase? }` of the app */
  slack: 'SLACK_SECRET_ARN',
  /** Provider name → `{ kind, baseUrl, apiKey }` */
  providers: 'PROVIDERS_SECRET_ARN',
  /** `{ applicationId, publicKey, botToken, gatewayKey, apiBase? }` */
  discord: 'DISCORD_SECRET_ARN',
  /** `{ current, previous?, rotatedAt? }`: master keys of machine tokens */
  'machine-token-keys': 'MACHINE_TOKEN_KEYS_SECRET_ARN',
  /** `{ key }`: signs cursors of lists */
  'cursor-key': 'CURSOR_KEY_SECRET_ARN',
  /** `{ key }`: hooks' secrets are derived from it */
  'hook-key': 'HOOK_KEY_SECRET_ARN',
  /** `{ key }`: the web push key pair and the unsubscribe links are derived from it */
  'notification-key': 'NOTIFICATION_KEY_SECRET_ARN',
  /** `{ key, previous? }`: proves to the API that CloudFront sent the viewer's address */
  'edge-key': 'EDGE_KEY_SECRET_ARN',
} as const

export type SecretName = keyof typeof secrets

export const commonVariables = ['STAGE', 'PUBLIC_ORIGIN', 'CELL', 'IMAGE_VERSION', 'LOG_LEVEL'] as const

const machineVariables = [
  'API_BASE',
  'CLUSTER_ARN',
  'FILE_SYSTEM_ID',
  'FILE_SYSTEM_ARN',
  'SUBNET_IDS',
  'SECURITY_GROUP_ID',
  'AGENT_IMAGE',
  'AGENT_LOG_GROUP',
  'EXECUTION_ROLE_ARN',
  'TASK_BOUNDARY_ARN',
  'MACHINE_ROLE_PATH',
  'SOCKET_API',
] as const

/** Facts of the stage in the template, besides tables and secrets. */
export const variables = [
  ...commonVariables,
  ...machineVariables,
  'BUS_NAME',
  'MAIL_FROM',
  'ABUSE_MAIL',
  'FILES_BUCKET',
  'VARIABLES_KEY_ARN',
  'BUS_ARN',
  'SCHEDULE_GROUP',
  'SCHEDULER_ROLE_ARN',
  'SCHEDULES_DEAD_LETTERS',
  'RUNTIMES',
  'OPERATORS',
  'OPERATOR_MAX_CENTS',
  'OPERATOR_MAX_DAY_CENTS',
  'TRIAL',
] as const

export type Variable = (typeof variables)[number]

interface AdapterEntry {
  /** The file with the port's adapter, relative to this one. The export has the port's name. */
  module: `./${string}.ts`
  /** Actions per table. A function that uses the port has exactly these rights. */
  tables?: Partial<Record<TableName, readonly TableAction[]>>
  indexes?: Partial<Record<TableName, readonly string[]>>
  secrets?: readonly SecretName[]
  variables?: readonly Variable[]
  /** Built files that the bundle must include. */
  files?: readonly ('openapi.json' | 'catalogue.json' | 'tools.json' | 'runtimes.json')[]
}

/** Each port's adapter and resources. Entry points, environments and rights of functions are derived from them. */
export const registry: Readonly<Record<PortName, AdapterEntry>> = {
  tokens: {
    module: './dynamo/tokens/tokens.ts',
    tables: { tokens: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem', 'UpdateItem'] },
    indexes: { tokens: ['byUser'] },
  },
  sessions: {
    module: './dynamo/account/sessions.ts',
    tables: { sessions: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'] },
    indexes: { sessions: ['byUser'] },
  },
  grants: {
    module: './dynamo/oauth/grants.ts',
    tables: {
      tokens: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
      oauth: ['GetItem', 'PutItem', 'UpdateItem'],
    },
    indexes: { tokens: ['byUser'] },
  },
  clients: { module: './dynamo/oauth/clients.ts', tables: { oauth: ['GetItem', 'PutItem', 'UpdateItem'] } },
  clientDocuments: { module: './web/client-documents.ts' },
  logins: { module: './dynamo/account/logins.ts', tables: { logins: ['GetItem', 'PutItem', 'UpdateItem'] } },
  rates: { module: './dynamo/rates/rates.ts', tables: { rates: ['UpdateItem'] } },
  idempotencyKeys: { module: './dynamo/rates/idempotency-keys.ts', tables: { rates: ['GetItem', 'PutItem'] } },
  leases: { module: './dynamo/rates/leases.ts', tables: { rates: ['GetItem', 'UpdateItem'] } },
  cursors: { module: './aws/cursors.ts', secrets: ['cursor-key'] },
  edge: { module: './aws/edge.ts', secrets: ['edge-key'] },
  users: {
    module: './dynamo/account/users.ts',
    tables: { users: ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'] },
    indexes: { users: ['due'] },
  },
  passkeys: {
    module: './dynamo/account/passkeys.ts',
    tables: { passkeys: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'] },
    indexes: { passkeys: ['byUser'] },
  },
  passkeyCeremony: { module: './webauthn/passkey-ceremony.ts' },
  operators: { module: './operators.ts', variables: ['OPERATORS', 'OPERATOR_MAX_CENTS', 'OPERATOR_MAX_DAY_CENTS'] },
  operatorTotals: { module: './dynamo/operator/operator-totals.ts', tables: { console: ['GetItem', 'UpdateItem'] } },
  views: { module: './dynamo/operator/views.ts', tables: { console: ['DeleteItem', 'GetItem', 'UpdateItem'] } },
  notices: { module: './dynamo/operator/notices.ts', tables: { console: ['DeleteItem', 'PutItem', 'Query'] } },
  booksCheck: {
    module: './dynamo/operator/books-check.ts',
    tables: { console: ['GetItem', 'UpdateItem'], users: [] },
    indexes: { users: ['byShard'] },
  },
  fleet: {
    module: './dynamo/operator/fleet.ts',
    tables: { instances: ['BatchGetItem'] },
    indexes: { instances: ['due'] },
  },
  directory: {
    module: './dynamo/operator/directory.ts',
    tables: {
      users: ['BatchGetItem'],
      wallets: ['BatchGetItem'],
      instances: ['BatchGetItem'],
      console: ['Query'],
    },
    indexes: { users: ['byPlan', 'due'], instances: ['due'] },
  },
  suspensions: { module: './dynamo/operator/suspensions.ts', tables: { console: ['DeleteItem', 'PutItem'] } },
  overdueIntents: {
    module: './dynamo/operator/overdue-intents.ts',
    tables: { outbox: ['BatchGetItem', 'GetItem', 'UpdateItem'] },
    indexes: { outbox: ['due'] },
  },
  audit: { module: './dynamo/account/audit.ts', tables: { audit: ['PutItem', 'Query'] } },
  outbox: {
    module: './dynamo/outbox.ts',
    tables: { outbox: ['DeleteItem', 'PutItem', 'UpdateItem'] },
    indexes: { outbox: ['due'] },
  },
  erasure: {
    module: './dynamo/account/erasure.ts',
    tables: {
      tokens: ['DeleteItem'],
      sessions: ['DeleteItem'],
      passkeys: ['DeleteItem'],
      outbox: ['DeleteItem', 'Query'],
      instances: ['DeleteItem', 'Query'],
      runs: ['DeleteItem', 'Query'],
      settings: ['DeleteItem', 'Query'],
      hooks: ['DeleteItem'],
      webhooks: ['DeleteItem', 'Query'],
      notifications: ['DeleteItem', 'Query'],
      samples: ['DeleteItem', 'Query'],
      conversations: ['DeleteItem', 'Query'],
      channels: ['DeleteItem'],
      points: ['DeleteItem', 'Query'],
      events: ['DeleteItem', 'Query'],
    },
    indexes: {
      tokens: ['byUser'],
      sessions: ['byUser'],
      passkeys: ['byUser'],
      hooks: ['byUser'],
      channels: ['byUser'],
    },
  },
  wallets: {
    module: './dynamo/wallet/wallets.ts',
    tables: { wallets: ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    indexes: { wallets: ['due'] },
  },
  checkouts: { module: './dynamo/billing/checkouts.ts', tables: { wallets: ['GetItem', 'PutItem', 'UpdateItem'] } },
  gracePeriods: {
    module: './dynamo/billing/grace-periods.ts',
    tables: { wallets: ['GetItem', 'UpdateItem'] },
    indexes: { wallets: ['due'] },
  },
  trialBudget: {
    module: './dynamo/trial/trial-budget.ts',
    tables: { trials: ['BatchGetItem', 'DeleteItem', 'PutItem'] },
    variables: ['TRIAL'],
  },
  trials: {
    module: './dynamo/trial/trials.ts',
    tables: {
      trials: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'UpdateItem'],
      users: ['UpdateItem'],
      wallets: ['GetItem', 'PutItem', 'UpdateItem'],
    },
  },
  instances: {
    module: './dynamo/instance/instances.ts',
    tables: { instances: ['GetItem', 'UpdateItem'], runs: ['PutItem'], wallets: ['UpdateItem'] },
    indexes: { instances: ['due'] },
  },
  runs: { module: './dynamo/instance/runs.ts', tables: { runs: ['Query'] } },
  machineTokens: { module: './aws/machine-tokens.ts', secrets: ['machine-token-keys'] },
  machines: { module: './aws/machines.ts', variables: machineVariables },
  variables: {
    module: './dynamo/instance/variables.ts',
    tables: { settings: ['GetItem', 'UpdateItem'] },
    variables: ['VARIABLES_KEY_ARN'],
  },
  agentSecrets: {
    module: './dynamo/instance/agent-secrets.ts',
    tables: { settings: ['GetItem', 'UpdateItem'] },
    variables: ['VARIABLES_KEY_ARN'],
  },
  metrics: { module: './dynamo/instance/metrics.ts', tables: { samples: ['BatchWriteItem', 'Query'] } },
  schedules: {
    module: './dynamo/instance/schedules.ts',
    tables: { settings: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
  },
  agentSchedules: {
    module: './dynamo/instance/agent-schedules.ts',
    tables: { settings: ['GetItem', 'PutItem', 'UpdateItem'], conversations: ['PutItem', 'UpdateItem'] },
  },
  hooks: {
    module: './dynamo/hooks/hooks.ts',
    tables: { hooks: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'], settings: ['UpdateItem'] },
    indexes: { hooks: ['byUser'] },
  },
  hookSecrets: { module: './aws/hook-secrets.ts', secrets: ['hook-key'] },
  webhooks: {
    module: './dynamo/webhooks/webhooks.ts',
    tables: { webhooks: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    indexes: { webhooks: ['due'] },
  },
  webhookSender: { module: './web/webhook-sender.ts' },
  notifications: {
    module: './dynamo/notifications/notifications.ts',
    tables: { notifications: ['GetItem', 'PutItem', 'Query', 'UpdateItem'] },
  },
  pushDevices: {
    module: './dynamo/notifications/push-devices.ts',
    tables: { webhooks: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
  },
  pushMessages: {
    module: './web-push/push-messages.ts',
    secrets: ['notification-key'],
    variables: ['MAIL_FROM'],
  },
  unsubscribeLinks: { module: './aws/unsubscribe-links.ts', secrets: ['notification-key'] },
  timers: {
    module: './aws/timers.ts',
    variables: ['BUS_ARN', 'SCHEDULE_GROUP', 'SCHEDULER_ROLE_ARN', 'SCHEDULES_DEAD_LETTERS'],
  },
  logs: { module: './aws/logs.ts', variables: ['AGENT_LOG_GROUP'] },
  rollouts: { module: './dynamo/instance/rollouts.ts', tables: { rollouts: ['GetItem', 'UpdateItem'] } },
  conversations: {
    module: './dynamo/chat/conversations.ts',
    tables: { conversations: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
  },
  questions: {
    module: './dynamo/chat/questions.ts',
    tables: { conversations: ['ConditionCheckItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
  },
  attachments: {
    module: './dynamo/chat/attachments.ts',
    tables: { conversations: ['GetItem', 'PutItem', 'UpdateItem'] },
  },
  attachmentFiles: { module: './aws/attachment-files.ts', variables: ['FILES_BUCKET'] },
  attachmentErasure: { module: './aws/attachment-erasure.ts', variables: ['FILES_BUCKET'] },
  conversationErasure: {
    module: './dynamo/chat/conversation-erasure.ts',
    tables: {
      conversations: ['BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'Query'],
      events: ['BatchWriteItem', 'Query'],
      notifications: ['BatchWriteItem', 'Query', 'UpdateItem'],
    },
  },
  channelLinks: {
    module: './dynamo/channels/channel-links.ts',
    tables: { channels: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'], conversations: ['PutItem'] },
  },
  inboundDeliveries: {
    module: './dynamo/channels/inbound-deliveries.ts',
    tables: { channels: ['GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    indexes: { channels: ['due'] },
  },
  outgoingMessages: {
    module: './dynamo/channels/outgoing-messages.ts',
    tables: { channels: ['GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    indexes: { channels: ['due'] },
  },
  deliveryLog: {
    module: './dynamo/channels/delivery-log.ts',
    tables: { channels: ['BatchGetItem'] },
    indexes: { channels: ['byUser'] },
  },
  events: { module: './dynamo/chat/events.ts', tables: { events: ['PutItem', 'Query'] } },
  connections: {
    module: './dynamo/socket/connections.ts',
    tables: { connections: ['DeleteItem', 'GetItem', 'PutItem', 'Query'] },
  },
  sockets: { module: './aws/sockets.ts', variables: ['SOCKET_API'] },
  socketClient: { module: './web/socket-client.ts', variables: ['SOCKET_API'] },
  tasks: {
    module: './dynamo/files/tasks.ts',
    tables: { conversations: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
  },
  restorePoints: {
    module: './dynamo/files/restore-points.ts',
    tables: { points: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
  },
  storage: { module: './aws/storage.ts', variables: ['FILES_BUCKET'] },
  artifacts: { module: './aws/artifacts.ts', variables: ['FILES_BUCKET'] },
  callBodies: { module: './aws/call-bodies.ts', variables: ['FILES_BUCKET'] },
  bus: { module: './aws/bus.ts', variables: ['BUS_NAME'] },
  sweeps: { module: './aws/sweeps.ts', variables: ['BUS_NAME'] },
  contact: { module: './contact.ts', variables: ['ABUSE_MAIL'] },
  mail: { module: './aws/mail.ts', secrets: ['notification-key'], variables: ['MAIL_FROM'] },
  telegram: { module: './telegram/telegram.ts', secrets: ['telegram'] },
  slack: {
    module: './slack/slack.ts',
    tables: { channels: ['DeleteItem', 'GetItem'] },
    secrets: ['slack'],
    variables: ['VARIABLES_KEY_ARN'],
  },
  slackTeams: {
    module: './dynamo/channels/slack-teams.ts',
    tables: { channels: ['DeleteItem', 'GetItem', 'PutItem'] },
    variables: ['VARIABLES_KEY_ARN'],
  },
  slackInstalls: { module: './slack/slack-installs.ts', secrets: ['slack'] },
  payments: { module: './stripe/payments.ts', secrets: ['stripe'] },
  discord: { module: './discord/discord.ts', secrets: ['discord'] },
  models: { module: './models/models.ts', secrets: ['providers'] },
  denials: { module: './dynamo/models/denials.ts', tables: { denied: ['GetItem', 'UpdateItem'] } },
  runtimes: { module: './files/runtimes.ts', files: ['runtimes.json'], variables: ['RUNTIMES'] },
  catalogue: {
    module: './files/catalogue.ts',
    tables: { settings: ['DeleteItem', 'GetItem', 'Query', 'UpdateItem'] },
    files: ['catalogue.json'],
  },
  openapi: { module: './files/openapi.ts', files: ['openapi.json'] },
  mcp: { module: './mcp/mcp.ts', files: ['tools.json'] },
}

export const tablesOf = (port: PortName): TableName[] => Object.keys(registry[port].tables ?? {}) as TableName[] // safe because the registry names tables only
