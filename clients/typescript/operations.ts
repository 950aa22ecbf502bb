// Generated from the operations by "npm run generate"; do not edit.

export type ErrorCode = 'unauthorized' | 'forbidden' | 'not-found' | 'validation' | 'invalid-json' | 'rate-limited' | 'wallet-empty' | 'spending-limit' | 'wallet-suspended' | 'repeated-calls' | 'provider-error' | 'too-large' | 'missing-id' | 'conflict' | 'internal'

/** A hosted checkout page for the user to open. */
export type Checkout = {
  id: string
  url: string
  /** ISO 8601 UTC. */
  expiresAt: string
}

/** How the prompt was closed, and the agent’s comment; null while it is open. */
export type TurnEnd = {
  outcome: "completed" | "failed" | "needs_input" | "stopped"
  note: string | null
} | null

/** Its manifest’s declared access. The agent knows this declaration; nothing enforces it. */
export type SkillAccess = {
  network: Array<string>
  reads: Array<string>
  writes: Array<string>
}

/** Null for a file that was added. */
export type FileVersionBeforeOutput = FileVersionOutput | null

/** Null for a file that was removed. */
export type FileVersionNowOutput = FileVersionOutput | null

/** The address for the PUT of the bytes. */
export type AttachmentUpload = {
  url: string
  /** Headers to send with it, in addition to exactly its `Content-Length`. */
  headers: Record<string, string>
  /** ISO 8601 UTC. */
  expiresAt: string
}

/** The newest restore point if it contains the file, or anything in the folder; otherwise null. */
export type KeptInPoint = {
  id: string
  /** ISO 8601 UTC. */
  createdAt: string
} | null

export type AcceptedTerms = {
  version: string
  /** ISO 8601 UTC. */
  at: string
}

export type Account = {
  id: string
  email: string
  /** ISO 8601 UTC. */
  createdAt: string
}

export type AccountExport = {
  transactions: Array<Transaction>
  /** All conversations except the main one. */
  conversations: Array<Conversation>
  /** Conversation after conversation, oldest first. */
  messages: Array<Message>
  audit: Array<AuditEntry>
  notifications: Array<Notification>
  /** Your own personas, in all stored versions. */
  personas: Array<{
    id: string
    name: string
    description: string
    version: number
    /** ISO 8601 UTC. */
    savedAt: string
    files: Array<{
      path: string
      text: string
    }>
    copiedFrom: string | null
  }>
  /** Runs of the machine that ended in the last 90 days. */
  runs: Array<MachineRun>
  account?: Account
  /** The terms that were accepted last. */
  terms?: AcceptedTerms | null
  subscription?: Subscription
  wallet?: Wallet
  instance?: Instance | null
  /** Names of the instance’s variables; nobody can read the values. */
  variables?: Array<string>
  schedules?: Array<Schedule>
  hooks?: Array<Hook>
  /** The linked chats. */
  channels?: Array<ChannelLink>
  webhookEndpoints?: Array<WebhookEndpoint>
  skills?: Array<{
    /** The slug. */
    id: string
    version: string
    enabled: boolean
  }>
  restorePoints?: Array<RestorePoint>
  tokens?: Array<Pat>
  sessions?: Array<Session>
  passkeys?: Array<Passkey>
  /** The kinds muted for e-mail or push. */
  muted?: Array<"mail.money" | "mail.machine" | "mail.chat" | "mail.schedules" | "mail.product" | "push.money" | "push.machine" | "push.chat" | "push.schedules" | "push.product">
  pushDevices?: Array<PushDevice>
  /** ISO 8601 UTC. */
  exportedAt: string
  /** The start of the next part; null in the last part. */
  nextCursor: string | null
}

export type Activity = {
  /** The runtime’s own id, the same at the beginning and the end of a step. */
  id: string
  tool: string
  state: "started" | "finished" | "failed"
  /** Its object: a file, a command, an address. */
  target?: string
  durationMs?: number
  /** The size of its result. */
  bytes?: number
  /** The name of the sub-agent that does it. */
  child?: string
}

export type Attachment = {
  id: string
  name: string
  /** Its media type, according to the sender. */
  type: string
  bytes: number
}

export type AuditEntry = {
  id: string
  /** ISO 8601 UTC. */
  at: string
  /** The action: an operation’s id. */
  operation: string
  /** The id of the changed record. */
  record: string
  actor: {
    kind: "session" | "pat" | "machine" | "anonymous" | "service" | "operator" | "channel"
    /** The session, token, instance, linked chat or operator’s account that acted. */
    id: string | null
  }
  /** The reason, if an operator did it. */
  reason?: string
  /** The account concerned, in the operators’ own trail. */
  user?: string
}

export type AuthorizationRequest = {
  client: {
    id: string
    /** The name that it gave itself; not verified. */
    name: string
    /** The host of its id; null for a registered client. */
    host: string | null
  }
  /** The host that gets the answer. */
  redirectHost: string
  scopes: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
}

export type AutoTopup = {
  enabled: boolean
  /** US cents the balance may fall to. */
  thresholdCents: number
  /** US cents: 500 is $5.00. */
  amountCents: number
  /** The maximum charge in a month, in US cents. */
  monthlyCapCents: number
}

export type BooksRun = {
  /** ISO 8601 UTC. */
  startedAt: string
  /** ISO 8601 UTC. */
  finishedAt: string | null
  checked: number
  wrong: number
  /** The first fifty of them. */
  differences: Array<{
    /** The account. */
    user: string
    /** The difference, in µUSD. */
    says: Array<string>
  }>
  /** Users that were skipped; check them separately. */
  skipped: Array<string>
}

export type ChannelDelivery = {
  id: string
  direction: "in" | "out"
  platform: "telegram" | "slack" | "discord"
  /** The id of the linked chat; empty once it is unlinked. */
  chat: string
  state: "received" | "done" | "ignored" | "open" | "sending" | "sent" | "failed"
  /** The beginning of the text. */
  text: string
  failures: number
  /** The reason why it was ignored or failed. */
  reason: string | null
  /** ISO 8601 UTC. */
  nextTryAt: string | null
  /** ISO 8601 UTC. */
  at: string
}

export type ChannelLink = {
  id: string
  platform: "telegram" | "slack" | "discord"
  kind: "direct" | "group"
  /** The name of a group; null for a direct chat. */
  title: string | null
  /** The name of the linked person on the platform. */
  person: string
  /** The conversation of its messages. */
  conversation: string
  /** Whether the agent’s unsolicited messages and the results of schedules go to this chat. */
  home: boolean
  /** `lost`: the chat is gone, or our bot was removed from it. */
  state: "linked" | "lost"
  /** ISO 8601 UTC. */
  createdAt: string
}

export type ChannelPlatform = {
  platform: "telegram" | "slack" | "discord"
  /** The bot’s name on the platform. */
  name: string
  /** The address that starts a chat with the bot. */
  startUrl: string
}

export type Conversation = {
  id: string
  /** Null until the first message, whose beginning becomes the title. */
  title: string | null
  startedBy: "user" | "agent"
  /** Hidden from the list until the next message. */
  archived: boolean
  /** Listed before the others in the dashboard. */
  pinned: boolean
  /** The agent has written since the user last opened it or wrote in it. */
  unread: boolean
  /** The model of its replies, as `provider/model`. Null, or a removed model: the instance’s default. */
  model: string | null
  /** ISO 8601 UTC. */
  createdAt: string
  /** ISO 8601 UTC. */
  lastMessageAt: string | null
}

export type DeadLetter = {
  kind: "follow-up" | "chat" | "webhook"
  /** The account. */
  user: string
  id: string
  /** The id of a webhook’s delivery. */
  endpoint: string | null
  /** Which kind of work, never its content. */
  what: string
  /** The reason for the failure, if known. */
  why: string | null
  /** ISO 8601 UTC. */
  at: string
  /** Null after the last attempt. */
  nextTryAt: string | null
}

export type FailedCall = {
  /** ISO 8601 UTC. */
  at: string
  callId: string
  model: string
  provider: string
  /** The reason why the provider gave no answer. */
  reason: "no-connection" | "cut-off" | "busy" | "provider-fault" | "account-unpaid" | "key-refused" | "forbidden" | "request-refused" | "unknown-address" | "redirected" | "compressed" | "not-json" | "no-answer" | "error-in-answer" | "too-large" | "time-up" | "stopped"
}

export type FileChangeOutput = {
  path: string
  change: "added" | "changed" | "removed"
  before: FileVersionBeforeOutput
  now: FileVersionNowOutput
}

export type FileDiff = {
  path: string
  lines: Array<{
    kind: "same" | "added" | "removed"
    text: string
  }>
}

export type FileEntryOutput = {
  /** Bytes that are not UTF-8 are written `\xHH`, a backslash as two. */
  name: string
  /** Only files can be read. */
  kind: "file" | "folder" | "link" | "other"
  /** Bytes; 0 for anything but a file. */
  size: number
  /** ISO 8601 UTC. */
  changedAt: string
}

export type FileSummaryOutput = {
  files: number
  bytes: number
  /** Entries that were skipped. */
  skipped: {
    links: number
    devices: number
    sockets: number
    pipes: number
    unreadable: number
  }
}

export type FileVersionOutput = {
  /** Bytes. */
  size: number
  /** ISO 8601 UTC. */
  changedAt: string
}

export type FilesTask = {
  id: string
  state: "open" | "done" | "failed"
  failure: string | null
  /** The contents of an export, and the files left out. */
  summary: FileSummaryOutput | null
  /** Files written by a restore or an undone reply. */
  files: number | null
  /** The download address of a finished export, valid for some minutes. */
  url: string | null
}

export type FleetMachine = {
  /** The account. */
  user: string
  instance: string
  state: "provisioning" | "running" | "pausing" | "paused" | "resuming" | "refreshing" | "failed" | "deleting" | "deleted"
  generation: number
  imageVersion: string
  /** In one sentence. */
  why: string
  /** Its code, where one is in the way. */
  failure: string | null
  failedStarts: number
  crashes: number
  /** The time since which it is stuck or failed. */
  since: string | null
}

export type FoundEntryOutput = {
  /** Bytes that are not UTF-8 are written `\xHH`, a backslash as two. */
  name: string
  /** Only files can be read. */
  kind: "file" | "folder" | "link" | "other"
  /** Bytes; 0 for anything but a file. */
  size: number
  /** ISO 8601 UTC. */
  changedAt: string
  path: string
}

export type FoundMessage = {
  id: string
  role: "user" | "agent"
  conversation: string
  /** ISO 8601 UTC. */
  at: string
  /** The text around the first word. */
  excerpt: string
}

export type GivenAnswer = {
  approved?: boolean
  choice?: string
  text?: string
}

export type Health = {
  ok: boolean
  /** ISO 8601 UTC. */
  timestamp: string
}

export type Hook = {
  id: string
  name: string
  /** The agent’s instruction for a delivery. */
  text: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** Its latest delivery: whether the agent was prompted, or the reason why not. */
  lastDelivery: {
    /** ISO 8601 UTC. */
    at: string
    outcome: "sent" | "paused" | "no-instance" | "wallet-empty"
  } | null
  /** The address for deliveries, by POST. */
  address: string
}

export type Instance = {
  id: string
  state: "provisioning" | "running" | "pausing" | "paused" | "resuming" | "refreshing" | "failed" | "deleting" | "deleted"
  desiredState: "running" | "paused" | "deleted"
  reason: "subscribed" | "user" | "idle" | "billing" | "volume" | "message" | "schedule" | "refresh" | "image" | "crash" | "host" | "ready" | "failure"
  /** Default model, as `provider/model`. */
  model: string
  persona: string
  /** The agent’s program. */
  runtime: string
  imageVersion: string
  generation: number
  /** ISO 8601 UTC. */
  createdAt: string
  /** The time since which it has this state; null if unknown. */
  since: string | null
  /** ISO 8601 UTC. */
  startedAt: string | null
  /** ISO 8601 UTC. */
  lastActivityAt: string | null
  /** ISO 8601 UTC. */
  idleStopAt: string | null
  failure?: {
    code: string
    message: string
    recoverable: boolean
  }
  /** The recent duration of this state; null for a state that lasts until a request, and before the first time. */
  usualSeconds: number | null
  /** One sentence: why the machine runs or is paused, and what happens next. */
  explanation: string
}

export type InstanceSecret = {
  /** The only hosts that may receive it. */
  hosts: Array<string>
  header: string
  template: string
  name: string
  /** ISO 8601 UTC. */
  updatedAt: string
}

export type InstanceStatus = {
  instance: Instance | null
  wallet: Wallet
  subscription: Subscription
  /** The account’s only trial, even after its end; null if it had none. */
  trial: Trial | null
}

export type Invoice = {
  id: string
  number: string | null
  /** ISO 8601 UTC. */
  at: string
  /** US cents. */
  amountCents: number
  status: "draft" | "open" | "paid" | "void" | "uncollectible"
  description: string
  /** The provider’s page of this invoice. */
  url: string | null
}

export type LedgerTotals = {
  /** ISO 8601 UTC. */
  from: string
  /** ISO 8601 UTC. */
  to: string
  /** Top-ups and plans, less what was taken back, in µUSD. */
  moneyInMicros: number
  /** Top-ups, in µUSD. */
  toppedUpMicros: number
  /** Paid months of plans at their present prices, in µUSD. */
  planMicros: number
  /** Credit taken back after refunds and disputes, in µUSD. */
  takenBackMicros: number
  /** Credit of trials, promotions and corrections, in µUSD. */
  givenMicros: number
  /** Charged for model calls, in µUSD. */
  chargedMicros: number
  /** The part of `chargedMicros` above the providers’ prices, in µUSD. Machines are not included. */
  marginMicros: number
  /** Model calls with an answer. */
  calls: number
  /** Model calls without one. */
  failedCalls: number
  firstWord: {
    /** Messages in chats that got an answer. */
    messages: number
    /** Half of them had a first word within this time, wake-up included; null above a minute. */
    halfWithinMs: number | null
    /** The same for 95 in 100. */
    mostWithinMs: number | null
  }
}

export type ListedUser = {
  account: Account
  /** `trial`: had a trial, and no plan since. */
  plan: "none" | "trial" | "starter" | "pro"
  /** The end of the trial; null without one. */
  trialEndsAt: string | null
  /** Whether the wallet is suspended. */
  suspended: boolean
  /** When a deleted account is erased. */
  eraseAt: string | null
  /** The state of the instance; null without one. */
  machine: "provisioning" | "running" | "pausing" | "paused" | "resuming" | "refreshing" | "failed" | "deleting" | "deleted" | null
  /** Spendable now, in µUSD. */
  balanceMicros: number
}

export type LogLine = {
  /** ISO 8601 UTC. */
  at: string
  message: string
  /** The machine that wrote it. */
  machine: string
}

export type MachineRun = {
  /** The generation of the machine, which differs for each run. */
  generation: number
  /** The time at which the machine was asked to start. */
  requestedAt: string
  /** Why the machine was started. */
  startReason: "subscribed" | "user" | "message" | "schedule" | "refresh" | "image" | "billing" | "crash" | "host"
  /** The time from which the machine ran; null if never. */
  readyAt: string | null
  /** The time at which it had stopped; null until then. */
  endedAt: string | null
  /** Why it stopped; null until it has. */
  endReason: "idle" | "user" | "billing" | "volume" | "refresh" | "image" | "crash" | "host" | "failure" | "deleted" | null
  /** The code of the failure that ended the run, if any. */
  failureCode: string | null
  /** Seconds from the request until it ran. */
  startSeconds: number | null
  /** Seconds for which it ran, until now if it still runs. */
  awakeSeconds: number
}

export type MainConversation = {
  /** The agent has written since the user last opened it or wrote in it. */
  unread: boolean
  /** The model of its replies, as `provider/model`. Null, or a removed model: the instance’s default. */
  model: string | null
}

export type Message = {
  id: string
  role: "user" | "agent"
  text: string
  conversation: string
  channel: "web" | "telegram" | "slack" | "discord"
  /** ISO 8601 UTC. */
  at: string
  attachments?: Array<Attachment>
  inReplyTo?: string
  /** How the reply ended, if it was not completed. The text of a stopped one is a beginning. */
  outcome?: "failed" | "needs_input" | "stopped"
  /** The error of the model call that the reply reports. */
  refusal?: "unauthorized" | "forbidden" | "not-found" | "validation" | "invalid-json" | "rate-limited" | "wallet-empty" | "spending-limit" | "wallet-suspended" | "repeated-calls" | "provider-error" | "too-large" | "missing-id" | "conflict" | "internal"
  /** The first version of the user’s message of which this one is a new version. The conversation continues from the message before that one. */
  replaces?: string
}

export type MintedPat = {
  id: string
  name: string
  tokenPrefix: string
  scopes: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
  status: "active" | "expired" | "revoked"
  /** ISO 8601 UTC. */
  expiresAt: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** The time of the last successful request, to within five minutes. For a connected app: of any of its tokens, or of a renewal. */
  lastUsedAt: string | null
  /** The name of the program that used it last, as one line of plain text: `clientInfo` of MCP, or `User-Agent`. The name is not verified. */
  lastClient?: string
  /** ISO 8601 UTC. */
  revokedAt: string | null
  replaces?: string
  /** Maximum total spending on model calls, in µUSD; absent without a cap. */
  capMicros?: number
  /** Maximum spending on model calls in a UTC day, in µUSD; absent without a cap. */
  dailyCapMicros?: number
  /** Maximum spending on model calls in a calendar month (UTC), in µUSD; absent without a cap. */
  monthlyCapMicros?: number
  /** Its total spending and holds, in µUSD; only on tokens with `api:llm`. */
  spentMicros?: number
  /** The part of this UTC day, µUSD. */
  spentTodayMicros?: number
  /** The part of this calendar month (UTC), µUSD. */
  spentThisMonthMicros?: number
  /** The program that was connected in a browser and renews its tokens by itself. It chose its `name` itself. */
  app?: {
    /** How the app names itself to the authorization server. */
    clientId: string
    /** The host of the app’s id, or of the address that got its code. */
    host: string
    /** Maximum total spending, in µUSD. */
    capMicros?: number
  }
  /** The full bearer token. Shown once, never again. */
  plaintext: string
}

export type Model = {
  /** As `provider/model`. */
  id: string
  provider: string
  /** The provider’s format. Requests in this format are passed on unchanged; all others are translated. */
  formats: Array<"openai-chat" | "openai-responses" | "anthropic-messages" | "openai-embeddings">
  contextTokens: number | null
  maxOutputTokens: number | null
  /** A call’s price, markup included, in µUSD per million tokens. */
  prices: {
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    input: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    cachedInput: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    cacheWrite: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    output: number
  }
  /** The price of one web search by the provider. Absent if the provider offers none. */
  searchMicros?: number
  /** The prices of a whole call with an input of more than this many tokens. */
  longContext?: {
    aboveTokens: number
    prices: {
      /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
      input: number
      /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
      cachedInput: number
      /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
      cacheWrite: number
      /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
      output: number
    }
  }
}

export type Notice = {
  /** The notice’s id. */
  id: string
  text: string
  /** ISO 8601 UTC. */
  at: string
  /** ISO 8601 UTC. */
  until: string
}

export type Notification = {
  id: string
  kind: "wallet-low" | "wallet-empty" | "limit-reached" | "token-limit-reached" | "auto-topup-failed" | "payment-failed" | "machine-failed" | "volume-full" | "volume-stopped" | "runaway-stopped" | "restore-ended" | "restore-failed" | "question-asked" | "reply-ended" | "reply-failed" | "schedule-failed" | "signed-in" | "passkey-added" | "token-created" | "token-leaked" | "chat-linked" | "endpoint-disabled" | "notice"
  group: "money" | "machine" | "chat" | "schedules" | "product" | "security"
  /** ISO 8601 UTC. */
  at: string
  facts: NotificationFacts
  /** The related page of the dashboard. */
  page: string
  read: boolean
}

export type NotificationFacts = {
  /** A text by an agent or an operator. */
  text?: string
  /** The name of a token, passkey, device or endpoint. */
  name?: string
  /** The reason, as a code. */
  because?: string
  /** An amount, µUSD. */
  micros?: number
}

export type OperatorNotice = {
  /** The notice’s id. */
  id: string
  text: string
  /** ISO 8601 UTC. */
  at: string
  /** ISO 8601 UTC. */
  until: string
  /** The users; null for all users. */
  to: Array<string> | null
  /** The operator’s account. */
  by: string
}

export type Passkey = {
  id: string
  name: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** ISO 8601 UTC. */
  lastUsedAt: string | null
  /** Kept by a password manager on several devices. */
  synced: boolean
}

export type Pat = {
  id: string
  name: string
  tokenPrefix: string
  scopes: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
  status: "active" | "expired" | "revoked"
  /** ISO 8601 UTC. */
  expiresAt: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** The time of the last successful request, to within five minutes. For a connected app: of any of its tokens, or of a renewal. */
  lastUsedAt: string | null
  /** The name of the program that used it last, as one line of plain text: `clientInfo` of MCP, or `User-Agent`. The name is not verified. */
  lastClient?: string
  /** ISO 8601 UTC. */
  revokedAt: string | null
  replaces?: string
  /** Maximum total spending on model calls, in µUSD; absent without a cap. */
  capMicros?: number
  /** Maximum spending on model calls in a UTC day, in µUSD; absent without a cap. */
  dailyCapMicros?: number
  /** Maximum spending on model calls in a calendar month (UTC), in µUSD; absent without a cap. */
  monthlyCapMicros?: number
  /** Its total spending and holds, in µUSD; only on tokens with `api:llm`. */
  spentMicros?: number
  /** The part of this UTC day, µUSD. */
  spentTodayMicros?: number
  /** The part of this calendar month (UTC), µUSD. */
  spentThisMonthMicros?: number
  /** The program that was connected in a browser and renews its tokens by itself. It chose its `name` itself. */
  app?: {
    /** How the app names itself to the authorization server. */
    clientId: string
    /** The host of the app’s id, or of the address that got its code. */
    host: string
    /** Maximum total spending, in µUSD. */
    capMicros?: number
  }
}

export type Persona = {
  id: string
  /** Its name, in any script; the id stays when the name changes. */
  name: string
  description: string
  active: boolean
  version: number
  builtIn: boolean
  /** The id of the persona that it was copied from. */
  copiedFrom: string | null
  files: Array<{
    characters: number
    /** An estimate. */
    tokens: number
    path: string
  }>
  size: {
    characters: number
    /** An estimate. */
    tokens: number
    /** The maximum number of characters that the agent reads. */
    maxCharacters: number
  }
}

export type Plan = {
  id: "starter" | "pro"
  name: string
  priceCents: number
  interval: "month"
  machine: {
    cpu: number
    memoryMiB: number
    storageGiB: number
  }
  idle: {
    /** Minutes without activity after which the machine is asked to pause. */
    minutes: number
    /** Minutes without activity after which the machine is stopped even if it reports work. */
    ceilingMinutes: number
  }
  schedules: {
    /** Maximum number of schedules. */
    most: number
    /** Maximum schedules that the agent creates itself. */
    byAgent: number
    /** Minimum minutes between two runs of a schedule. */
    leastMinutes: number
  }
  hooks: {
    /** Maximum number of hooks. */
    most: number
    /** Maximum deliveries to one hook in an hour. */
    deliveriesAnHour: number
    /** Maximum deliveries to all hooks in a UTC day. */
    aDay: number
    /** Maximum bytes of these deliveries for the agent. */
    bytesADay: number
  }
  webhookEndpoints: {
    /** Maximum number of webhook endpoints. */
    most: number
    /** Maximum deliveries to one endpoint in an hour. */
    deliveriesAnHour: number
    /** Maximum deliveries to all endpoints in a UTC day. */
    aDay: number
    /** Maximum bytes of these deliveries. */
    bytesADay: number
  }
  messages: {
    /** Maximum messages that wait for an answer, including those of hooks and schedules. */
    waiting: number
    /** Maximum bytes of the waiting texts. */
    waitingBytes: number
    /** Maximum messages of people and their programs in a UTC day. */
    aDay: number
    /** Maximum bytes of their texts. */
    bytesADay: number
  }
  /** The wallet credit that each paid month includes, in µUSD. */
  includedMicros: number
}

export type PushDevice = {
  id: string
  /** Browser family and system. */
  name: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** The time since which the push service has refused everything. */
  failingSince: string | null
  /** Whether the session of this request added it. */
  current: boolean
}

export type Question = {
  text: string
  /** The kind of answer: yes or no, one of `choices`, or a text. */
  answer: "approve" | "choose" | "text"
  choices?: Array<string>
  /** The tool that would be called. */
  tool?: string
  /** Its arguments: the answer is valid for exactly these. */
  arguments?: object
  id: string
  promptId: string | null
  /** The conversation of its prompt; `main` without one. */
  conversation?: string
  /** SHA-256 of `arguments` as JSON with sorted keys, in hex: an approval is valid for exactly these. */
  argumentsSha256: string | null
  /** ISO 8601 UTC. */
  askedAt: string
  /** ISO 8601 UTC. */
  expiresAt: string
  state: "open" | "answered" | "expired"
  given: GivenAnswer | null
  /** ISO 8601 UTC. */
  answeredAt: string | null
}

export type RestorePoint = {
  id: string
  state: "making" | "ready" | "failed"
  reason: "demand" | "daily" | "refresh" | "upgrade" | "persona" | "runtime" | "restore"
  /** ISO 8601 UTC. */
  createdAt: string
  /** ISO 8601 UTC. */
  completedAt: string | null
  summary: FileSummaryOutput | null
  /** The bytes that it added to the earlier points. */
  newBytes: number | null
  failure: string | null
}

export type ReturnedMails = {
  /** The time of the last permanent bounce. */
  bouncedAt: string | null
  /** The time of the last complaint. */
  complainedAt: string | null
}

export type Rollout = {
  version: string
  state: "rolling" | "halted"
  /** The number of healthy machines with the image. */
  healthy: number
  /** Users whose machines are trying the image. */
  trying: Array<string>
  /** Users on whose machines the image failed; they keep the previous image. */
  failed: Array<string>
}

export type Runtime = {
  name: string
  title: string
  licence: string
  /** The memory of a whole machine that runs it, including the supervisor. */
  memoryMiB: number
  supports: RuntimeSupport
  /** The program’s package; null if it is part of the image. */
  version: string | null
  /** The cheapest plan with a large enough machine. */
  plan: "starter" | "pro" | null
  active: boolean
}

export type RuntimeSupport = {
  /** How a reply appears: word by word, or message by message. */
  text: "words" | "messages"
  /** Whether tool calls are reported at their beginning, or at their end. */
  activity: "live" | "afterwards" | null
  stop: boolean
  /** Whether the model sees images in messages. */
  images: boolean
  /** The model’s tool that attaches a file to the reply; null without one. */
  attaches: string | null
  questions: boolean
  /** Whether it sends unsolicited messages, besides schedules. */
  unasked: boolean
  /** Whether its memory follows the newest branch when a message is replaced by a new version. */
  branches: boolean
}

export type Sample = {
  /** The share of the plan’s processor, over the last minute. */
  cpuPercent: number
  memoryBytes: number
  memoryLimitBytes: number
  /** Used on the volume. */
  diskBytes: number
  /** Since the machine started. */
  uptimeSeconds: number
  /** ISO 8601 UTC. */
  at: string
}

export type Schedule = {
  id: string
  /** Minute, hour, day of month, month, day of week. */
  cron: string
  timeZone: string
  /** The time of a single run, which `cron` also contains; null for a repeated schedule. */
  at: string | null
  /** The creator. */
  by: "user" | "agent"
  /** The prompt of its runs. */
  text: string
  /** Whether it runs at its exact minute. */
  exact: boolean
  /** ISO 8601 UTC. */
  createdAt: string
  /** Whether the schedule is paused. */
  paused: boolean
  /** Its latest runs, newest first. */
  runs: Array<ScheduleRun>
  /** The newest of `runs`. */
  lastRun: ScheduleRun | null
  /** Null if it never runs again. */
  nextRunAt: string | null
  /** A run comes within this many minutes after its time; 0 for the exact minute. */
  windowMinutes: number
  /** The number of runs in a long month, and the time for which they keep an otherwise paused machine running. */
  month: {
    runs: number
    awakeMinutes: number
  }
}

export type ScheduleRun = {
  /** The scheduled time, or the time of a manual run. */
  at: string
  /** Whether the prompt was sent, or the reason why not. */
  outcome: "sent" | "paused" | "no-instance" | "wallet-empty"
  /** The agent’s prompt, in the main conversation; null if none was sent. */
  messageId: string | null
}

export type Session = {
  id: string
  device: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** ISO 8601 UTC. */
  lastSeenAt: string
  /** ISO 8601 UTC. */
  expiresAt: string
  /** The session of this request. */
  current: boolean
}

export type Skill = {
  /** The slug. */
  id: string
  name: string
  description: string
  version: string
  license: string
  sha256: string
  enabled: boolean
  /** Whether it is off because its files changed after it was enabled. */
  changed: boolean
  requires: {
    env: Array<string>
    bins: Array<string>
  }
  /** Its requirements on the agent’s program. */
  compatibility: string | null
  /** Its requirements that the instance lacks. */
  missing: {
    env: Array<string>
    bins: Array<string>
  }
  allowedTools: Array<string>
  access: SkillAccess
  /** Bytes of all its files. */
  size: number
  /** ISO 8601 UTC. */
  updatedAt: string
}

export type SkillDetail = {
  /** The slug. */
  id: string
  name: string
  description: string
  version: string
  license: string
  sha256: string
  enabled: boolean
  /** Whether it is off because its files changed after it was enabled. */
  changed: boolean
  requires: {
    env: Array<string>
    bins: Array<string>
  }
  /** Its requirements on the agent’s program. */
  compatibility: string | null
  /** Its requirements that the instance lacks. */
  missing: {
    env: Array<string>
    bins: Array<string>
  }
  allowedTools: Array<string>
  access: SkillAccess
  /** Bytes of all its files. */
  size: number
  /** ISO 8601 UTC. */
  updatedAt: string
  /** The body of SKILL.md below its front matter, in Markdown. */
  body: string
  files: Array<{
    path: string
    size: number
    sha256: string
  }>
  /** Personas whose texts name it. While it is on, every persona can use it. */
  personas: Array<{
    id: string
    name: string
  }>
}

export type Subscription = {
  status: "none" | "active" | "past_due" | "canceled"
  plan: "starter" | "pro" | null
  /** ISO 8601 UTC. */
  currentPeriodEnd: string | null
  cancelAtPeriodEnd: boolean
  /** The plan of the next period. */
  nextPlan?: "starter" | "pro"
}

export type Transaction = {
  id: string
  type: "topup" | "subscription_credit" | "trial_credit" | "usage" | "refund" | "dispute" | "adjustment"
  /** Signed: credits above zero, debits below, in µUSD. */
  amountMicros: number
  /** The ledger’s balance after this entry: credits − debits, in µUSD. */
  balanceMicros: number
  /** ISO 8601 UTC. */
  at: string
  description: string
  receipt?: UsageReceipt
}

export type Trial = {
  /** ISO 8601 UTC. */
  startedAt: string
  /** The end of the trial: earlier than planned if the credit was used up. */
  endsAt: string
  /** Its credit, in µUSD. */
  creditMicros: number
}

export type TrialOffer = {
  /** The credit of one trial, in µUSD. */
  creditMicros: number
  /** The length of a trial. */
  hours: number
  /** The time for which files are kept after the trial. */
  keptDays: number
  /** False if today’s budget is used up. It starts again at 00:00 UTC. */
  open: boolean
}

export type Trials = {
  /** The budget of all trials of a UTC day, in µUSD. */
  budgetMicros: number
  /** The credit of one trial, in µUSD. */
  creditMicros: number
  /** The length of a trial. */
  hours: number
  /** The maximum number of trials per UTC day from one IPv4 address or IPv6 /64. */
  perNetwork: number
  /** The maximum number of trials per UTC day from one e-mail domain. */
  perDomain: number
  /** Given today, in µUSD. */
  givenMicros: number
  /** Trials that began today. */
  begun: number
  /** Whether another trial may start. */
  open: boolean
  /** The reason why an operator stopped trials; null while they are open. */
  stopped: string | null
}

export type TurnChangeOutput = {
  path: string
  change: "added" | "changed" | "removed"
  before: FileVersionBeforeOutput
  now: FileVersionNowOutput
  /** `kept` can be undone. `not-kept` was too large to keep. `changed-since` prevents the undo. `undone` was undone. */
  state: "kept" | "not-kept" | "changed-since" | "undone"
}

export type TurnCost = {
  calls: number
  /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
  amountMicros: number
  /** The total by model. */
  models: Array<{
    model: string
    calls: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    amountMicros: number
  }>
  /** The sub-agents’ part, by their names. */
  children: Array<{
    child: string
    calls: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    amountMicros: number
  }>
}

export type UsageBar = {
  day: string
  calls: number
  /** Charged on that day, in µUSD. */
  amountMicros: number
  /** The same, split by the dimension of the rows, most expensive first; empty with `by=day`. */
  parts: Array<{
    key: string
    calls: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    amountMicros: number
  }>
}

export type UsageReceipt = {
  callId: string
  model: string
  provider: string
  priceVersion: string
  inputTokens: number
  cachedInputTokens: number
  cacheWriteTokens: number
  /** The part of cacheWriteTokens that is cached for an hour, at twice the input price. Absent if there is none. */
  cacheWriteHourTokens?: number
  outputTokens: number
  reasoningTokens: number
  /** The number of web searches by the provider. */
  searches?: number
  /** The cost of each web search, in µUSD. */
  searchMicros?: number
  unitPrices: {
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    input: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    cachedInput: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    cacheWrite: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    output: number
  }
  /** Markup on the provider price, in basis points. */
  markup: number
  /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
  heldMicros: number
  /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
  settledMicros: number
  /** `usage`: the provider’s own report. `counted`: a whole answer without a report, settled on counted tokens. `unread`: an answer that could not be read, settled on counted bytes. `interrupted`: tokens counted up to the interruption. `upstream-error`: an error before any output; nothing is charged. `expired`: the hold ran out; nothing is charged. */
  settledBecause: "usage" | "counted" | "unread" | "interrupted" | "upstream-error" | "expired"
  trigger: "chat" | "schedule" | "heartbeat" | "tool" | "api"
  /** The prompt for which the agent proved to work. */
  promptId?: string
  /** The conversation of that prompt, `main` or cnv_…. */
  conversation?: string
  /** Its sub-agent that made the call. */
  child?: string
  /** The token that made the call; absent if the agent made it. */
  tokenId?: string
  /** ISO 8601 UTC. */
  startedAt: string
  firstByteMs: number | null
  durationMs: number
}

export type UsageReport = {
  /** Sorted by key. */
  usage: Array<UsageRow>
  /** Days on which anything was charged, oldest first. */
  days: Array<UsageBar>
  total: UsageSum
  /** The possible filters: all values in the range’s calls, most expensive first. */
  seen: {
    model: Array<string>
    trigger: Array<string>
    token: Array<string>
    conversation: Array<string>
  }
}

export type UsageRow = {
  calls: number
  /** Charged, in µUSD. */
  amountMicros: number
  inputTokens: number
  outputTokens: number
  /** A day, model, trigger, id of a token or conversation (`main` is the first). `none`: the calls had none; `unknown`: it was not recorded then; `other`: the rest together. */
  key: string
}

export type UsageSum = {
  calls: number
  /** Charged, in µUSD. */
  amountMicros: number
  inputTokens: number
  outputTokens: number
}

export type UserOverview = {
  account: Account
  /** When a deleted account is erased. */
  eraseAt: string | null
  /** E-mails to this address that bounced in the last 30 days. */
  returnedMails: ReturnedMails
  subscription: Subscription
  wallet: Wallet
  /** The reason for the suspension; null without one. */
  suspendedBecause: string | null
  instance: Instance | null
  /** The wallet’s credits; fifty at most. */
  payments: Array<{
    /** Its id for refundUser. */
    name: string
    /** `plan`: the included credit of a paid month. `credit` and `adjustment`: by an operator. */
    kind: "topup" | "auto-topup" | "plan" | "credit" | "adjustment" | "other"
    /** When it was credited or, for a checkout, begun; null if unknown. */
    at: string | null
    /** Credited, in µUSD. */
    amountMicros: number
    /** Already taken back, in µUSD. */
    takenBackMicros: number
  }>
  /** Failed model calls, newest first: at most twenty, from the latest 200 ledger entries. */
  failedCalls: Array<FailedCall>
  /** The latest audit entries, at most twenty. */
  audit: Array<AuditEntry>
}

export type Variable = {
  name: string
  /** The length of the value, in bytes. */
  size: number
  /** ISO 8601 UTC. */
  updatedAt: string
}

export type View = {
  id: string
  /** The viewed user. */
  user: string
  /** Whether messages by people and agents are shown. */
  messages: boolean
  /** The reason for the view. */
  reason: string
  /** ISO 8601 UTC. */
  startedAt: string
  /** ISO 8601 UTC. */
  endsAt: string
}

export type Wallet = {
  /** Spendable now, in µUSD; never below zero. */
  balanceMicros: number
  /** Held for running model calls, in µUSD. */
  heldMicros: number
  /** Owed after a refund or dispute. The next credits pay it first. */
  owedMicros: number
  currency: "usd"
  /** True below one dollar. */
  low: boolean
  /** The number of days for which the balance lasts at the rate of the last seven days; null if nothing was spent. */
  runwayDays: number | null
  /** True while an operator or a fraud warning blocks all spending. */
  suspended: boolean
  limits: WalletLimits
  /** Absent if automatic top-up was never set. */
  autoTopup?: WalletAutoTopup
}

export type WalletAutoTopup = {
  enabled: boolean
  /** US cents the balance may fall to. */
  thresholdCents: number
  /** US cents: 500 is $5.00. */
  amountCents: number
  /** The maximum charge in a month, in US cents. */
  monthlyCapCents: number
  declined?: {
    /** The number of declines since the last successful charge. */
    times: number
    /** Null after the fifth decline: then nothing is charged until the settings are saved again. */
    nextTryAt: string | null
  }
}

export type WalletForecast = {
  /** The calendar month (UTC). */
  month: string
  /** Charged this month so far, in µUSD. */
  spentMicros: number
  /** The cost of a day at the current rate, in µUSD. */
  rateMicros: number
  /** The number of past days in the mean, counted from the first day with spending. 0: only today is known. */
  rateDays: number
  /** The month’s total if every remaining day costs the same. */
  monthEndMicros: number
  /** The day of this month on which the balance runs out at this rate; null if it lasts. */
  emptyOn: string | null
  /** The balance’s shortfall for the rest of the month, in µUSD. */
  missingMicros: number
  /** The maximum total of the month under the daily limit, in µUSD. */
  mostMicros: number
  /** Whether a day at the current rate reaches the daily limit. */
  isCapped: boolean
  /** Absent while automatic top-up is off. */
  autoTopup?: {
    /** The amount it may still charge in this month, in µUSD. */
    leftMicros: number
    /** Whether this covers the shortfall. */
    suffices: boolean
  }
}

export type WalletLimits = {
  /** US cents in a UTC day; 500 is $5.00. */
  dailyCapCents: number
  triggerCapsCents: {
    /** US cents in a UTC day; 500 is $5.00. */
    chat: number | null
    /** US cents in a UTC day; 500 is $5.00. */
    schedule: number | null
    /** US cents in a UTC day; 500 is $5.00. */
    heartbeat: number | null
    /** US cents in a UTC day; 500 is $5.00. */
    tool: number | null
    /** US cents in a UTC day; 500 is $5.00. */
    api: number | null
  }
  /** Spent or held since 00:00 UTC, in µUSD. */
  spentTodayMicros: number
  spentTodayByTriggerMicros: {
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    chat: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    schedule: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    heartbeat: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    tool: number
    /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
    api: number
  }
  /** ISO 8601 UTC. */
  resetsAt: string
}

export type WebhookDelivery = {
  /** The event’s id; sent as `webhook-id` in each attempt. */
  id: string
  type: "instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "conversation.deleted" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "webhook.test"
  /** ISO 8601 UTC. */
  createdAt: string
  state: "pending" | "delivered" | "failed"
  /** Oldest first; the latest 20. */
  tries: Array<{
    /** ISO 8601 UTC. */
    at: string
    /** The status of the response; null without a response. */
    status: number | null
    /** The reason why there is no response. */
    failure: "refused-address" | "unreachable" | "timeout" | "tls" | null
    /** Milliseconds until the response or the failure. */
    latencyMs: number
  }>
  /** Null after the last attempt. */
  nextTryAt: string | null
  /** The reason why the remaining attempts were dropped. */
  cancelled: "endpoint-deleted" | "endpoint-disabled" | "not-subscribed" | "too-late" | null
}

export type WebhookEndpoint = {
  id: string
  name: string
  /** Receives events by POST. */
  url: string
  /** The subscribed types; `*` is every type. */
  events: Array<"instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "conversation.deleted" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "*">
  /** ISO 8601 UTC. */
  createdAt: string
  /** The reason why it receives no events; null while it receives events. */
  disabled: "failing" | "gone" | "owner" | null
  /** The time since which all deliveries have failed. */
  failingSince: string | null
  /** The time until which the previous secret also signs. */
  oldSecretUntil: string | null
  /** The last time when an hourly or daily limit of the plan dropped an event. */
  missedAt: string | null
}

/** Input and output of each operation. */
export interface Operations {
  /** Check that the service is alive
   * 
   * Requires no sign-in. */
  getHealth: {
    input: Record<never, never>
    output: Health
  }

  /** Get the address for reports of abuse and security problems
   * 
   * A file as RFC 9116 defines it. The root of the host serves it too, at `/.well-known/security.txt`.
   * 
   * Requires no sign-in. */
  getSecurityTxt: {
    input: Record<never, never>
    output: string
  }

  /** Get this API as an OpenAPI 3.1 document
   * 
   * Requires no sign-in. */
  getOpenapi: {
    input: Record<never, never>
    output: object
  }

  /** List the plans, and the trial on offer
   * 
   * Requires no sign-in. */
  listPlans: {
    input: Record<never, never>
    output: {
      plans: Array<Plan>
      /** The trial before any payment; null if there are no trials. */
      trial: TrialOffer | null
    }
  }

  /** List the models for instances, with prices
   * 
   * Requires no sign-in. */
  listModels: {
    input: Record<never, never>
    output: {
      models: Array<Model>
    }
  }

  /** E-mail a sign-in code
   * 
   * Sends a 6-digit code and a link. The code is valid for 10 minutes, only in the browser that asked: the answer sets a cookie, which `verify` requires. The link is valid for an hour in any browser. The answer is the same whether or not the account exists, and whether or not an e-mail is sent. After several unused e-mails, no more are sent for a while; their links stay valid.
   * 
   * Only the service’s own pages may call it. */
  login: {
    input: {
      email: string
    }
    output: {
      sent: true
      /** Whether an e-mail to this address bounced permanently in the last 30 days, for example because the mailbox does not exist. The new e-mail is sent anyway. */
      bounced: boolean
    }
  }

  /** Sign in with the code or the link from the e-mail
   * 
   * Sets the session cookie. A code works only in the browser that asked for it, together with the cookie from `login`. A link’s token works in any browser. Only wrong codes and tokens count against the limit. The first sign-in creates the account. A sign-in to an account that is scheduled for deletion keeps the account.
   * 
   * Only the service’s own pages may call it. */
  verify: {
    input: {
      email: string
      code?: string
      token?: string
      /** The version of the terms that the page showed. Signing in accepts it, and the account stores it. */
      terms?: "2026-11-01"
    }
    output: {
      account: Account
    }
  }

  /** Sign out of this browser
   * 
   * Requires a session. */
  logout: {
    input: Record<never, never>
    output: {
      signedOut: true
    }
  }

  /** Get the signed-in user of this browser
   * 
   * Requires a session. */
  getSession: {
    input: Record<never, never>
    output: {
      account: Account
      /** ISO 8601 UTC. */
      signedInAt: string
      /** The number of unread notifications, at most 100. */
      unread: number
    }
  }

  /** List the devices that are signed in
   * 
   * Requires a session. */
  listSessions: {
    input: Record<never, never>
    output: {
      sessions: Array<Session>
    }
  }

  /** Sign out a device
   * 
   * The device is signed out at once. This can be the current session.
   * 
   * Requires a session. */
  endSession: {
    input: {
      /** Id of the session. */
      id: string
    }
    output: {
      id: string
      signedOut: true
    }
  }

  /** Get the options for signing in with a passkey
   * 
   * Pass `options` to `navigator.credentials.get`. The challenge is valid for one answer within five minutes.
   * 
   * Only the service’s own pages may call it. */
  passkeyOptions: {
    input: Record<never, never>
    output: {
      /** JSON of the Web Authentication API (Level 3). */
      options: object
    }
  }

  /** Sign in with a passkey
   * 
   * Sets the session cookie. Only an invalid answer counts against the limit.
   * 
   * Only the service’s own pages may call it. */
  verifyPasskey: {
    input: {
      /** The result of `navigator.credentials`, in its JSON form. */
      response: {
        id: string
        type: "public-key"
        /** JSON of the Web Authentication API (Level 3). */
        response: object
      }
      /** The version of the terms that the page showed. Signing in accepts it, and the account stores it. */
      terms?: "2026-11-01"
    }
    output: {
      account: Account
    }
  }

  /** Get the options for creating a passkey
   * 
   * Pass `options` to `navigator.credentials.create`, and send its answer to POST /auth/passkeys. The challenge is valid for one answer within five minutes. Both requests require a sign-in at most 10 minutes old, so that a thief of a session cannot add a passkey.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  registerPasskeyOptions: {
    input: Record<never, never>
    output: {
      /** JSON of the Web Authentication API (Level 3). */
      options: object
    }
  }

  /** Store a passkey that this browser created
   * 
   * Requires a sign-in at most 10 minutes old.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  addPasskey: {
    input: {
      name: string
      /** The result of `navigator.credentials`, in its JSON form. */
      response: {
        id: string
        type: "public-key"
        /** JSON of the Web Authentication API (Level 3). */
        response: object
      }
    }
    output: {
      passkey: Passkey
    }
  }

  /** List your passkeys
   * 
   * Requires a session. */
  listPasskeys: {
    input: Record<never, never>
    output: {
      passkeys: Array<Passkey>
    }
  }

  /** Remove a passkey
   * 
   * The passkey can no longer sign in. Devices that signed in with it are signed out, except the one that makes this request. Requires a sign-in at most 10 minutes old.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  removePasskey: {
    input: {
      /** Id of the passkey. */
      id: string
    }
    output: {
      passkey: Passkey
    }
  }

  /** Start the trial
   * 
   * Gives an account that never had a plan its only trial: credit for model calls, and a machine for some hours. `listPlans` describes the trial and says whether one is available. While the trial lasts, a repeated request gets the same answer. If the user then subscribes to a plan, everything that the trial created stays.
   * 
   * Requires a session. */
  startTrial: {
    input: Record<never, never>
    output: {
      trial: Trial
    }
  }

  /** Get your account
   * 
   * Requires a session. */
  getAccount: {
    input: Record<never, never>
    output: {
      account: Account
      /** The current terms, and the version that was last accepted by signing in on a page that showed it. */
      terms: {
        present: "2026-11-01"
        accepted: AcceptedTerms | null
      }
    }
  }

  /** Move the account to another e-mail address
   * 
   * Without codes, the request sends one code to the present address and one to the new address, and answers 202. The same request with both codes moves the account, signs out all other devices and answers 200.
   * 
   * Requires a session. */
  updateAccount: {
    input: {
      email: string
      currentCode?: string
      newCode?: string
    }
    output: {
      account: Account
      /** The address that waits for both codes; null when it is yours. */
      confirm: string | null
    }
  }

  /** Export everything we store about you, as JSON
   * 
   * Requires a sign-in at most 10 minutes old. A long history has several parts: repeat the request with `nextCursor` until it is null. The export does not contain the volume’s files (`createExport` has them, with the attachments of messages; `getAttachment` serves attachments for 30 days), the values of variables, or data that is kept only for days, such as events and measurements.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  exportAccount: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
    }
    output: AccountExport
  }

  /** Delete the account
   * 
   * Ends all sessions and tokens and stops the agent at once. After 30 days everything is erased, except the ledger, which is kept without a name. A sign-in before that keeps the account. The subscription is not renewed. Requires a sign-in at most 10 minutes old.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  deleteAccount: {
    input: Record<never, never>
    output: {
      /** ISO 8601 UTC. */
      eraseAt: string
    }
  }

  /** List the activity in your account, newest first
   * 
   * Requires a session. */
  listAudit: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      entries: Array<AuditEntry>
      nextCursor: string | null
    }
  }

  /** List the notices to all users and to you
   * 
   * Requires a session. */
  listNotices: {
    input: Record<never, never>
    output: {
      /** Newest first. */
      notices: Array<Notice>
    }
  }

  /** List your notifications, newest first
   * 
   * Contains the last 90 days. The texts are made from `kind` and `facts`. Some facts contain words that other people wrote.
   * 
   * Requires a session. */
  listNotifications: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      notifications: Array<Notification>
      /** The number of unread notifications, at most 100. */
      unread: number
      nextCursor: string | null
    }
  }

  /** Mark notifications as read
   * 
   * Marks the given ones, or all up to one. A notification that is already read stays read.
   * 
   * Requires a session. */
  readNotifications: {
    input: {
      ids?: Array<string>
      /** Marks this notification and all earlier ones. */
      upTo?: string
    }
    output: {
      unread: number
    }
  }

  /** Get your notification settings
   * 
   * Requires a session. */
  getNotificationSettings: {
    input: Record<never, never>
    output: {
      /** The kinds muted for e-mail or push. */
      muted: Array<"mail.money" | "mail.machine" | "mail.chat" | "mail.schedules" | "mail.product" | "push.money" | "push.machine" | "push.chat" | "push.schedules" | "push.product">
      /** Browsers that get push notifications while they are signed in. */
      devices: Array<PushDevice>
      maxDevices: number
      /** The `applicationServerKey` that a browser subscribes with (VAPID), base64url. */
      publicKey: string
    }
  }

  /** Choose your notifications by e-mail and push
   * 
   * All notifications are on except those that you name. Security notifications about your account are always sent by e-mail and push.
   * 
   * Requires a session. */
  setNotificationSettings: {
    input: {
      /** The kinds muted for e-mail or push. */
      muted: Array<"mail.money" | "mail.machine" | "mail.chat" | "mail.schedules" | "mail.product" | "push.money" | "push.machine" | "push.chat" | "push.schedules" | "push.product">
    }
    output: {
      /** The kinds muted for e-mail or push. */
      muted: Array<"mail.money" | "mail.machine" | "mail.chat" | "mail.schedules" | "mail.product" | "push.money" | "push.machine" | "push.chat" | "push.schedules" | "push.product">
    }
  }

  /** Send push notifications to this browser
   * 
   * Takes the subscription from the browser’s `PushManager`. A known subscription is renewed. The browser receives notifications until this session ends. Payloads are encrypted for the browser and contain only the kind of the event.
   * 
   * Requires a session. */
  addPushDevice: {
    input: {
      /** An https address with a public name. */
      endpoint: string
      /** The browser’s public key on P-256, uncompressed. */
      p256dh: string
      /** The browser’s authentication secret. */
      auth: string
    }
    output: {
      device: PushDevice
    }
  }

  /** Stop push notifications to this browser
   * 
   * Requires a session. */
  removePushDevice: {
    input: {
      /** Id of the device. */
      id: string
    }
    output: {
      device: PushDevice
    }
  }

  /** List your tokens, without their plaintexts
   * 
   * A token without `api:tokens.write` sees only itself and the tokens that it created. A connected app is one entry, with `app`.
   * 
   * Requires a session, or a token. */
  listTokens: {
    input: Record<never, never>
    output: {
      tokens: Array<Pat>
    }
  }

  /** Create a Personal Access Token
   * 
   * Only this answer contains the plaintext. A token can give only scopes that it has itself, can create at most 500 tokens, and revokes them when it is revoked. An account has at most 500 active tokens and connected programs.
   * 
   * Requires a session, or a token. A session’s sign-in must be at most ten minutes old when a requested scope does not begin with `mcp:`. */
  mintToken: {
    input: {
      name: string
      /** Default: every MCP tool. */
      scopes?: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
      /** Days. Default: 90, or the remaining lifetime of the token that makes the request. `expiresAt` has the date. */
      expiresInDays?: number
      /** Maximum total spending on model calls, in µUSD; only with `api:llm`. Default: no cap. */
      capMicros?: number
      /** Maximum spending in a UTC day, in µUSD; only with `api:llm`. */
      dailyCapMicros?: number
      /** Maximum spending in a calendar month (UTC), in µUSD; only with `api:llm`. */
      monthlyCapMicros?: number
    }
    output: MintedPat
  }

  /** Revoke a token forever
   * 
   * Ends the token at once, together with the token that it replaced and all tokens that any of them created. A token without `api:tokens.write` can revoke only itself and the tokens that it created.
   * 
   * Requires a session, or a token. */
  revokeToken: {
    input: {
      /** Id of the token. */
      id: string
    }
    output: Pat
  }

  /** Change a token’s name or spending caps
   * 
   * A cap of a connected app applies to all its tokens at once. A cap of a token also applies to the tokens that it created or will create. Earlier spending still counts, also that of this day and month.
   * 
   * Requires a session. A session’s sign-in must be at most ten minutes old when a cap is raised or removed. */
  changeToken: {
    input: {
      /** Id of the token. */
      id: string
      name?: string
      /** Maximum total spending on model calls, in µUSD; null for no cap. Default: unchanged. */
      capMicros?: number | null
      /** Maximum spending in a UTC day, in µUSD; null for no cap. Default: unchanged. */
      dailyCapMicros?: number | null
      /** Maximum spending in a calendar month (UTC), in µUSD; null for no cap. Default: unchanged. */
      monthlyCapMicros?: number | null
    }
    output: Pat
  }

  /** Replace a token with a new one that has the same scopes and expiry
   * 
   * The old token stays valid for `graceHours`, so that you can update your programs; with 0 it ends at once. A token can be rerolled once. A token may reroll itself and the tokens that it created, and with `api:tokens.write` any token whose scopes it has itself. The new token never outlives the token that made the request. A token with a spending cap cannot reroll other tokens that have `api:llm`.
   * 
   * Requires a session with a sign-in at most ten minutes old, or a token. */
  rerollToken: {
    input: {
      /** Id of the token. */
      id: string
      /** Hours, 0–24. */
      graceHours?: number
    }
    output: MintedPat
  }

  /** OAuth: get the metadata of the MCP endpoint
   * 
   * RFC 9728. The root of the host serves it too, at `/.well-known/oauth-protected-resource/api/mcp`.
   * 
   * Requires no sign-in. */
  getProtectedResource: {
    input: Record<never, never>
    output: object
  }

  /** OAuth: get the metadata of the MCP endpoint for tokens
   * 
   * RFC 9728. The metadata names no authorization server, so a client that looks for one before it connects keeps using its token.
   * 
   * Requires no sign-in. */
  getTokenResource: {
    input: Record<never, never>
    output: object
  }

  /** OAuth: get the metadata of the authorization server
   * 
   * RFC 8414. The issuer ends with `/api`, so the metadata is also at `/.well-known/oauth-authorization-server/api` below the root of the host. This address is for clients that append the path to the issuer.
   * 
   * Requires no sign-in. */
  getAuthorizationServer: {
    input: Record<never, never>
    output: object
  }

  /** OAuth: check an authorization request
   * 
   * For the consent page, which sends the parameters that it got from the program. An invalid request is refused here, and the browser is never sent back to the program.
   * 
   * Requires a session. */
  checkAuthorizationRequest: {
    input: {
      client_id: string
      redirect_uri: string
      response_type?: string
      code_challenge?: string
      code_challenge_method?: string
      scope?: string
      state?: string
      resource?: string
    }
    output: AuthorizationRequest
  }

  /** OAuth: allow or refuse a program access
   * 
   * The answer says where the browser goes next: to the program, with a code or with the refusal. The code is valid once, for a minute. Only the dashboard’s own page may send this request.
   * 
   * Requires a session. A session’s sign-in must be at most ten minutes old when access is allowed. */
  answerAuthorizationRequest: {
    input: {
      client_id: string
      redirect_uri: string
      response_type?: string
      code_challenge?: string
      code_challenge_method?: string
      scope?: string
      state?: string
      resource?: string
      /** False sends the program a refusal. */
      allow: boolean
      /** The requested scopes that the user grants. */
      scopes?: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
      /** Days until the program has to ask again. */
      expiresInDays?: number
      /** Maximum total spending, in µUSD. */
      capMicros?: number
    }
    output: {
      redirectTo: string
    }
  }

  /** Get the wallet’s balance
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getWallet: {
    input: Record<never, never>
    output: Wallet
  }

  /** List the wallet’s ledger, newest first
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  listTransactions: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
      /** Only entries of this type. */
      type?: "topup" | "subscription_credit" | "trial_credit" | "usage" | "refund" | "dispute" | "adjustment"
    }
    output: {
      transactions: Array<Transaction>
      nextCursor: string | null
    }
  }

  /** Get one entry of the ledger with its receipt
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getTransaction: {
    input: {
      /** Id of the transaction. */
      id: string
    }
    output: {
      transaction: Transaction
    }
  }

  /** Get spending by day, model, trigger, token or conversation
   * 
   * Returns days, rows and totals of at most three years. Calls from before tokens and conversations were recorded have `unknown` in their place.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getWalletUsage: {
    input: {
      /** First UTC day. Default: 30 days ago. */
      from?: string
      /** Last UTC day, included. Default: today. */
      to?: string
      /** The dimension whose values are the rows. */
      by?: "day" | "model" | "trigger" | "token" | "conversation"
      /** Only calls of this model, by a key of such a row. */
      model?: string
      /** Only calls that this started, by a key of such a row. */
      trigger?: string
      /** Only calls by this token, by a key of such a row. */
      token?: string
      /** Only calls of this conversation, by a key of such a row. */
      conversation?: string
    }
    output: UsageReport
  }

  /** Get the forecast of this month’s spending
   * 
   * The daily rate is the mean of the last seven days, or today’s spending if there is no earlier day. It is compared with the balance, the daily limit, and the monthly cap of automatic top-up.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getWalletForecast: {
    input: Record<never, never>
    output: WalletForecast
  }

  /** Get the ledger of a range of days as CSV
   * 
   * Oldest first, amounts in dollars. A range that is too long for one answer gets 400. Then request pages with a `limit`, and with the id of the last line as `after`, until a page has fewer lines than `limit`.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getWalletStatement: {
    input: {
      /** First UTC day. Default: 30 days ago. */
      from?: string
      /** Last UTC day, included. Default: today. */
      to?: string
      /** Entries on a page. Default: the whole range. */
      limit?: number
      /** Only entries after this one, without the line of headings. */
      after?: string
    }
    output: string
  }

  /** Create a checkout page to top up the wallet
   * 
   * A suspended wallet gets no page, because a top-up would not help.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.write`. */
  createWalletTopup: {
    input: {
      /** US cents: 500 is $5.00. */
      amountCents: number
    }
    output: Checkout
  }

  /** Set the daily spending limits
   * 
   * Caps the spending of a UTC day: in total, and by what started the turn. The caps apply at once, also to what was spent today.
   * 
   * Requires a session. A session’s sign-in must be at most ten minutes old when a limit is raised. */
  setWalletLimits: {
    input: {
      /** US cents in a UTC day; 500 is $5.00. */
      dailyCapCents: number
      /** Caps by what started the turn. Null or omitted: no separate cap. */
      triggerCapsCents?: {
        /** US cents in a UTC day; 500 is $5.00. */
        chat?: number | null
        /** US cents in a UTC day; 500 is $5.00. */
        schedule?: number | null
        /** US cents in a UTC day; 500 is $5.00. */
        heartbeat?: number | null
        /** US cents in a UTC day; 500 is $5.00. */
        tool?: number | null
        /** US cents in a UTC day; 500 is $5.00. */
        api?: number | null
      }
    }
    output: {
      limits: WalletLimits
    }
  }

  /** Set automatic top-up
   * 
   * When the balance and the held money together fall to the threshold, the saved card is charged, up to the cap per calendar month (UTC).
   * 
   * Requires a session. A session’s sign-in must be at most ten minutes old when it would charge more, or sooner. */
  setAutoTopup: {
    input: {
      enabled?: boolean
      /** US cents the balance may fall to. */
      thresholdCents: number
      /** US cents: 500 is $5.00. */
      amountCents: number
      /** The maximum charge in a month, in US cents. */
      monthlyCapCents: number
    }
    output: {
      autoTopup: AutoTopup
    }
  }

  /** Create a checkout page to subscribe to a plan
   * 
   * Nothing is charged until a person opens the page and pays. A user has at most one active subscription.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.write`. */
  createSubscriptionCheckout: {
    input: {
      plan: "starter" | "pro"
    }
    output: Checkout
  }

  /** Change the plan of the active subscription
   * 
   * A larger plan begins at once, and the card is charged the difference for the rest of the period. A smaller plan begins with the next period, and only if its machine is large enough for the agent’s program. To cancel such a change, choose the present plan. The machine gets its new size when it next starts.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  changePlan: {
    input: {
      plan: "starter" | "pro"
    }
    output: {
      subscription: Subscription
    }
  }

  /** Open the billing provider’s page for cards, invoices and cancelling
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  openBillingPortal: {
    input: Record<never, never>
    output: {
      url: string
    }
  }

  /** List the invoices of subscriptions and automatic top-ups, newest first
   * 
   * Requires a session. */
  listInvoices: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      invoices: Array<Invoice>
      nextCursor: string | null
    }
  }

  /** Get the state of the machine, the wallet and the subscription
   * 
   * Requires a session, or a token with the scope `mcp:instance.read`. */
  getInstanceStatus: {
    input: Record<never, never>
    output: InstanceStatus
  }

  /** List the runs of the machine, newest first
   * 
   * A run is one machine of your agent, from the request to start it until it has stopped. Contains the current run, and the runs that ended in the last 90 days, also those of a deleted instance. The machine sleeps between two runs.
   * 
   * Requires a session, or a token with the scope `mcp:instance.read`. */
  getInstanceHistory: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      runs: Array<MachineRun>
      nextCursor: string | null
    }
  }

  /** Stop the machine and keep its volume
   * 
   * 202: the machine is stopping, also if an earlier call stopped it. 200: it is already paused. 409: it is starting, refreshing, failed or being deleted.
   * 
   * Requires a session, or a token with the scope `mcp:instance.write`. */
  pauseInstance: {
    input: Record<never, never>
    output: {
      instance: Instance
    }
  }

  /** Start a paused instance, or create a new one after a deletion
   * 
   * 202: the machine is starting, also if an earlier call started it. 200: it is already running. 409: it is pausing or refreshing, the instance is being deleted, or there is no active subscription.
   * 
   * Requires a session, or a token with the scope `mcp:instance.write`. */
  resumeInstance: {
    input: Record<never, never>
    output: {
      instance: Instance
    }
  }

  /** Restart the agent with its current settings and new tokens
   * 
   * 202: the agent is restarting, also if an earlier call restarted it. 409: the machine is starting, pausing or paused, or the instance is being deleted.
   * 
   * Requires a session, or a token with the scope `mcp:instance.write`. */
  refreshInstance: {
    input: Record<never, never>
    output: {
      instance: Instance
    }
  }

  /** Choose the default model
   * 
   * Requires a session, or a token with the scope `mcp:instance.write`. */
  setInstanceModel: {
    input: {
      model: string
    }
    output: {
      instance: Instance
    }
  }

  /** List the programs that can be the agent
   * 
   * Lists the programs that the operator of this service offers, their features, and the cheapest plan for each.
   * 
   * Requires a session, or a token with the scope `mcp:instance.read`. */
  listRuntimes: {
    input: Record<never, never>
    output: {
      runtimes: Array<Runtime>
    }
  }

  /** Choose the agent’s program
   * 
   * Choose one from GET /instance/runtimes. A running machine takes a restore point and restarts with the program; a paused one uses it from its next start. Files, notes and the conversation stay. Each program’s own state also stays, for when you return to the program.
   * 
   * Requires a session, or a token with the scope `mcp:instance.write`. */
  setInstanceRuntime: {
    input: {
      runtime: string
    }
    output: {
      instance: Instance
    }
  }

  /** Delete the instance and everything on its volume, forever
   * 
   * Repeat the instance’s id in `confirm`. While the subscription is active, `resumeInstance` creates a new, empty instance.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  deleteInstance: {
    input: {
      /** The id of the instance, so that nothing is deleted by mistake. */
      confirm: string
    }
    output: {
      instance: Instance
    }
  }

  /** List the names of your environment variables
   * 
   * Values are never returned. To change a value, set it again.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getInstanceEnv: {
    input: Record<never, never>
    output: {
      variables: Array<Variable>
    }
  }

  /** Set or remove environment variables
   * 
   * Variables that you do not name stay unchanged. The agent gets the changes when it next starts: refresh the instance.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  setInstanceEnv: {
    input: {
      /** Name to value, or to null to remove it. */
      variables: Record<string, string | null>
    }
    output: {
      variables: Array<Variable>
    }
  }

  /** List the secrets that the agent can use but not read
   * 
   * Returns each secret’s name and the hosts that it may be sent to. Values are never returned. To change a value, set it again.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getInstanceSecrets: {
    input: Record<never, never>
    output: {
      secrets: Array<InstanceSecret>
    }
  }

  /** Set or remove secrets that the agent can use but not read
   * 
   * The agent calls a host through its machine, which puts the value into the request. A secret is always set as a whole, with its value; secrets that you do not name stay unchanged. A running machine gets the changes within a minute.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  setInstanceSecrets: {
    input: {
      /** Name to secret, or to null to remove it. */
      secrets: Record<string, {
        value: string
        /** The only hosts that may receive it. */
        hosts: Array<string>
        header?: string
        template?: string
      } | null>
    }
    output: {
      secrets: Array<InstanceSecret>
    }
  }

  /** List the agent’s schedules
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listSchedules: {
    input: Record<never, never>
    output: {
      schedules: Array<Schedule>
      /** The minimum number of minutes between two runs of a new schedule, on the current plan. */
      leastMinutes: number
      /** The part of the plan’s price for an hour in which the machine runs, in µUSD. It is not charged separately. */
      awakeHourMicros: number
    }
  }

  /** Send the agent a prompt at certain times, or once
   * 
   * A schedule wakes an agent that is paused because it was idle, but not one that you or billing paused. The plan decides how often a schedule may run.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  createSchedule: {
    input: {
      /** Minute, hour, day of month, month, day of week. */
      cron?: string
      /** Instead of `cron`: the minute of a single run. */
      at?: string
      /** The time zone of `cron`: a name of the IANA time zone database, in any case; an older name is stored as today’s. */
      timeZone?: string
      text: string
      /** True runs it at its exact minute; at most 3 schedules of a user may. Otherwise a run comes within 10 minutes after its time, or within half the time between two runs if that is shorter. */
      exact?: boolean
    }
    output: {
      schedule: Schedule
    }
  }

  /** Delete a schedule
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  deleteSchedule: {
    input: {
      /** Id of the schedule. */
      id: string
    }
    output: {
      schedule: Schedule
    }
  }

  /** Change or pause a schedule
   * 
   * Omitted fields stay unchanged. New times must respect the plan’s limit, as for a new schedule.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  updateSchedule: {
    input: {
      /** Id of the schedule. */
      id: string
      /** Minute, hour, day of month, month, day of week. */
      cron?: string
      /** Instead of `cron`: the minute of a single run. */
      at?: string
      /** The time zone of `cron`: a name of the IANA time zone database, in any case; an older name is stored as today’s. */
      timeZone?: string
      text?: string
      /** True runs it at its exact minute; at most 3 schedules of a user may. Otherwise a run comes within 10 minutes after its time, or within half the time between two runs if that is shorter. */
      exact?: boolean
      /** True pauses the schedule, false resumes it. */
      paused?: boolean
    }
    output: {
      schedule: Schedule
    }
  }

  /** Run a schedule now
   * 
   * The scheduled times stay unchanged. This wakes an agent that is paused because it was idle, and is refused while you or billing paused it.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  runSchedule: {
    input: {
      /** Id of the schedule. */
      id: string
    }
    output: {
      run: ScheduleRun
    }
  }

  /** Read the machine’s log, oldest first
   * 
   * The log has the lines of the latest 8 machines. Without `since`, the answer begins an hour ago. To follow the log, repeat the request with `since` set to the time of the last line.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getInstanceLogs: {
    input: {
      /** The time of the oldest line. Default: an hour ago. */
      since?: string
      /** `nextCursor` of the previous page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      lines: Array<LogLine>
      nextCursor: string | null
    }
  }

  /** Get processor, memory, disk and uptime of the machine in the last hour
   * 
   * One sample per minute, oldest first; none while the machine is paused. The request also makes the machine report its latest measurements.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getInstanceMetrics: {
    input: Record<never, never>
    output: {
      samples: Array<Sample>
    }
  }

  /** List the addresses at which other programs can prompt your agent
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  listHooks: {
    input: Record<never, never>
    output: {
      /** Newest first. */
      hooks: Array<Hook>
      /** The number of deliveries that one hook accepts in an hour, on the current plan. */
      deliveriesAnHour: number
    }
  }

  /** Let another program prompt the agent
   * 
   * A request to the hook’s address with its secret becomes a prompt: your `text`, followed by the request’s body as data. Send the secret as `Authorization: Bearer`, or sign the body as GitHub or Standard Webhooks do. A delivery wakes an agent that is paused because it was idle.
   * 
   * Requires a session with a sign-in at most ten minutes old, or a token with the scope `api:hooks`. */
  createHook: {
    input: {
      name: string
      text: string
    }
    output: {
      hook: Hook
      /** Shown only once. */
      secret: string
    }
  }

  /** Delete a hook
   * 
   * Its address and secret stop working at once.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  deleteHook: {
    input: {
      /** Id of the hook. */
      id: string
    }
    output: {
      hook: Hook
    }
  }

  /** Replace the secret of a hook
   * 
   * The address stays the same. The old secret stops working at once.
   * 
   * Requires a session with a sign-in at most ten minutes old, or a token with the scope `api:hooks`. */
  rerollHook: {
    input: {
      /** Id of the hook. */
      id: string
    }
    output: {
      hook: Hook
      /** Shown only once. */
      secret: string
    }
  }

  /** List webhook endpoints
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  listWebhookEndpoints: {
    input: Record<never, never>
    output: {
      /** Oldest first. */
      endpoints: Array<WebhookEndpoint>
      /** The number of deliveries to one endpoint in an hour, on the current plan. */
      deliveriesAnHour: number
    }
  }

  /** Create a webhook endpoint
   * 
   * Each event of the chosen types is sent to the endpoint by POST, in the form of the event stream, with a Standard Webhooks signature. A delivery that gets no 2xx is retried for a day under the same `webhook-id`. If a token creates the endpoint, the token also needs the scopes of the events.
   * 
   * Requires a session with a sign-in at most ten minutes old, or a token with the scope `api:hooks`. */
  createWebhookEndpoint: {
    input: {
      name: string
      /** An https address with a public name, on port 443 or 8443. */
      url: string
      /** The subscribed types; `*` is every type, including future ones. */
      events: Array<"instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "conversation.deleted" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "*">
    }
    output: {
      endpoint: WebhookEndpoint
      /** Shown only once. */
      secret: string
    }
  }

  /** Change a webhook endpoint
   * 
   * Omitted fields stay unchanged. Waiting deliveries go to the new address, except those of types that you no longer want. Enabling an endpoint resets its failures.
   * 
   * Requires a session, or a token with the scope `api:hooks`. A session’s sign-in must be at most ten minutes old when the address or the types of events change, or the endpoint is enabled. */
  updateWebhookEndpoint: {
    input: {
      /** Id of the endpoint. */
      id: string
      name?: string
      /** An https address with a public name, on port 443 or 8443. */
      url?: string
      /** The subscribed types; `*` is every type, including future ones. */
      events?: Array<"instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "conversation.deleted" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "*">
      /** Whether it receives events. */
      enabled?: boolean
    }
    output: {
      endpoint: WebhookEndpoint
    }
  }

  /** Delete a webhook endpoint
   * 
   * Nothing more is sent to it, and waiting retries are dropped.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  deleteWebhookEndpoint: {
    input: {
      /** Id of the endpoint. */
      id: string
    }
    output: {
      endpoint: WebhookEndpoint
    }
  }

  /** Replace the secret of a webhook endpoint
   * 
   * For 24 hours, deliveries also carry a signature with the old secret, so that your receiver never has to refuse one.
   * 
   * Requires a session with a sign-in at most ten minutes old, or a token with the scope `api:hooks`. */
  rotateWebhookSecret: {
    input: {
      /** Id of the endpoint. */
      id: string
    }
    output: {
      endpoint: WebhookEndpoint
      /** Shown only once. */
      secret: string
    }
  }

  /** Send a test to a webhook endpoint
   * 
   * Sends an event of the type `webhook.test`, which is treated like any other event. Its delivery appears in the list.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  testWebhookEndpoint: {
    input: {
      /** Id of the endpoint. */
      id: string
    }
    output: {
      delivery: WebhookDelivery
    }
  }

  /** List a webhook endpoint’s deliveries of the last week, newest first
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  listWebhookDeliveries: {
    input: {
      /** Id of the endpoint. */
      id: string
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      deliveries: Array<WebhookDelivery>
      nextCursor: string | null
    }
  }

  /** Retry a delivery
   * 
   * Sends the same text under the same `webhook-id` to the endpoint’s current address, at once and then for up to a day.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  replayWebhookDelivery: {
    input: {
      /** Id of the endpoint. */
      id: string
      /** Id of the delivery. */
      delivery: string
    }
    output: {
      delivery: WebhookDelivery
    }
  }

  /** Get a file from the volume or from a restore point
   * 
   * Answers with the bytes as an attachment, or for a large file with a redirect to an address that works for some minutes. Only regular files can be read: no links, devices, sockets or pipes.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getFile: {
    input: {
      /** The file’s path on the volume. */
      path: string
      /** A restore point to read from instead of the machine. */
      point?: string
    }
    output: Response
  }

  /** List a folder of the volume
   * 
   * Shows the current state. The machine answers; for a paused instance a volume worker does, which is started if necessary. Unchanged entries are read from the newest restore point, whose time is `asOf`.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listFiles: {
    input: {
      /** A folder. Default: the top of the volume. */
      path?: string
      /** `next` of the previous page. */
      after?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      entries: Array<FileEntryOutput>
      next: string | null
      path: string
      /** ISO 8601 UTC. */
      asOf: string | null
    }
  }

  /** List the restore points of the volume, newest first
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listRestorePoints: {
    input: Record<never, never>
    output: {
      restorePoints: Array<RestorePoint>
    }
  }

  /** Create a restore point of the volume
   * 
   * The machine takes it between two turns of the agent; for a paused instance a volume worker does. Poll `getRestorePoint` until it is `ready`.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  createRestorePoint: {
    input: Record<never, never>
    output: {
      restorePoint: RestorePoint
    }
  }

  /** Get a restore point
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getRestorePoint: {
    input: {
      /** Id of the restore point. */
      id: string
    }
    output: {
      restorePoint: RestorePoint
    }
  }

  /** List a folder of a restore point
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listRestorePointFiles: {
    input: {
      /** Id of the restore point. */
      id: string
      /** A folder. Default: the top of the volume. */
      path?: string
      /** `next` of the previous page. */
      after?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      entries: Array<FileEntryOutput>
      next: string | null
      path: string
    }
  }

  /** Restore a file, a folder or the whole volume from a restore point
   * 
   * With `path`, only that file or folder is restored. Without `path`, the whole volume is restored: later files are removed, after a restore point of the present state was taken. The agent restarts; a paused instance stays paused.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  restoreFiles: {
    input: {
      /** Id of the restore point. */
      id: string
      path?: string
    }
    output: {
      task: FilesTask
    }
  }

  /** Export the whole volume as one archive
   * 
   * Creates a .tar.gz of all regular files; for a paused instance a volume worker does. Poll `getFilesTask` until it is `done`; then `url` is the address of the archive.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  createExport: {
    input: Record<never, never>
    output: {
      task: FilesTask
    }
  }

  /** Get the progress of a change, a restore or an export of the volume
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getFilesTask: {
    input: {
      /** Id of the task. */
      id: string
    }
    output: {
      task: FilesTask
    }
  }

  /** Write a file
   * 
   * Send one of `text`, `base64` and `attachment`. The file is written completely or not at all. The request gets 409 if the present file is not the one in `replaces`. 202 means that a volume worker has to start first: poll `getFilesTask` for `task`.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  writeFile: {
    input: {
      /** The file’s path on the volume. Its folder must exist. */
      path: string
      /** `nothing` for a new file. The SHA-256, in hex, of the version that you read, so that a newer version is not lost. `anything` to overwrite any version. */
      replaces?: string
      /** The whole content as UTF-8, at most 64 KiB. */
      text?: string
      /** The whole content, at most 64 KiB. */
      base64?: string
      /** The whole content, uploaded with `createAttachment`; for larger files. */
      attachment?: string
    }
    output: {
      task: FilesTask
    }
  }

  /** Create a folder on the volume
   * 
   * The request gets 409 if the name is taken. 202 means that a volume worker has to start first.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  createFolder: {
    input: {
      path: string
    }
    output: {
      task: FilesTask
    }
  }

  /** Rename or move a file or a folder
   * 
   * The request gets 409 if `to` exists, unless `replace` is true and both are files. 202 means that a volume worker has to start first.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  moveFile: {
    input: {
      from: string
      to: string
      /** Replaces a file at `to`. */
      replace?: boolean
    }
    output: {
      task: FilesTask
    }
  }

  /** Delete a file, or a folder with everything in it
   * 
   * `restoreFiles` can restore it from the newest restore point if `restorePoint` says that it is in there.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  deleteFile: {
    input: {
      /** Its path on the volume. */
      path: string
    }
    output: {
      task: FilesTask
      restorePoint: KeptInPoint
    }
  }

  /** Search files and folders by a part of their name
   * 
   * Searches the whole volume and ignores case. A large volume is searched in parts: repeat the request with `next`, even if a page is empty.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  searchFiles: {
    input: {
      /** A part of the name. */
      text: string
      /** `next` of the previous page. */
      after?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      entries: Array<FoundEntryOutput>
      /** Continues the search as `after`, even if nothing was found yet; null at the end. */
      next: string | null
    }
  }

  /** Compare the volume with a restore point
   * 
   * Lists files that were added, removed, or have another size or modification time. File contents are not compared. `restoreFiles` with a `path` restores one of them.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  compareRestorePoint: {
    input: {
      /** Id of the restore point. */
      id: string
    }
    output: {
      added: number
      changed: number
      removed: number
      /** By path; the first 1,000. */
      changes: Array<FileChangeOutput>
      /** Whether there are more changes than listed. */
      more: boolean
    }
  }

  /** List the changes that the agent made on the volume while it answered a message
   * 
   * Available for the last 20 replies. The agent’s memory and its programs’ own folders (`memory`, `home`, `state`, `packages`) are left out.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getReplyChanges: {
    input: {
      /** The message that was answered. */
      id: string
    }
    output: {
      /** Work on several prompts overlapped, so their changes cannot be separated. */
      promptIds: Array<string>
      /** ISO 8601 UTC. */
      endedAt: string
      /** By path. */
      changes: Array<TurnChangeOutput>
      /** Whether there are more changes than listed. */
      more: boolean
      /** The reason why the changes cannot be undone; null if they can. */
      problem: string | null
    }
  }

  /** Undo the agent’s changes on the volume while it answered a message
   * 
   * `getReplyChanges` lists the changes. If one of the files has changed again since, the request gets 409 and nothing is undone. Effects elsewhere, for example a sent e-mail, cannot be undone.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  undoReply: {
    input: {
      /** The message that was answered. */
      id: string
    }
    output: {
      task: FilesTask
    }
  }

  /** Send the agent a message
   * 
   * The message is stored, and a paused instance is woken. The reply is a message of the agent. If the wallet is empty, `waiting` gives the reason, and the next credit wakes the instance.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  sendMessage: {
    input: {
      /** May be empty if there are attachments. */
      text?: string
      /** `main`, or the id of another conversation. */
      conversation?: string
      /** Uploaded files; each belongs to one message. */
      attachments?: Array<string>
      /** A message of the user in this conversation, of which this one is a new version. The agent answers it as if nothing had been said since. Files of the earlier version may be named again. */
      replaces?: string
    }
    output: {
      message: Message
      /** The reason why the message waits: the wallet cannot pay for an answer. */
      waiting: {
        error: "unauthorized" | "forbidden" | "not-found" | "validation" | "invalid-json" | "rate-limited" | "wallet-empty" | "spending-limit" | "wallet-suspended" | "repeated-calls" | "provider-error" | "too-large" | "missing-id" | "conflict" | "internal"
        message: string
      } | null
    }
  }

  /** List the messages of a conversation, oldest first
   * 
   * Returns the newest page, with `before` the page before that message, or with `after` the page after it. `more` says whether there are more messages in that direction. A page with long messages has fewer than `limit`. The newest page also contains the open questions.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  listMessages: {
    input: {
      /** `main`, or the id of another conversation. */
      conversation?: string
      /** Only messages before this one. */
      before?: string
      /** Only messages after this one. */
      after?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      messages: Array<Message>
      more: boolean
      /** On the newest page: the agent’s open questions. */
      questions?: Array<Question>
      /** The agent’s questions of the time of this page that were answered or have expired, oldest first. */
      asked: Array<Question>
    }
  }

  /** Search messages for words, newest first
   * 
   * Searches one conversation, or all of them one after another. A request searches a thousand messages, or fewer if they are long. `nextCursor` continues with older messages, even if nothing was found, and is null at the end.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  searchMessages: {
    input: {
      /** Words; a message must contain all of them. Case and accents are ignored. */
      text: string
      /** Only in this conversation. Default: in all. */
      conversation?: string
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
    }
    output: {
      found: Array<FoundMessage>
      /** The time of the last message that was searched; null if none was. */
      searchedTo: string | null
      nextCursor: string | null
    }
  }

  /** Stop answering a message
   * 
   * A message that no machine works on yet is closed at once (`closed`). Otherwise the machine is told to end its model call and close the prompt within seconds (`stopping`); the event `prompt.closed` reports it. The cost so far is charged.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  stopReply: {
    input: {
      /** The id of the user’s message. */
      id: string
    }
    output: {
      promptId: string
      state: "closed" | "stopping"
    }
  }

  /** Create an upload address for a file that goes with a message
   * 
   * PUT the file to `upload.url` with `upload.headers`, then name its id in `sendMessage` within a day. A file belongs to one message and is stored for 30 days. The agent’s own copy on the volume stays.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  createAttachment: {
    input: {
      name: string
      /** Its media type, according to the sender. */
      type: string
      bytes: number
      /** SHA-256 of the whole file, in hex. */
      sha256: string
    }
    output: {
      attachment: Attachment
      upload: AttachmentUpload
    }
  }

  /** Get the download address of a message’s file
   * 
   * The address works for 15 minutes and is on another origin. PNG, JPEG, GIF and WebP are served as images, everything else as a download without a type. Files are stored for 30 days.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  getAttachment: {
    input: {
      /** Id of the attachment. */
      id: string
    }
    output: {
      attachment: Attachment
      url: string
      /** ISO 8601 UTC. */
      expiresAt: string
    }
  }

  /** Get the cost of answering a message so far
   * 
   * Adds up the model calls that the agent proved to have made for the message, by model and by sub-agent. There are none for a message without an answer or of another user. `isWhole` is false if that day’s ledger was too long to read completely.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getMessageCost: {
    input: {
      /** The id of the user’s message. */
      id: string
    }
    output: {
      cost: TurnCost
      /** The ledger entries of these calls with their receipts; the latest fifty. */
      calls: Array<Transaction>
      isWhole: boolean
    }
  }

  /** List the agent’s steps to answer a message
   * 
   * Lists the steps in the order in which they began, with their results, and how the answer ended. Steps are stored for a day. `isWhole` is false if too much has happened since the message; then the latest steps are missing.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  listActivities: {
    input: {
      /** The id of the user’s message. */
      id: string
    }
    output: {
      activities: Array<Activity>
      isWhole: boolean
      ended: TurnEnd
    }
  }

  /** List all conversations except the main one, latest start first
   * 
   * The main conversation, `main`, always exists and is not listed. The first page has its state besides the list.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  listConversations: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      conversations: Array<Conversation>
      /** On the first page: the state of the main conversation. */
      main?: MainConversation
      nextCursor: string | null
    }
  }

  /** Start a conversation
   * 
   * In a conversation, the agent knows only that conversation and its own notes. Without a title, the first message becomes the title.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  createConversation: {
    input: {
      title?: string
    }
    output: {
      conversation: Conversation
    }
  }

  /** Rename, pin or archive a conversation, mark it as read, or choose its model
   * 
   * An archived conversation keeps its messages. The next message in it restores it. A message of the user marks a conversation as read, and one of the agent as unread. A model is used from the next reply on; null chooses the default of the instance.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  updateConversation: {
    input: {
      /** Id of the conversation. */
      id: string
      title?: string
      archived?: boolean
      pinned?: boolean
      unread?: boolean
      model?: string | null
    }
    output: {
      conversation: Conversation
    }
  }

  /** Delete a conversation
   * 
   * Deletes its messages, their files, its questions and notifications for good, and stops its reply. From this moment on, its messages, files and questions cannot be read. The agent forgets it when its machine runs next. Costs stay in the wallet, and files on the volume stay. The main conversation cannot be deleted. Unlink a chat before you delete its conversation.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  deleteConversation: {
    input: {
      /** Id of the conversation. */
      id: string
    }
    output: {
      conversation: Conversation
    }
  }

  /** Mark the main conversation as read or unread, or choose its model
   * 
   * The model is used from the next reply on; null chooses the default of the instance.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  updateMainConversation: {
    input: {
      unread?: boolean
      model?: string | null
    }
    output: {
      main: MainConversation
    }
  }

  /** List the agent’s questions, oldest first
   * 
   * Returns the newest fifty. Those that are `open` wait for an answer.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  listQuestions: {
    input: Record<never, never>
    output: {
      questions: Array<Question>
    }
  }

  /** Answer a question of the agent
   * 
   * A question can be answered once, before it expires. An approval applies only to the tool and arguments of the question. Repeating the same answer gets the same response.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  answerQuestion: {
    input: {
      /** Id of the question. */
      id: string
      answer: GivenAnswer
    }
    output: {
      question: Question
    }
  }

  /** List the linked chats on other platforms
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  listChannels: {
    input: Record<never, never>
    output: {
      /** Oldest first. */
      channels: Array<ChannelLink>
      /** Where chats can be linked. */
      platforms: Array<ChannelPlatform>
    }
  }

  /** Get a code to link a chat
   * 
   * Send the code to our bot in a direct chat on one of the platforms within an hour. It links one chat.
   * 
   * Requires a session with a sign-in at most ten minutes old. */
  createLinkCode: {
    input: Record<never, never>
    output: {
      code: string
      /** ISO 8601 UTC. */
      expiresAt: string
      platforms: Array<ChannelPlatform>
    }
  }

  /** Choose the chat for messages that the agent starts itself
   * 
   * The agent’s unsolicited messages, the results of its schedules and its questions go to this chat.
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  updateChannel: {
    input: {
      /** Id of the channel. */
      id: string
      home: true
    }
    output: {
      channel: ChannelLink
    }
  }

  /** Unlink a chat
   * 
   * Messages in the chat no longer reach your agent, and nothing is sent there. Earlier messages stay.
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  deleteChannel: {
    input: {
      /** Id of the channel. */
      id: string
    }
    output: {
      channel: ChannelLink
    }
  }

  /** List the deliveries from and to chats in the last week
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  listChannelDeliveries: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      /** Newest first. */
      deliveries: Array<ChannelDelivery>
      nextCursor: string | null
    }
  }

  /** Retry a failed delivery
   * 
   * The retry starts within a minute. Completed steps are not repeated: no message is answered twice.
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  replayChannelDelivery: {
    input: {
      /** Id of the delivery. */
      id: string
    }
    output: {
      accepted: true
    }
  }

  /** Get the Slack page that adds our app to a workspace
   * 
   * Slack sends you back with a code and this state. Both are valid for ten minutes, and only for you.
   * 
   * Requires a session. */
  startSlackInstall: {
    input: Record<never, never>
    output: {
      url: string
    }
  }

  /** Add our app to the Slack workspace that you chose
   * 
   * Takes the parameters from Slack. Every member of the workspace can then link a chat to their own account.
   * 
   * Requires a session. */
  finishSlackInstall: {
    input: {
      /** From Slack. */
      code: string
      /** As it was sent to Slack. */
      state: string
    }
    output: {
      workspace: {
        id: string
        name: string
      }
    }
  }

  /** Stream the events of this account
   * 
   * Server-sent events. To continue an earlier stream, send Last-Event-ID. A token receives the events that its scopes may read: messages with `api:chat`, the wallet with `mcp:wallet.read`, the instance and the subscription with `mcp:instance.read`, personas and skills with `mcp:personas.read` and `mcp:skills.read`, files with `api:instance`, tokens with `api:tokens.write`.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  streamEvents: {
    input: {
      /** A name that the client chooses and keeps after a reload, so that it takes over its earlier stream. */
      reader?: string
    }
    output: Response
  }

  /** List the skills for the agent
   * 
   * Requires a session, or a token with the scope `mcp:skills.read`. */
  listSkills: {
    input: {
      /** Words to look for in names and descriptions. */
      q?: string
      /** Only enabled skills, or only disabled ones. */
      enabled?: boolean
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      skills: Array<Skill>
      nextCursor: string | null
    }
  }

  /** Get a skill with its instructions
   * 
   * Requires a session, or a token with the scope `mcp:skills.read`. */
  getSkill: {
    input: {
      /** Id of the skill. */
      id: string
    }
    output: {
      skill: SkillDetail
    }
  }

  /** Enable a skill for the agent
   * 
   * The agent gets the skill at its next sync, pinned to its current files. The skill’s requirements must be met.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  enableSkill: {
    input: {
      /** Id of the skill. */
      id: string
    }
    output: {
      skill: Skill
    }
  }

  /** Disable a skill for the agent
   * 
   * The agent loses the skill at its next sync.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  disableSkill: {
    input: {
      /** Id of the skill. */
      id: string
    }
    output: {
      skill: Skill
    }
  }

  /** List the personas for the agent
   * 
   * Requires a session, or a token with the scope `mcp:personas.read`. */
  listPersonas: {
    input: Record<never, never>
    output: {
      personas: Array<Persona>
    }
  }

  /** Get a persona with its texts
   * 
   * Requires a session, or a token with the scope `mcp:personas.read`. */
  getPersona: {
    input: {
      /** Id of the persona. */
      id: string
    }
    output: {
      persona: Persona
      texts: Array<{
        path: string
        text: string
      }>
    }
  }

  /** Save a persona of your own
   * 
   * Each save creates a version. The request names the version that was edited. If that is not the newest one, the request gets 409 with both versions in `details`, and nothing is lost. The agent uses the new version of the active persona from its next turn.
   * 
   * Requires a session, or a token with the scope `mcp:personas.write`. */
  savePersona: {
    input: {
      /** Id of the persona. */
      id: string
      name: string
      description?: string
      files: Array<{
        path: string
        text: string
      }>
      /** The version that was edited; 0 for a new persona. The request gets 409 if it is not the newest. */
      basedOn: number
      /** The id of the persona that a new one is a copy of. */
      copiedFrom?: string
    }
    output: {
      persona: Persona
    }
  }

  /** Delete a persona of your own, with all its versions
   * 
   * If the persona is active, the agent first switches to the default persona.
   * 
   * Requires a session, or a token with the scope `mcp:personas.write`. */
  deletePersona: {
    input: {
      /** Id of the persona. */
      id: string
    }
    output: {
      personas: Array<Persona>
    }
  }

  /** Activate a persona
   * 
   * Requires a session, or a token with the scope `mcp:personas.write`. */
  activatePersona: {
    input: {
      /** Id of the persona. */
      id: string
    }
    output: {
      personas: Array<Persona>
    }
  }

  /** Deactivate a persona
   * 
   * Requires a session, or a token with the scope `mcp:personas.write`. */
  deactivatePersona: {
    input: {
      /** Id of the persona. */
      id: string
    }
    output: {
      personas: Array<Persona>
    }
  }

  /** List the versions of a persona of your own, newest first
   * 
   * Requires a session, or a token with the scope `mcp:personas.read`. */
  listPersonaVersions: {
    input: {
      /** Id of the persona. */
      id: string
    }
    output: {
      versions: Array<{
        version: number
        /** ISO 8601 UTC. */
        savedAt: string
        name: string
        characters: number
        /** An estimate. */
        tokens: number
      }>
    }
  }

  /** Get a version of a persona of your own, with its changes
   * 
   * The diff compares this version with `against`, by default the version before it.
   * 
   * Requires a session, or a token with the scope `mcp:personas.read`. */
  getPersonaVersion: {
    input: {
      /** Id of the persona. */
      id: string
      /** Its number; the first is 1. */
      version: number
      /** The version to compare with. Default: the previous one. */
      against?: number
    }
    output: {
      version: {
        version: number
        /** ISO 8601 UTC. */
        savedAt: string
        name: string
        characters: number
        /** An estimate. */
        tokens: number
      }
      texts: Array<{
        path: string
        text: string
      }>
      /** The version the diff begins with; null for the first. */
      against: number | null
      diff: Array<FileDiff>
    }
  }

  /** Restore an earlier version of a persona of your own
   * 
   * Saves the earlier texts as a new version, so nothing is lost.
   * 
   * Requires a session, or a token with the scope `mcp:personas.write`. */
  restorePersonaVersion: {
    input: {
      /** Id of the persona. */
      id: string
      /** Its number; the first is 1. */
      version: number
    }
    output: {
      persona: Persona
    }
  }

  /** Get the signed-in operator and their remaining limits
   * 
   * Only for operators of the service, signed in with a passkey. */
  getOperator: {
    input: Record<never, never>
    output: {
      email: string
      /** The maximum amount of one action, in US cents. */
      maxCents: number
      /** The maximum total of one operator’s actions in a UTC day, in US cents. */
      maxDayCents: number
      /** Today’s total so far, in US cents. */
      movedCents: number
      /** The image of new machines. */
      imageVersion: string
    }
  }

  /** Get the numbers of awake and failed machines, and the totals of the last week
   * 
   * The check of all wallets against their ledgers also adds them up, over the seven days before it began. Until the first check has finished, there are no such totals.
   * 
   * Only for operators of the service, signed in with a passkey. */
  getTotals: {
    input: Record<never, never>
    output: {
      machines: {
        /** Machines that run, start or stop. */
        awake: number
        failed: number
        stuck: number
        /** False if only the first 1,600 instances were counted. */
        complete: boolean
      }
      /** Null before the first finished check. */
      ledger: LedgerTotals | null
    }
  }

  /** List users by e-mail address, plan and state
   * 
   * Ordered by address. The request is recorded in the operators’ audit trail, without the beginning of the address.
   * 
   * Only for operators of the service, signed in with a passkey. */
  listUsers: {
    input: {
      /** The beginning of the e-mail address. Default: all. */
      prefix?: string
      /** Only users with this plan. */
      plan?: "none" | "trial" | "starter" | "pro"
      /** `awake`: the machine runs or starts. `failed`: the machine failed. `suspended`: the wallet is suspended. `closing`: the account is set to be erased. */
      state?: "awake" | "failed" | "suspended" | "closing"
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      users: Array<ListedUser>
      nextCursor: string | null
      /** False if a state has more users than the list reads, which is about a thousand. */
      complete: boolean
    }
  }

  /** Find a user by e-mail address or id
   * 
   * Takes the whole address. Addresses cannot be searched by a part.
   * 
   * Only for operators of the service, signed in with a passkey. */
  findUser: {
    input: {
      /** A whole e-mail address, or an id. */
      query: string | string
    }
    output: {
      account: Account | null
    }
  }

  /** Get a user’s account, subscription, wallet, instance and latest audit entries
   * 
   * The answer contains no message, file or secret of the user. The request is recorded in the operators’ audit trail.
   * 
   * Only for operators of the service, signed in with a passkey. */
  getUser: {
    input: {
      /** The account. */
      user: string
    }
    output: UserOverview
  }

  /** Give a user promotional credit
   * 
   * Requires an `Idempotency-Key`; one key credits only once, forever. The reason is stored in the ledger.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  creditUser: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
      /** US cents. */
      amountCents: number
    }
    output: {
      transaction: Transaction
      wallet: Wallet
    }
  }

  /** Take back the credit of a payment that was refunded elsewhere
   * 
   * For money that was returned outside the billing provider; the provider reports its own refunds. At most the credit of the payment can be taken back. An amount that the balance cannot cover becomes owed. Requires an `Idempotency-Key`; one key works only once, forever.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  refundUser: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
      /** US cents. */
      amountCents: number
      /** A name from `payments` of `getUser`. */
      payment: string
    }
    output: {
      transaction: Transaction
      wallet: Wallet
    }
  }

  /** Stop all of a user’s spending
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  suspendUser: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      suspended: boolean
      /** False if it already was in this state. */
      changed: boolean
    }
  }

  /** Allow a suspended user to spend again
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  unsuspendUser: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      suspended: boolean
      /** False if it already was in this state. */
      changed: boolean
    }
  }

  /** Retry, stop or refresh a user’s machine
   * 
   * `retry` starts a failed machine, as its owner could. `stop` stops the machine; a message wakes it again, unless the wallet is suspended. `refresh` takes a restore point and restarts the machine.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  changeUserMachine: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
      action: "retry" | "stop" | "refresh"
    }
    output: {
      instance: Instance
    }
  }

  /** View a user’s dashboard
   * 
   * Opens a read-only view of what the user sees, for at most fifteen minutes. Only this session has the view, and it has one view at a time. The view shows no messages, personas, schedules, hooks or logs.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  viewUser: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      view: View
    }
  }

  /** View a user’s dashboard with messages
   * 
   * Like `viewUser`, but the view also shows conversations, personas, schedules, hooks and logs. It shows no files. The audit trails record this operation’s id.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  viewUserMessages: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      view: View
    }
  }

  /** End the view of a user
   * 
   * Works from any session of the operator. A view that nobody ends is over after fifteen minutes, without an audit entry.
   * 
   * Only for operators of the service, signed in with a passkey. */
  endView: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      ended: true
    }
  }

  /** Count machines by state, and list stuck and failed ones
   * 
   * The counts include machines that run or start. Stuck and failed machines have a reason and a time. Paused machines are in no list.
   * 
   * Only for operators of the service, signed in with a passkey. */
  getFleet: {
    input: Record<never, never>
    output: {
      /** By state. Paused and deleted instances are not counted. */
      counts: Record<string, number>
      /** False if only the first 1,600 instances were counted. */
      complete: boolean
      stuck: Array<FleetMachine>
      /** Latest first, at most a hundred. */
      failed: Array<FleetMachine>
    }
  }

  /** Get the latest check of all wallets against their ledgers
   * 
   * Only for operators of the service, signed in with a passkey. */
  getBooks: {
    input: Record<never, never>
    output: {
      run: BooksRun | null
    }
  }

  /** Check the next wallets against their ledgers
   * 
   * Checks at most twenty-five wallets and changes none. Repeat the request until `finishedAt` is set; any operator may continue. After that, or with `anew`, a new check begins.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  checkBooks: {
    input: {
      /** The reason. The owner of the account sees it. */
      reason: string
      anew?: boolean
    }
    output: {
      run: BooksRun
    }
  }

  /** Get the progress of the agent’s current image
   * 
   * Only for operators of the service, signed in with a passkey. */
  getRollout: {
    input: Record<never, never>
    output: {
      rollout: Rollout
    }
  }

  /** Get today’s trials and the rest of the daily budget
   * 
   * `npm run admin -- trials stop` stops trials everywhere at once.
   * 
   * Only for operators of the service, signed in with a passkey. */
  getTrials: {
    input: Record<never, never>
    output: {
      /** Null where the stage has none. */
      trials: Trials | null
    }
  }

  /** Stop or resume trials
   * 
   * While trials are stopped, nobody can start one. Running trials continue.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  changeTrials: {
    input: {
      action: "stop" | "resume"
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      trials: Trials
    }
  }

  /** Pause or resume the rollout of the current image
   * 
   * While the rollout is paused, no further machine gets the image; machines that are trying it continue. After a resume, all machines can get it, including those where it failed.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  changeRollout: {
    input: {
      action: "pause" | "resume"
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      rollout: Rollout
    }
  }

  /** List overdue and failed work
   * 
   * Without `user`, lists the overdue follow-ups of all users, at most twenty per shard. With `user`, lists that user’s chat and webhook deliveries that failed in the last week.
   * 
   * Only for operators of the service, signed in with a passkey. */
  listDeadLetters: {
    input: {
      /** The deliveries’ owner. */
      user?: string
    }
    output: {
      letters: Array<DeadLetter>
    }
  }

  /** Retry overdue or failed work
   * 
   * The retry starts within a minute. Completed steps are not repeated.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  replayDeadLetter: {
    input: {
      /** The account. */
      user: string
      /** The reason. The owner of the account sees it. */
      reason: string
      kind: "follow-up" | "chat" | "webhook"
      letter: string
      endpoint?: string
    }
    output: {
      accepted: true
    }
  }

  /** List the current notices and their recipients
   * 
   * Only for operators of the service, signed in with a passkey. */
  listOperatorNotices: {
    input: Record<never, never>
    output: {
      notices: Array<OperatorNotice>
    }
  }

  /** Send a notice to all or some users
   * 
   * The dashboard shows the notice until it expires or the reader dismisses it. Named users are also notified, and get an e-mail unless they turned such e-mails off.
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  broadcastNotice: {
    input: {
      text: string
      /** Its recipients; default: everybody. */
      users?: Array<string>
      /** For how many days it stands. */
      days?: number
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      notice: OperatorNotice
    }
  }

  /** Withdraw a notice
   * 
   * Only for operators of the service, signed in with a passkey within the last ten minutes. */
  withdrawNotice: {
    input: {
      /** The notice’s id. */
      notice: string
      /** The reason. The owner of the account sees it. */
      reason: string
    }
    output: {
      withdrawn: true
    }
  }

  /** List operators’ changes and views, newest first
   * 
   * Only for operators of the service, signed in with a passkey. */
  listOperatorsTrail: {
    input: {
      /** `nextCursor` of the previous page. Default: the first page. */
      cursor?: string
      /** Maximum number of entries. */
      limit?: number
    }
    output: {
      entries: Array<AuditEntry>
      nextCursor: string | null
    }
  }

  /** Get the operator’s current view
   * 
   * Only for operators of the service, signed in with a passkey. */
  getView: {
    input: Record<never, never>
    output: {
      view: View | null
      /** Whether it was begun in this session, which alone can read. */
      here: boolean
    }
  }

  /** Read as the viewed user
   * 
   * Answers as the operation at the path would answer that user. Only operations that change nothing and reveal no secret are available; those that show messages, only in a view that `viewUserMessages` began.
   * 
   * Only for operators of the service, signed in with a passkey. */
  readAsUser: {
    input: {
      /** The path of an operation. */
      path: string
    }
    output: object
  }
}

/** Method, path below the API's root, and how the answer is read. */
export const addresses = {
  getHealth: ['GET', '/health', 'json'],
  getSecurityTxt: ['GET', '/.well-known/security.txt', 'text'],
  getOpenapi: ['GET', '/openapi.json', 'json'],
  listPlans: ['GET', '/plans', 'json'],
  listModels: ['GET', '/models', 'json'],
  login: ['POST', '/auth/login', 'json'],
  verify: ['POST', '/auth/verify', 'json'],
  logout: ['POST', '/auth/logout', 'json'],
  getSession: ['GET', '/auth/session', 'json'],
  listSessions: ['GET', '/auth/sessions', 'json'],
  endSession: ['DELETE', '/auth/sessions/{id}', 'json'],
  passkeyOptions: ['POST', '/auth/passkeys/options', 'json'],
  verifyPasskey: ['POST', '/auth/passkeys/verify', 'json'],
  registerPasskeyOptions: ['POST', '/auth/passkeys/registration', 'json'],
  addPasskey: ['POST', '/auth/passkeys', 'json'],
  listPasskeys: ['GET', '/auth/passkeys', 'json'],
  removePasskey: ['DELETE', '/auth/passkeys/{id}', 'json'],
  startTrial: ['POST', '/trial', 'json'],
  getAccount: ['GET', '/account', 'json'],
  updateAccount: ['PATCH', '/account', 'json'],
  exportAccount: ['GET', '/account/export', 'json'],
  deleteAccount: ['DELETE', '/account', 'json'],
  listAudit: ['GET', '/account/audit', 'json'],
  listNotices: ['GET', '/notices', 'json'],
  listNotifications: ['GET', '/notifications', 'json'],
  readNotifications: ['POST', '/notifications/read', 'json'],
  getNotificationSettings: ['GET', '/notifications/settings', 'json'],
  setNotificationSettings: ['PUT', '/notifications/settings', 'json'],
  addPushDevice: ['POST', '/notifications/devices', 'json'],
  removePushDevice: ['DELETE', '/notifications/devices/{id}', 'json'],
  listTokens: ['GET', '/tokens', 'json'],
  mintToken: ['POST', '/tokens', 'json'],
  revokeToken: ['DELETE', '/tokens', 'json'],
  changeToken: ['PATCH', '/tokens/{id}', 'json'],
  rerollToken: ['POST', '/tokens/{id}/reroll', 'json'],
  getProtectedResource: ['GET', '/.well-known/oauth-protected-resource', 'json'],
  getTokenResource: ['GET', '/.well-known/oauth-protected-resource/api/mcp-token', 'json'],
  getAuthorizationServer: ['GET', '/.well-known/oauth-authorization-server', 'json'],
  checkAuthorizationRequest: ['POST', '/oauth/authorization/check', 'json'],
  answerAuthorizationRequest: ['POST', '/oauth/authorization', 'json'],
  getWallet: ['GET', '/wallet', 'json'],
  listTransactions: ['GET', '/wallet/transactions', 'json'],
  getTransaction: ['GET', '/wallet/transactions/{id}', 'json'],
  getWalletUsage: ['GET', '/wallet/usage', 'json'],
  getWalletForecast: ['GET', '/wallet/forecast', 'json'],
  getWalletStatement: ['GET', '/wallet/statement', 'text'],
  createWalletTopup: ['POST', '/wallet/topup', 'json'],
  setWalletLimits: ['PUT', '/wallet/limits', 'json'],
  setAutoTopup: ['PUT', '/wallet/auto-topup', 'json'],
  createSubscriptionCheckout: ['POST', '/checkout', 'json'],
  changePlan: ['POST', '/billing/plan', 'json'],
  openBillingPortal: ['POST', '/billing/portal', 'json'],
  listInvoices: ['GET', '/billing/invoices', 'json'],
  getInstanceStatus: ['GET', '/instance/status', 'json'],
  getInstanceHistory: ['GET', '/instance/history', 'json'],
  pauseInstance: ['POST', '/instance/pause', 'json'],
  resumeInstance: ['POST', '/instance/resume', 'json'],
  refreshInstance: ['POST', '/instance/refresh', 'json'],
  setInstanceModel: ['POST', '/instance/model', 'json'],
  listRuntimes: ['GET', '/instance/runtimes', 'json'],
  setInstanceRuntime: ['PUT', '/instance/runtime', 'json'],
  deleteInstance: ['DELETE', '/instance', 'json'],
  getInstanceEnv: ['GET', '/instance/env', 'json'],
  setInstanceEnv: ['PUT', '/instance/env', 'json'],
  getInstanceSecrets: ['GET', '/instance/secrets', 'json'],
  setInstanceSecrets: ['PUT', '/instance/secrets', 'json'],
  listSchedules: ['GET', '/instance/schedules', 'json'],
  createSchedule: ['POST', '/instance/schedules', 'json'],
  deleteSchedule: ['DELETE', '/instance/schedules/{id}', 'json'],
  updateSchedule: ['PATCH', '/instance/schedules/{id}', 'json'],
  runSchedule: ['POST', '/instance/schedules/{id}/runs', 'json'],
  getInstanceLogs: ['GET', '/instance/logs', 'json'],
  getInstanceMetrics: ['GET', '/instance/metrics', 'json'],
  listHooks: ['GET', '/hooks', 'json'],
  createHook: ['POST', '/hooks', 'json'],
  deleteHook: ['DELETE', '/hooks/{id}', 'json'],
  rerollHook: ['POST', '/hooks/{id}/reroll', 'json'],
  listWebhookEndpoints: ['GET', '/hooks/endpoints', 'json'],
  createWebhookEndpoint: ['POST', '/hooks/endpoints', 'json'],
  updateWebhookEndpoint: ['PATCH', '/hooks/endpoints/{id}', 'json'],
  deleteWebhookEndpoint: ['DELETE', '/hooks/endpoints/{id}', 'json'],
  rotateWebhookSecret: ['POST', '/hooks/endpoints/{id}/rotate', 'json'],
  testWebhookEndpoint: ['POST', '/hooks/endpoints/{id}/test', 'json'],
  listWebhookDeliveries: ['GET', '/hooks/endpoints/{id}/deliveries', 'json'],
  replayWebhookDelivery: ['POST', '/hooks/endpoints/{id}/deliveries/{delivery}/replay', 'json'],
  getFile: ['GET', '/instance/files/{path+}', 'stream'],
  listFiles: ['GET', '/instance/files', 'json'],
  listRestorePoints: ['GET', '/instance/restore-points', 'json'],
  createRestorePoint: ['POST', '/instance/restore-points', 'json'],
  getRestorePoint: ['GET', '/instance/restore-points/{id}', 'json'],
  listRestorePointFiles: ['GET', '/instance/restore-points/{id}/files', 'json'],
  restoreFiles: ['POST', '/instance/restore-points/{id}/restore', 'json'],
  createExport: ['POST', '/instance/export', 'json'],
  getFilesTask: ['GET', '/instance/tasks/{id}', 'json'],
  writeFile: ['PUT', '/instance/files/{path+}', 'json'],
  createFolder: ['POST', '/instance/folders', 'json'],
  moveFile: ['POST', '/instance/file-moves', 'json'],
  deleteFile: ['DELETE', '/instance/files/{path+}', 'json'],
  searchFiles: ['GET', '/instance/file-search', 'json'],
  compareRestorePoint: ['GET', '/instance/restore-points/{id}/changes', 'json'],
  getReplyChanges: ['GET', '/instance/replies/{id}/changes', 'json'],
  undoReply: ['POST', '/instance/replies/{id}/undo', 'json'],
  sendMessage: ['POST', '/chat/messages', 'json'],
  listMessages: ['GET', '/chat/messages', 'json'],
  searchMessages: ['GET', '/chat/search', 'json'],
  stopReply: ['POST', '/chat/messages/{id}/stop', 'json'],
  createAttachment: ['POST', '/chat/attachments', 'json'],
  getAttachment: ['GET', '/chat/attachments/{id}', 'json'],
  getMessageCost: ['GET', '/chat/messages/{id}/cost', 'json'],
  listActivities: ['GET', '/chat/messages/{id}/activities', 'json'],
  listConversations: ['GET', '/chat/conversations', 'json'],
  createConversation: ['POST', '/chat/conversations', 'json'],
  updateConversation: ['PATCH', '/chat/conversations/{id}', 'json'],
  deleteConversation: ['DELETE', '/chat/conversations/{id}', 'json'],
  updateMainConversation: ['PATCH', '/chat/conversations/main', 'json'],
  listQuestions: ['GET', '/chat/questions', 'json'],
  answerQuestion: ['POST', '/chat/questions/{id}/answer', 'json'],
  listChannels: ['GET', '/channels', 'json'],
  createLinkCode: ['POST', '/channels/codes', 'json'],
  updateChannel: ['PATCH', '/channels/{id}', 'json'],
  deleteChannel: ['DELETE', '/channels/{id}', 'json'],
  listChannelDeliveries: ['GET', '/channels/deliveries', 'json'],
  replayChannelDelivery: ['POST', '/channels/deliveries/{id}/replay', 'json'],
  startSlackInstall: ['POST', '/channels/slack/installs', 'json'],
  finishSlackInstall: ['POST', '/channels/slack/installs/finish', 'json'],
  streamEvents: ['GET', '/events', 'stream'],
  listSkills: ['GET', '/skills', 'json'],
  getSkill: ['GET', '/skills/{id}', 'json'],
  enableSkill: ['POST', '/skills/{id}/enable', 'json'],
  disableSkill: ['POST', '/skills/{id}/disable', 'json'],
  listPersonas: ['GET', '/personas', 'json'],
  getPersona: ['GET', '/personas/{id}', 'json'],
  savePersona: ['PUT', '/personas/{id}', 'json'],
  deletePersona: ['DELETE', '/personas/{id}', 'json'],
  activatePersona: ['POST', '/personas/{id}/activate', 'json'],
  deactivatePersona: ['POST', '/personas/{id}/deactivate', 'json'],
  listPersonaVersions: ['GET', '/personas/{id}/versions', 'json'],
  getPersonaVersion: ['GET', '/personas/{id}/versions/{version}', 'json'],
  restorePersonaVersion: ['POST', '/personas/{id}/versions/{version}/restore', 'json'],
  getOperator: ['GET', '/operator', 'json'],
  getTotals: ['GET', '/operator/totals', 'json'],
  listUsers: ['GET', '/operator/directory', 'json'],
  findUser: ['GET', '/operator/users', 'json'],
  getUser: ['GET', '/operator/users/{user}', 'json'],
  creditUser: ['POST', '/operator/users/{user}/credit', 'json'],
  refundUser: ['POST', '/operator/users/{user}/refund', 'json'],
  suspendUser: ['POST', '/operator/users/{user}/suspend', 'json'],
  unsuspendUser: ['POST', '/operator/users/{user}/unsuspend', 'json'],
  changeUserMachine: ['POST', '/operator/users/{user}/machine', 'json'],
  viewUser: ['POST', '/operator/users/{user}/view', 'json'],
  viewUserMessages: ['POST', '/operator/users/{user}/view-with-messages', 'json'],
  endView: ['POST', '/operator/users/{user}/view/end', 'json'],
  getFleet: ['GET', '/operator/fleet', 'json'],
  getBooks: ['GET', '/operator/books', 'json'],
  checkBooks: ['POST', '/operator/books', 'json'],
  getRollout: ['GET', '/operator/rollout', 'json'],
  getTrials: ['GET', '/operator/trials', 'json'],
  changeTrials: ['POST', '/operator/trials', 'json'],
  changeRollout: ['POST', '/operator/rollout', 'json'],
  listDeadLetters: ['GET', '/operator/dead-letters', 'json'],
  replayDeadLetter: ['POST', '/operator/users/{user}/dead-letters', 'json'],
  listOperatorNotices: ['GET', '/operator/notices', 'json'],
  broadcastNotice: ['POST', '/operator/notices', 'json'],
  withdrawNotice: ['POST', '/operator/notices/{notice}/withdraw', 'json'],
  listOperatorsTrail: ['GET', '/operator/trail', 'json'],
  getView: ['GET', '/view', 'json'],
  readAsUser: ['GET', '/view/{path+}', 'json'],
} as const satisfies Record<keyof Operations, readonly [string, string, 'json' | 'text' | 'stream']>
