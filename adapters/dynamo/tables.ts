/** How a table is keyed. Indexes hold keys only, so a write that does not touch those keys costs nothing more. */
export interface TableShape {
  partition: string
  sort?: string
  /** Changes in it start jobs, which see items before and after. */
  stream?: true
  /** Items carry `ttl`, seconds since 1970, after which they may vanish; readers check it all the same. */
  ttl?: true
  indexes?: Record<string, { partition: string; sort: string; sortType?: 'number' }>
}

const due = { partition: 'dueShard', sort: 'dueAt', sortType: 'number' } as const
const byUser = { partition: 'userId', sort: 'createdAt' } as const

/** Every table of the service: the template makes them, the adapters use them. All keys are strings unless said. */
export const tables = {
  /**
   * PATs by hashed id, and connected apps with their refresh tokens' hashes; `minted#…` lists what a token minted,
   * `places#…` a user's live tokens.
   */
  tokens: { partition: 'id', indexes: { byUser }, ttl: true, stream: true },
  /** Browser sessions by hashed id. */
  sessions: { partition: 'id', indexes: { byUser }, ttl: true, stream: true },
  /** Unused sign-in mails by e-mail address or `own#…`, their secrets by `attempt#…`, codes a day by `network#…`. */
  logins: { partition: 'email', ttl: true },
  /** Programs that registered themselves, `client#…`, and authorization codes by their hash, `code#…`. */
  oauth: { partition: 'id', ttl: true },
  /** Rate windows by their owner, `open#…`: the slots that open connections hold, `key#…`: idempotency keys. */
  rates: { partition: 'subject', ttl: true },
  /**
   * Users by `usr_` id, and one `email#…` item a user that keeps addresses unique; `due` finds accounts to erase,
   * `byShard` all.
   */
  users: { partition: 'id', indexes: { due, byShard: { partition: 'shard', sort: 'id' } } },
  /**
   * Trials: what a UTC day has given, `day#…`, and counted by network, `network#…`, and mail domain, `domain#…`; each
   * mailbox that had one, by its hash, `mailbox#…`, for ever; `switch` while an operator has stopped them.
   */
  trials: { partition: 'id', ttl: true },
  /** Passkeys by hashed credential id, and challenges `challenge#…` for five minutes. */
  passkeys: { partition: 'id', indexes: { byUser }, ttl: true },
  /** The audit trail per user: actor, action and record; entries are never changed or removed. */
  audit: { partition: 'userId', sort: 'id' },
  /** Follow-ups of a change, written with it (`int_…`); `due` finds overdue ones. */
  outbox: { partition: 'userId', sort: 'id', indexes: { due }, ttl: true },
  /**
   * Per user: `wallet`, the ledger `txn_…`, checkouts `chk_…`, once-keys `once#…`, usage of a day by group, `use#…` for
   * a while, and as its sum, `day#…`; `spent#tok_…`, `counted#…`, `refused#sub_…`, `grace`, `auto-topup`, `check`,
   * expired holds `late#…`, reported limits `reached#…`. Nothing but `use#…` and `reached#…` ever carries `ttl`.
   */
  wallets: { partition: 'userId', sort: 'item', indexes: { due }, ttl: true },
  /** One instance a user; `due` finds those to look at again, and under `failed` those that nothing looks at. */
  instances: { partition: 'userId', indexes: { due } },
  /**
   * Per user: `variables`, `secrets`, schedules `sch_…`, chosen skills `skill#…`, own personas `persona#…` and
   * `version#…`.
   */
  settings: { partition: 'userId', sort: 'item' },
  /** Hooks by id, and for a while the deliveries that were taken, `delivery#…`, and how many an hour, `hour#…`. */
  hooks: { partition: 'id', indexes: { byUser }, ttl: true },
  /**
   * Per user: webhook endpoints `whe_…`, how many, `count`, browsers that are pushed to `psh_…`, how many, `devices`,
   * for a week what was delivered to them, `dlv#…`, and how much of that within an hour, `hour#…`; `due` finds what is
   * to be sent.
   */
  webhooks: { partition: 'userId', sort: 'item', indexes: { due }, ttl: true },
  /**
   * Per user: notifications, `ntf_…`, the ids of unread ones, `unread`, keys of facts that happen once, `once#…`, and
   * the count of a group in a day, `day#…`.
   */
  notifications: { partition: 'userId', sort: 'item', ttl: true },
  /** Machines' measurements, a sample a minute. */
  samples: { partition: 'userId', sort: 'minute', ttl: true },
  /** How far each image of the agent has come. */
  rollouts: { partition: 'version' },
  /**
   * Operators' blocks: `model-fields`, the fields of model calls that cost more than their price, with blocked models,
   * providers and users.
   */
  denied: { partition: 'list' },
  /**
   * Operators' data: `notices` for users by `ntc_…`, the progress of the check of the `books`, each operator's total of
   * a day, `totals`, and current views, `views`.
   */
  console: { partition: 'list', sort: 'id', ttl: true },
  /**
   * Per user: conversations `cnv_…`, their messages `in#<conversation>#msg_…`, attachments `att_…`, open prompts
   * `prm_…`, tasks `tsk_…` and questions `qst_…`; for a while how those ended, `end#…`, what was said unasked,
   * `once#…`, how much of that within an hour, `hour#…`, and how much was attached in a day, `day#…`.
   */
  conversations: { partition: 'userId', sort: 'item', ttl: true, stream: true },
  /**
   * Chats of other platforms. By chat, `chat#…`: its `link`, what came from it `in#…`; by user, `user#…`: links
   * `link#lnk_…`, what goes to chats `out#…`, and how far each came there `sent#…`; the direct chat of a person,
   * `person#…`, and the person's wrong codes an hour, `guesses#…`; open codes by their hash, `code#…`; workspaces that
   * have our app, `slack-team#T…`.
   */
  channels: { partition: 'id', sort: 'item', indexes: { byUser, due }, ttl: true, stream: true },
  /** Restore points of each user's volume. */
  points: { partition: 'userId', sort: 'id' },
  /** A user's events of a day. */
  events: { partition: 'userId', sort: 'id', ttl: true, stream: true },
  /** Open WebSocket connections, `con_…` per user; and each by its own id, `connection#…`. */
  connections: { partition: 'userId', sort: 'item', ttl: true },
} as const satisfies Record<string, TableShape>

export type TableName = keyof typeof tables

/** A table's possible actions, in DynamoDB's own names. */
export type TableAction =
  | `${'BatchGet' | 'BatchWrite' | 'ConditionCheck' | 'Delete' | 'Get' | 'Put' | 'Update'}Item`
  | 'Query'

/** Reading actions. */
export const readsOnly = (action: TableAction): boolean => /^(BatchGet|ConditionCheck|Get|Query)/.test(action)

/**
 * Tables with a person's own words, files and secrets: an erased account leaves nothing here. The ledger (`wallets`)
 * and the audit trail hold ids alone and are kept, `trials` hashes of mailboxes; `users` loses the address; `logins`,
 * `rates`, `oauth` and `connections` vanish by themselves.
 */
export const personalTables = [
  'tokens',
  'sessions',
  'passkeys',
  'outbox',
  'instances',
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

/** The environment variable that carries a table's physical name. */
export const tableEnv = (name: TableName): string => `${name.toUpperCase()}_TABLE`
