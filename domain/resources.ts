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
  /** Windows of callers who are nobody yet. */
  rates: { partition: 'subject', ttl: true },
  /** Users by `usr_` id, and one `email#…` item a user that keeps addresses unique. */
  users: { partition: 'id' },
  /** Per user: `wallet`, the ledger `txn_…`, checkouts `chk_…`, once-keys `once#…`. */
  wallets: { partition: 'userId', sort: 'item', indexes: { due } },
  /** One instance a user. */
  instances: { partition: 'userId', indexes: { due } },
  /** Per user: messages `msg_…` and open prompts `prm_…`. */
  conversations: { partition: 'userId', sort: 'item' },
  /** What happened to a user, for a day. */
  events: { partition: 'userId', sort: 'id', ttl: true },
} as const satisfies Record<string, TableShape>

export type TableName = keyof typeof tables

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
} as const

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
] as const

export type Variable = (typeof variables)[number]

export interface Need {
  tables?: readonly TableName[]
  secrets?: readonly SecretName[]
  variables?: readonly Variable[]
  /** Files made at build time that ship inside the function's bundle. */
  files?: readonly ('openapi.json' | 'catalogue.json')[]
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
  users: { tables: ['users'] },
  wallets: { tables: ['wallets'] },
  checkouts: { tables: ['wallets'] },
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
  conversations: { tables: ['conversations'] },
  events: { tables: ['events'] },
  bus: { variables: ['BUS_NAME'] },
  mail: { variables: ['MAIL_FROM'] },
  payments: { secrets: ['stripe'] },
  models: { secrets: ['providers'] },
  catalogue: { files: ['catalogue.json'] },
  openapi: { files: ['openapi.json'] },
  mcp: {},
} as const satisfies Record<PortName, Need>
