/** Indexes project only keys, so a write that leaves those keys alone costs nothing extra. */
export interface TableShape {
  partition: string
  sort?: string
  /** Changes start jobs, which get the items before and after. */
  stream?: true
  /** Items have `ttl`, seconds since 1970. Readers must check it too, because DynamoDB deletes late. */
  ttl?: true
  indexes?: Record<string, { partition: string; sort: string; sortType?: 'number' }>
}

const due = { partition: 'dueShard', sort: 'dueAt', sortType: 'number' } as const
const byUser = { partition: 'userId', sort: 'createdAt' } as const

/** Every table of the service. The template makes them, the adapters use them. Keys are strings unless stated. */
export const tables = {
  /**
   * PATs by hashed id, and connected apps with hashes of their refresh tokens. `minted#…` lists a token's own tokens,
   * `places#…` a user's live tokens.
   */
  tokens: { partition: 'id', indexes: { byUser }, ttl: true, stream: true },
  /** Browser sessions by hashed id. */
  sessions: { partition: 'id', indexes: { byUser }, ttl: true, stream: true },
  /** Unused sign-in mails by e-mail address or `own#…`, their secrets `attempt#…`, codes per day `network#…`. */
  logins: { partition: 'email', ttl: true },
  /** Self-registered programs, `client#…`, and authorization codes by hash, `code#…`. */
  oauth: { partition: 'id', ttl: true },
  /** Rate windows by subject, slots of open connections, `open#…`, and idempotency keys, `key#…`. */
  rates: { partition: 'subject', ttl: true },
  /**
   * Users by `usr_` id; `email#…` keeps addresses unique. `due` finds accounts to erase, `byShard` all, and `byPlan`
   * those with an address, in its order.
   */
  users: {
    partition: 'id',
    indexes: { due, byShard: { partition: 'shard', sort: 'id' }, byPlan: { partition: 'listed', sort: 'email' } },
  },
  /**
   * Trials: budget of a UTC day, `day#…`, counts per network, `network#…`, and mail domain, `domain#…`; hashes of
   * mailboxes with a trial, `mailbox#…`, kept forever; `switch` while an operator has stopped trials.
   */
  trials: { partition: 'id', ttl: true },
  /** Passkeys by hashed credential id, and challenges, `challenge#…`, for five minutes. */
  passkeys: { partition: 'id', indexes: { byUser }, ttl: true },
  /** The audit trail per user. Entries are never changed or removed. */
  audit: { partition: 'userId', sort: 'id' },
  /** Follow-ups, `int_…`, written in the transaction of their change; `due` finds overdue ones. */
  outbox: { partition: 'userId', sort: 'id', indexes: { due }, ttl: true },
  /**
   * Per user: `wallet`, ledger `txn_…`, checkouts `chk_…`, once-keys `once#…`, daily usage per group `use#…` and its
   * sum `day#…`, `spent#tok_…`, `counted#…`, `refused#sub_…`, `grace`, `auto-topup`, `check`, expired holds `late#…`,
   * reported limits `reached#…`. Only `use#…` and `reached#…` have `ttl`.
   */
  wallets: { partition: 'userId', sort: 'item', indexes: { due }, ttl: true },
  /** One instance per user; `due` finds those to check again, and lists failed ones under `failed`. */
  instances: { partition: 'userId', indexes: { due } },
  /** Runs of the agent's machine that ended, by generation, for 90 days. */
  runs: { partition: 'userId', sort: 'id', ttl: true },
  /** Per user: `variables`, `secrets`, schedules `sch_…`, skills `skill#…`, personas `persona#…`, `version#…`. */
  settings: { partition: 'userId', sort: 'item' },
  /** Hooks by id, recent deliveries `delivery#…`, and their number per hour `hour#…`. */
  hooks: { partition: 'id', indexes: { byUser }, ttl: true },
  /**
   * Per user: webhook endpoints `whe_…` and their number `count`, browsers for push `psh_…` and their number `devices`,
   * deliveries of a week `dlv#…` and their number per hour `hour#…`; `due` finds deliveries to send.
   */
  webhooks: { partition: 'userId', sort: 'item', indexes: { due }, ttl: true },
  /** Per user: notifications `ntf_…`, `unread` ids, keys of one-time facts `once#…`, counts per day `day#…`. */
  notifications: { partition: 'userId', sort: 'item', ttl: true },
  /** Machines' measurements, one item per minute. */
  samples: { partition: 'userId', sort: 'minute', ttl: true },
  /** The progress of each agent image. */
  rollouts: { partition: 'version' },
  /** Operators' blocks: models, providers, users, and `model-fields`, fields of calls that cost more than the price. */
  denied: { partition: 'list' },
  /**
   * Operators' data: notices `ntc_…`, progress of the `books` check, each operator's `totals` and `views`, and
   * `suspended` users.
   */
  console: { partition: 'list', sort: 'id', ttl: true },
  /**
   * Per user: conversations `cnv_…`, state of the main one `main`, messages `in#<conversation>#msg_…`, the agent's
   * questions in them `asked#<conversation>#qst_…`, attachments `att_…`, open prompts `prm_…`, tasks `tsk_…`. For a
   * while: deleted conversations that are not erased yet `gone#cnv_…`, questions to answer `qst_…`, how prompts and tasks ended `end#…`, keys of unasked messages `once#…` and their
   * number per hour `hour#…`, attachments per day `day#…`.
   */
  conversations: { partition: 'userId', sort: 'item', ttl: true, stream: true },
  /**
   * Chats of other platforms. By chat `chat#…`: its `link` and incoming messages `in#…`. By user `user#…`: links
   * `link#lnk_…`, outgoing messages `out#…`, their progress per chat `sent#…`. Besides: a person's direct chat
   * `person#…` and wrong codes per hour `guesses#…`, open codes by hash `code#…`, workspaces `slack-team#T…`.
   */
  channels: { partition: 'id', sort: 'item', indexes: { byUser, due }, ttl: true, stream: true },
  points: { partition: 'userId', sort: 'id' },
  /** Events of one day. */
  events: { partition: 'userId', sort: 'id', ttl: true, stream: true },
  /** Open WebSocket connections, `con_…` per user, and each by its own id, `connection#…`. */
  connections: { partition: 'userId', sort: 'item', ttl: true },
} as const satisfies Record<string, TableShape>

export type TableName = keyof typeof tables

export type TableAction =
  | `${'BatchGet' | 'BatchWrite' | 'ConditionCheck' | 'Delete' | 'Get' | 'Put' | 'Update'}Item`
  | 'Query'

export const readsOnly = (action: TableAction): boolean => /^(BatchGet|ConditionCheck|Get|Query)/.test(action)

/**
 * Tables with a person's own words, files and secrets. Erasing an account leaves nothing here. The ledger (`wallets`)
 * and the audit trail contain only ids and are kept, like the mailbox hashes in `trials`. `users` loses the address.
 * Items of `logins`, `rates`, `oauth` and `connections` expire.
 */
export const personalTables = [
  'tokens',
  'sessions',
  'passkeys',
  'outbox',
  'instances',
  'runs',
  'settings',
  'hooks',
  'webhooks',
  'notifications',
  'samples',
  'conversations',
  'channels',
  'points',
  'events',
] as const satisfies readonly TableName[]

export const tableEnv = (name: TableName): string => `${name.toUpperCase()}_TABLE`
