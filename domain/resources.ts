import type { PortName } from './ports.ts'

/** How a table is keyed. Indexes hold keys only, so a write that does not touch those keys costs nothing more. */
export interface TableShape {
  partition: string
  sort?: string
  /** Items carry `ttl`, seconds since 1970, after which they may vanish; readers check it all the same. */
  ttl?: true
  indexes?: Record<string, { partition: string; sort: string; sortType?: 'number' }>
}

const due = { partition: 'dueShard', sort: 'dueAt', sortType: 'number' } as const
const byUser = { partition: 'userId', sort: 'createdAt' } as const

/** Every table of the service: the template makes them, the adapters use them. All keys are strings unless said. */
export const tables = {
  /** PATs by hashed id. */
  tokens: { partition: 'id', indexes: { byUser }, ttl: true },
  /** Browser sessions by hashed id. */
  sessions: { partition: 'id', indexes: { byUser }, ttl: true },
  /** Open login codes by e-mail address. */
  logins: { partition: 'email', ttl: true },
  /** Windows of callers who are nobody yet, and `open#…`: the places that open connections hold. */
  rates: { partition: 'subject', ttl: true },
  /** Users by `usr_` id, and one `email#…` item a user that keeps addresses unique; `due` finds accounts to erase. */
  users: { partition: 'id', indexes: { due } },
  /** Passkeys by hashed credential id, and challenges `challenge#…` for five minutes. */
  passkeys: { partition: 'id', indexes: { byUser }, ttl: true },
  /** Who did what to which record, per user; nothing in it is ever changed or removed. */
  audit: { partition: 'userId', sort: 'id' },
  /** Per user: `wallet`, the ledger `txn_…`, checkouts `chk_…`, once-keys `once#…`, `day#…` sums, `counted#…`, `grace`. */
  wallets: { partition: 'userId', sort: 'item', indexes: { due } },
  /** One instance a user. */
  instances: { partition: 'userId', indexes: { due } },
  /** Per user: `variables`, schedules `sch_…`, chosen skills `skill#…`, own personas `persona#…` and `version#…`. */
  settings: { partition: 'userId', sort: 'item' },
  /** What machines measured, a sample a minute. */
  samples: { partition: 'userId', sort: 'minute', ttl: true },
  /** How far each image of the agent has come. */
  rollouts: { partition: 'version' },
  /** Per user: messages `msg_…`, open prompts `prm_…` and tasks `tsk_…`, and for a while how those ended, `end#…`. */
  conversations: { partition: 'userId', sort: 'item', ttl: true },
  /** Restore points of each user's volume. */
  points: { partition: 'userId', sort: 'id' },
  /** What happened to a user, for a day. */
  events: { partition: 'userId', sort: 'id', ttl: true },
} as const satisfies Record<string, TableShape>

export type TableName = keyof typeof tables

/**
 * What holds a person's own words, files and secrets: an erased account leaves nothing here. The ledger (`wallets`) and
 * the audit trail hold ids alone and are kept; `users` loses the address; `logins` and `rates` vanish by themselves.
 */
export const personalTables = [
  'tokens',
  'sessions',
  'passkeys',
  'instances',
  'settings',
  'samples',
  'conversations',
  'points',
  'events',
] as const satisfies readonly TableName[]

/** The environment variable that carries a table's physical name. */
export const tableEnv = (name: TableName): string => `${name.toUpperCase()}_TABLE`

/** Secrets of the service and the environment variable that carries each one's ARN. */
export const secrets = {
  /** `{ secretKey, webhookSecrets: string[], apiBase? }` */
  stripe: 'STRIPE_SECRET_ARN',
  /** Provider name → `{ kind, baseUrl, apiKey }` */
  providers: 'PROVIDERS_SECRET_ARN',
  /** `{ current, previous? }`: base64 master keys of machine tokens */
  'machine-token-keys': 'MACHINE_TOKEN_KEYS_SECRET_ARN',
  /** `{ key }`: seals the cursors of lists */
  'cursor-key': 'CURSOR_KEY_SECRET_ARN',
  /** `{ key }`: CloudFront shows it, so that the API believes it about the viewer's address */
  'edge-key': 'EDGE_KEY_SECRET_ARN',
} as const

/** Headers by which CloudFront tells the API who is at the other end; worthless without the right key. */
export const edgeHeaders = { key: 'x-berth-edge-key', viewer: 'x-berth-viewer' } as const

export type SecretName = keyof typeof secrets

/** Facts of the stage that the template gives to a function, beyond tables and secrets. */
export const variables = [
  'STAGE',
  'PUBLIC_ORIGIN',
  'CELL',
  'IMAGE_VERSION',
  'BUS_NAME',
  'MAIL_FROM',
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
  'FILES_BUCKET',
  'VARIABLES_KEY_ARN',
  'BUS_ARN',
  'SCHEDULE_GROUP',
  'SCHEDULER_ROLE_ARN',
] as const

export type Variable = (typeof variables)[number]

export interface Need {
  tables?: readonly TableName[]
  secrets?: readonly SecretName[]
  variables?: readonly Variable[]
  /** Files made at build time that ship inside the function's bundle. */
  files?: readonly ('openapi.json' | 'catalogue.json' | 'tools.json')[]
}

/** Every function has these. */
export const commonVariables = [
  'STAGE',
  'PUBLIC_ORIGIN',
  'CELL',
  'IMAGE_VERSION',
] as const satisfies readonly Variable[]

/** What stands behind each port: `lib/` grants exactly this, and the port's adapter reads exactly this. */
export const needs = {
  tokens: { tables: ['tokens'] },
  sessions: { tables: ['sessions'] },
  logins: { tables: ['logins'] },
  rates: { tables: ['rates'] },
  leases: { tables: ['rates'] },
  cursors: { secrets: ['cursor-key'] },
  edge: { secrets: ['edge-key'] },
  users: { tables: ['users'] },
  passkeys: { tables: ['passkeys'] },
  passkeyCeremony: {},
  audit: { tables: ['audit'] },
  erasure: { tables: personalTables },
  wallets: { tables: ['wallets'] },
  checkouts: { tables: ['wallets'] },
  graces: { tables: ['wallets'] },
  instances: { tables: ['instances', 'wallets'] },
  machineTokens: { secrets: ['machine-token-keys'] },
  machines: {
    variables: [
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
    ],
  },
  variables: { tables: ['settings'], variables: ['VARIABLES_KEY_ARN'] },
  metrics: { tables: ['samples'] },
  schedules: { tables: ['settings'] },
  timers: { variables: ['BUS_ARN', 'SCHEDULE_GROUP', 'SCHEDULER_ROLE_ARN'] },
  logs: { variables: ['AGENT_LOG_GROUP'] },
  rollouts: { tables: ['rollouts'] },
  conversations: { tables: ['conversations'] },
  events: { tables: ['events'] },
  tasks: { tables: ['conversations'] },
  restorePoints: { tables: ['points'] },
  storage: { variables: ['FILES_BUCKET'] },
  remains: { variables: ['FILES_BUCKET'] },
  bus: { variables: ['BUS_NAME'] },
  mail: { variables: ['MAIL_FROM'] },
  pages: { secrets: ['stripe'] },
  payments: { secrets: ['stripe'] },
  models: { secrets: ['providers'] },
  catalogue: { tables: ['settings'], files: ['catalogue.json'] },
  openapi: { files: ['openapi.json'] },
  mcp: { files: ['tools.json'] },
} as const satisfies Record<PortName, Need>
