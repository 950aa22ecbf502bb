// Generated from the operations by "npm run generate"; do not edit.

export type ErrorCode = 'unauthorized' | 'forbidden' | 'not-found' | 'validation' | 'invalid-json' | 'rate-limited' | 'wallet-empty' | 'spending-limit' | 'wallet-suspended' | 'repeated-calls' | 'provider-error' | 'too-large' | 'missing-id' | 'conflict' | 'internal'

/** A hosted checkout page for the user to open. */
export type Checkout = {
  id: string
  url: string
  /** ISO 8601 UTC. */
  expiresAt: string
}

/** How its prompt was closed, and what the agent said of that; null while it is open. */
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

/** PUT the bytes there. */
export type AttachmentUpload = {
  url: string
  /** Headers to send with it, in addition to exactly its `Content-Length`. */
  headers: Record<string, string>
  /** ISO 8601 UTC. */
  expiresAt: string
}

/** The newest restore point, when it has the file, or anything in the folder, as it was then; null when not. */
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
  /** Your own personas in every version that is kept. */
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
  /** Chats that are linked to it. */
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
  /** The start of the next part; null in the last one. */
  nextCursor: string | null
}

export type Activity = {
  /** The runtime’s own; the same when it begins and when it is over. */
  id: string
  tool: string
  state: "started" | "finished" | "failed"
  /** Its object: a file, a command, an address. */
  target?: string
  durationMs?: number
  /** Size of what came of it. */
  bytes?: number
  /** The sub-agent that does it, by its name. */
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
  /** The record it was done to. */
  record: string
  actor: {
    kind: "session" | "pat" | "machine" | "anonymous" | "service" | "operator" | "channel"
    /** The session, token, instance, linked chat or operator’s account that acted. */
    id: string | null
  }
  /** Why, where an operator did it. */
  reason?: string
  /** The account concerned, in the operators’ own trail. */
  user?: string
}

export type AuthorizationRequest = {
  client: {
    id: string
    /** Its own name, which nobody has verified. */
    name: string
    /** The host of its id; null for a registered client. */
    host: string | null
  }
  /** Where the answer goes. */
  redirectHost: string
  scopes: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
}

export type AutoTopup = {
  enabled: boolean
  /** US cents the balance may fall to. */
  thresholdCents: number
  /** US cents: 500 is $5.00. */
  amountCents: number
  /** US cents charged in a month at most. */
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
  /** Users; check these by themselves. */
  skipped: Array<string>
}

export type ChannelDelivery = {
  id: string
  direction: "in" | "out"
  platform: "telegram" | "slack" | "discord"
  /** The id of the linked chat; empty once it is unlinked. */
  chat: string
  state: "received" | "done" | "ignored" | "open" | "sending" | "sent" | "failed"
  /** How it begins. */
  text: string
  failures: number
  /** Why it was ignored or failed. */
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
  /** The name there of the person whom it is linked to. */
  person: string
  /** Where its messages belong. */
  conversation: string
  /** Here the agent says what nobody asked for, and what its schedules bring. */
  home: boolean
  /** `lost`: the chat, or our place in it, is no more. */
  state: "linked" | "lost"
  /** ISO 8601 UTC. */
  createdAt: string
}

export type ChannelPlatform = {
  platform: "telegram" | "slack" | "discord"
  /** The bot’s name there. */
  name: string
  /** Where a chat with us begins. */
  startUrl: string
}

export type Conversation = {
  id: string
  /** Null until its first message, whose beginning it becomes. */
  title: string | null
  startedBy: "user" | "agent"
  /** Out of the list; the next message brings it back. */
  archived: boolean
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
  /** Why it failed, as far as that is known. */
  why: string | null
  /** ISO 8601 UTC. */
  at: string
  /** Null when it is not tried any more. */
  nextTryAt: string | null
}

export type FailedCall = {
  /** ISO 8601 UTC. */
  at: string
  callId: string
  model: string
  provider: string
  /** Why its provider gave no answer. */
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
  /** Bytes; 0 for what is not a file. */
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
  /** Since when it is stuck or has failed. */
  since: string | null
}

export type FoundEntryOutput = {
  /** Bytes that are not UTF-8 are written `\xHH`, a backslash as two. */
  name: string
  /** Only files can be read. */
  kind: "file" | "folder" | "link" | "other"
  /** Bytes; 0 for what is not a file. */
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
  /** Its latest delivery: the agent was asked, or why it was not. */
  lastDelivery: {
    /** ISO 8601 UTC. */
    at: string
    outcome: "sent" | "paused" | "no-instance" | "wallet-empty"
  } | null
  /** Where to send deliveries, by POST. */
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
  /** The program that is the agent. */
  runtime: string
  imageVersion: string
  generation: number
  /** ISO 8601 UTC. */
  createdAt: string
  /** Since when it is in its state; null when that was not noted. */
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
  /** How long this state lasted of late; null for one that lasts until somebody asks, and before the first time. */
  usualSeconds: number | null
  /** One sentence: why it is awake or asleep, and what comes next. */
  explanation: string
}

export type InstanceSecret = {
  /** The only hosts that are sent it. */
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
  /** The account’s one trial, also when it is over; null if it had none. */
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

export type LogLine = {
  /** ISO 8601 UTC. */
  at: string
  message: string
  /** Which machine wrote it. */
  machine: string
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
  /** The last request that it was good for, within five minutes; of a connected app, of any of its tokens, or its renewal. */
  lastUsedAt: string | null
  /** The name of the program that used it last, as one line of plain text: `clientInfo` of MCP, or `User-Agent`. The name is not verified. */
  lastClient?: string
  /** ISO 8601 UTC. */
  revokedAt: string | null
  replaces?: string
  /** Most that it may spend on model calls in all, µUSD; no cap of its own when absent. */
  capMicros?: number
  /** Most that it may spend on model calls in a UTC day, µUSD; no cap of its own when absent. */
  dailyCapMicros?: number
  /** Most that it may spend on model calls in a calendar month (UTC), µUSD; no cap when absent. */
  monthlyCapMicros?: number
  /** Its total spending and holds, µUSD; present on tokens with `api:llm`. */
  spentMicros?: number
  /** The part of this UTC day, µUSD. */
  spentTodayMicros?: number
  /** The part of this calendar month (UTC), µUSD. */
  spentThisMonthMicros?: number
  /** The program that was connected in a browser and renews its tokens by itself; `name` is what it calls itself. */
  app?: {
    /** How the app names itself to the authorization server. */
    clientId: string
    /** Where it lives, or where its answer went. */
    host: string
    /** Most that it may spend in all, µUSD. */
    capMicros?: number
  }
  /** The full bearer token. Shown once, never again. */
  plaintext: string
}

export type Model = {
  /** As `provider/model`. */
  id: string
  provider: string
  /** Its provider’s format: requests in it are passed on unchanged. A call in any other format is translated. */
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
  /** The price of one web search by the provider. Absent where it makes none. */
  searchMicros?: number
  /** Prices of a whole call whose input is longer than this many tokens. */
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
  /** The page of the dashboard that it is about. */
  page: string
  read: boolean
}

export type NotificationFacts = {
  /** Text of an agent or an operator. */
  text?: string
  /** The name of a token, passkey, device or endpoint. */
  name?: string
  /** Why, as a code. */
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
  /** Users; null for everybody. */
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
  /** The last request that it was good for, within five minutes; of a connected app, of any of its tokens, or its renewal. */
  lastUsedAt: string | null
  /** The name of the program that used it last, as one line of plain text: `clientInfo` of MCP, or `User-Agent`. The name is not verified. */
  lastClient?: string
  /** ISO 8601 UTC. */
  revokedAt: string | null
  replaces?: string
  /** Most that it may spend on model calls in all, µUSD; no cap of its own when absent. */
  capMicros?: number
  /** Most that it may spend on model calls in a UTC day, µUSD; no cap of its own when absent. */
  dailyCapMicros?: number
  /** Most that it may spend on model calls in a calendar month (UTC), µUSD; no cap when absent. */
  monthlyCapMicros?: number
  /** Its total spending and holds, µUSD; present on tokens with `api:llm`. */
  spentMicros?: number
  /** The part of this UTC day, µUSD. */
  spentTodayMicros?: number
  /** The part of this calendar month (UTC), µUSD. */
  spentThisMonthMicros?: number
  /** The program that was connected in a browser and renews its tokens by itself; `name` is what it calls itself. */
  app?: {
    /** How the app names itself to the authorization server. */
    clientId: string
    /** Where it lives, or where its answer went. */
    host: string
    /** Most that it may spend in all, µUSD. */
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
  /** The id of the persona that it began as a copy of. */
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
    /** The maximum length of a persona that the agent reads. */
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
    /** Minutes after which a quiet machine is asked to sleep. */
    minutes: number
    /** Minutes without activity after which it is stopped whatever it says. */
    ceilingMinutes: number
  }
  schedules: {
    /** How many schedules it has room for. */
    most: number
    /** How many of them the agent may make of its own accord. */
    byAgent: number
    /** Minutes between two times of one schedule, at least. */
    leastMinutes: number
  }
  hooks: {
    /** How many hooks it has room for. */
    most: number
    /** Deliveries that one hook takes in an hour. */
    deliveriesAnHour: number
    /** Deliveries that all hooks take in a UTC day. */
    aDay: number
    /** Bytes of what the agent is given of them. */
    bytesADay: number
  }
  webhookEndpoints: {
    /** The number of webhook endpoints. */
    most: number
    /** Deliveries that one of them gets in an hour. */
    deliveriesAnHour: number
    /** Deliveries that all of them get in a UTC day. */
    aDay: number
    /** Bytes of these deliveries. */
    bytesADay: number
  }
  messages: {
    /** Messages that wait for an answer at once, those of hooks and schedules included. */
    waiting: number
    /** Bytes of the texts that wait. */
    waitingBytes: number
    /** Messages of people and their programs in a UTC day. */
    aDay: number
    /** Bytes of their texts. */
    bytesADay: number
  }
  /** Wallet credit each paid month includes, in µUSD. */
  includedMicros: number
}

export type PushDevice = {
  id: string
  /** Browser family and system. */
  name: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** Since when its push service has refused everything. */
  failingSince: string | null
  /** It was added by the session of this very request. */
  current: boolean
}

export type Question = {
  text: string
  /** Yes or no, one of `choices`, or words. */
  answer: "approve" | "choose" | "text"
  choices?: Array<string>
  /** The tool that would be called. */
  tool?: string
  /** Its arguments: the answer is valid for exactly these. */
  arguments?: object
  id: string
  promptId: string | null
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
  /** The bytes it added to those of earlier points. */
  newBytes: number | null
  failure: string | null
}

export type ReturnedMails = {
  /** When its server last refused a mail for good. */
  bouncedAt: string | null
  /** The time of the last complaint. */
  complainedAt: string | null
}

export type Rollout = {
  version: string
  state: "rolling" | "halted"
  /** Machines that run it well. */
  healthy: number
  /** Users whose machines try it now. */
  trying: Array<string>
  /** Users whose machines it failed; they keep the image they had. */
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
  /** The cheapest plan whose machine carries it. */
  plan: "starter" | "pro" | null
  active: boolean
}

export type RuntimeSupport = {
  /** How a reply grows: word by word, or as each message is whole. */
  text: "words" | "messages"
  /** Whether tool calls are reported at their beginning, or at their end. */
  activity: "live" | "afterwards" | null
  stop: boolean
  /** Whether the model is shown images that come with a message. */
  images: boolean
  /** The model’s tool that has a file go with the reply; null without one. */
  attaches: string | null
  questions: boolean
  /** Whether it sends unsolicited messages, besides schedules. */
  unasked: boolean
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
  /** When it comes once, which `cron` names as well; null when it comes again and again. */
  at: string | null
  /** Who made it. */
  by: "user" | "agent"
  /** The prompt of its runs. */
  text: string
  /** ISO 8601 UTC. */
  createdAt: string
  /** Whether its times pass without anything being asked. */
  paused: boolean
  /** Its latest times, newest first. */
  runs: Array<ScheduleRun>
  /** The newest of `runs`. */
  lastRun: ScheduleRun | null
  /** Null when it never comes. */
  nextRunAt: string | null
  /** How often it comes in a long month, and how long it keeps a machine awake that sleeps otherwise. */
  month: {
    runs: number
    awakeMinutes: number
  }
}

export type ScheduleRun = {
  /** The time that had come, or when it was asked for out of turn. */
  at: string
  /** The prompt was sent, or why it was not. */
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
  /** The session of this very request. */
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
  /** Off because its files are no longer those that were enabled. */
  changed: boolean
  requires: {
    env: Array<string>
    bins: Array<string>
  }
  /** Its requirements on the program that is the agent. */
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
  /** Off because its files are no longer those that were enabled. */
  changed: boolean
  requires: {
    env: Array<string>
    bins: Array<string>
  }
  /** Its requirements on the program that is the agent. */
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
  /** The plan that the next period begins with. */
  nextPlan?: "starter" | "pro"
}

export type Transaction = {
  id: string
  type: "topup" | "subscription_credit" | "trial_credit" | "usage" | "refund" | "dispute" | "adjustment"
  /** Signed: credits above zero, debits below, in µUSD. */
  amountMicros: number
  /** The ledger after this line: credits − debits, in µUSD. */
  balanceMicros: number
  /** ISO 8601 UTC. */
  at: string
  description: string
  receipt?: UsageReceipt
}

export type Trial = {
  /** ISO 8601 UTC. */
  startedAt: string
  /** When it is over, or was: earlier than planned where its credit is used up. */
  endsAt: string
  /** Its credit, in µUSD. */
  creditMicros: number
}

export type TrialOffer = {
  /** One trial’s credit, in µUSD. */
  creditMicros: number
  /** How long a trial lasts. */
  hours: number
  /** How long files are kept when it is over. */
  keptDays: number
  /** False when what is given today is used up; it opens again at 00:00 UTC. */
  open: boolean
}

export type Trials = {
  /** All trials of a UTC day together are given no more, in µUSD. */
  budgetMicros: number
  /** One trial’s credit, in µUSD. */
  creditMicros: number
  /** How long a trial lasts. */
  hours: number
  /** Trials a UTC day of one IPv4 address or IPv6 /64. */
  perNetwork: number
  /** Trials a UTC day of addresses of one mail domain. */
  perDomain: number
  /** Given today, in µUSD. */
  givenMicros: number
  /** Trials that began today. */
  begun: number
  /** Whether one more may begin. */
  open: boolean
  /** Why an operator has stopped them; null while they go on. */
  stopped: string | null
}

export type TurnChangeOutput = {
  path: string
  change: "added" | "changed" | "removed"
  before: FileVersionBeforeOutput
  now: FileVersionNowOutput
  /** `kept` can be taken back; `not-kept` was too large to keep; `changed-since` stands in the way; `undone` is as it was before. */
  state: "kept" | "not-kept" | "changed-since" | "undone"
}

export type TurnCost = {
  calls: number
  /** Micro-dollars (µUSD): 1 USD = 1 000 000. */
  amountMicros: number
  /** All of it by model. */
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
  /** The same by what the rows sum up, the dearest of the range first; none with `by=day`. */
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
  /** The part of cacheWriteTokens that is kept for an hour, at twice the price of input. Absent when there is none. */
  cacheWriteHourTokens?: number
  outputTokens: number
  reasoningTokens: number
  /** Searches of the web that the provider made. */
  searches?: number
  /** The cost of each of them, in µUSD. */
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
  /** The prompt that the agent proved to work for. */
  promptId?: string
  /** The conversation of that prompt, `main` or cnv_…. */
  conversation?: string
  /** Its sub-agent that made the call. */
  child?: string
  /** The token whose spending this is counted as; absent where the agent called. */
  tokenId?: string
  /** ISO 8601 UTC. */
  startedAt: string
  firstByteMs: number | null
  durationMs: number
}

export type UsageReport = {
  /** In order of their keys. */
  usage: Array<UsageRow>
  /** Days on which anything was charged, oldest first. */
  days: Array<UsageBar>
  total: UsageSum
  /** The values in the range’s calls, filtered or not, the most expensive first: the possible filters. */
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
  /** Mails to this address that came back in the last 30 days. */
  returnedMails: ReturnedMails
  subscription: Subscription
  wallet: Wallet
  /** Null while spending is open. */
  suspendedBecause: string | null
  instance: Instance | null
  /** The wallet’s credits; fifty at most. */
  payments: Array<{
    /** Its id for refundUser. */
    name: string
    /** Credited, in µUSD. */
    amountMicros: number
    /** Taken back of it, in µUSD. */
    takenBackMicros: number
  }>
  /** Model calls that failed, newest first: twenty at most, of the latest 200 lines of the ledger. */
  failedCalls: Array<FailedCall>
  /** The latest of the trail; twenty at most. */
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
  /** Who is seen. */
  user: string
  /** Whether what was written is shown, by people and by agents. */
  messages: boolean
  /** Why it was begun. */
  reason: string
  /** ISO 8601 UTC. */
  startedAt: string
  /** ISO 8601 UTC. */
  endsAt: string
}

export type Wallet = {
  /** Spendable now, in µUSD; never below zero. */
  balanceMicros: number
  /** Set aside for model calls under way, in µUSD. */
  heldMicros: number
  /** Owed after a refund or dispute; the next credits pay it first. */
  owedMicros: number
  currency: "usd"
  /** True below one dollar. */
  low: boolean
  /** Days the balance lasts at the rate of the last seven days; null when nothing was spent. */
  runwayDays: number | null
  /** True while an operator or a fraud warning has stopped all spending. */
  suspended: boolean
  limits: WalletLimits
  /** Absent when automatic top-up was never set. */
  autoTopup?: WalletAutoTopup
}

export type WalletAutoTopup = {
  enabled: boolean
  /** US cents the balance may fall to. */
  thresholdCents: number
  /** US cents: 500 is $5.00. */
  amountCents: number
  /** US cents charged in a month at most. */
  monthlyCapCents: number
  declined?: {
    /** Declines since the last charge that went through. */
    times: number
    /** Null after the fifth: nothing is charged until the settings are saved again. */
    nextTryAt: string | null
  }
}

export type WalletForecast = {
  /** The calendar month (UTC). */
  month: string
  /** Charged in it so far, in µUSD. */
  spentMicros: number
  /** The cost of a day at the current rate, in µUSD. */
  rateMicros: number
  /** Ended days that the rate is the mean of, from the first with spending; 0: today alone is known. */
  rateDays: number
  /** The month’s total if each remaining day costs as much. */
  monthEndMicros: number
  /** The day in this month on which the balance is used up at that rate; null: it lasts. */
  emptyOn: string | null
  /** The balance’s shortfall for the rest of the month, in µUSD. */
  missingMicros: number
  /** The most that the limit a day lets the month come to, in µUSD. */
  mostMicros: number
  /** Whether a day at the present rate reaches the limit a day. */
  isCapped: boolean
  /** Absent where automatic top-up is off. */
  autoTopup?: {
    /** The amount it may still charge in this month, in µUSD. */
    leftMicros: number
    /** Whether that covers what is missing. */
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
  type: "instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "webhook.test"
  /** ISO 8601 UTC. */
  createdAt: string
  state: "pending" | "delivered" | "failed"
  /** Oldest first; the latest 20. */
  tries: Array<{
    /** ISO 8601 UTC. */
    at: string
    /** Its answer’s status; null without an answer. */
    status: number | null
    /** Why there is no answer. */
    failure: "refused-address" | "unreachable" | "timeout" | "tls" | null
    /** Milliseconds to the answer, or to its lack. */
    latencyMs: number
  }>
  /** Null when it is not tried any more. */
  nextTryAt: string | null
  /** Why it was given up without another try. */
  cancelled: "endpoint-deleted" | "endpoint-disabled" | "not-subscribed" | "too-late" | null
}

export type WebhookEndpoint = {
  id: string
  name: string
  /** Receives events by POST. */
  url: string
  /** The subscribed types; `*` is every type. */
  events: Array<"instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "*">
  /** ISO 8601 UTC. */
  createdAt: string
  /** The reason why it receives nothing; null while it does. */
  disabled: "failing" | "gone" | "owner" | null
  /** Since when it has answered nothing but failures. */
  failingSince: string | null
  /** Until when the secret before this one signs as well. */
  oldSecretUntil: string | null
  /** When a limit of the plan, of the hour or of the day, last kept an event from it. */
  missedAt: string | null
}

/** Input and output of each operation. */
export interface Operations {
  /** Liveness probe
   * 
   * Anybody may call it. */
  getHealth: {
    input: Record<never, never>
    output: Health
  }

  /** Where to report abuse and security problems
   * 
   * RFC 9116. At the host’s root too, where scanners and people look for it.
   * 
   * Anybody may call it. */
  getSecurityTxt: {
    input: Record<never, never>
    output: string
  }

  /** This API as an OpenAPI 3.1 document
   * 
   * Anybody may call it. */
  getOpenapi: {
    input: Record<never, never>
    output: object
  }

  /** The plans on sale, and what one may try
   * 
   * Anybody may call it. */
  listPlans: {
    input: Record<never, never>
    output: {
      plans: Array<Plan>
      /** The trial before any payment; null if there are no trials. */
      trial: TrialOffer | null
    }
  }

  /** Models an instance can use, with their prices
   * 
   * Anybody may call it. */
  listModels: {
    input: Record<never, never>
    output: {
      models: Array<Model>
    }
  }

  /** Mail a sign-in code
   * 
   * Mails a 6-digit code that is good for 10 minutes in the browser that asks, which is given a cookie to show with it, and a link that is good for an hour in any. The answer is the same whether the account exists or not, and whether a mail is sent or not: after several that nobody used, the links they have must do.
   * 
   * Only the service’s own pages may call it. */
  login: {
    input: {
      email: string
    }
    output: {
      sent: true
      /** Whether a mail to this address came back for good in the last 30 days, such as from a server that knows no such mailbox. Nothing depends on it: this one is mailed all the same. */
      bounced: boolean
    }
  }

  /** Sign in with the mailed code or link
   * 
   * Sets the session cookie. A code works in the browser that asked for it, which shows the cookie it was given then; a link’s token works in any. Wrong ones alone count against the limit. A first sign-in makes the account; a sign-in keeps one that was to be deleted.
   * 
   * Only the service’s own pages may call it. */
  verify: {
    input: {
      email: string
      code?: string
      token?: string
      /** The version of the terms that the page showed: signing in accepts it, and it is kept with the account. */
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
      /** Notifications that nobody has read, 100 at most. */
      unread: number
    }
  }

  /** The devices you are signed in on
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
   * The device is signed out at once. Your own present session may be named too.
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
   * Hand `options` to `navigator.credentials.get`. The challenge is good for one answer within five minutes.
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
   * Sets the session cookie. An answer that is not genuine counts against the limit.
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
      /** The version of the terms that the page showed: signing in accepts it, and it is kept with the account. */
      terms?: "2026-11-01"
    }
    output: {
      account: Account
    }
  }

  /** Get the options for creating a passkey
   * 
   * Hand `options` to `navigator.credentials.create`, then its answer to POST /auth/passkeys. The challenge is good for one answer within five minutes. Making and keeping one want a sign-in at most 10 minutes old: what a stolen session does ends with it.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
  registerPasskeyOptions: {
    input: Record<never, never>
    output: {
      /** JSON of the Web Authentication API (Level 3). */
      options: object
    }
  }

  /** Keep a passkey this browser has made
   * 
   * Requires a sign-in at most 10 minutes old.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
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

  /** Your passkeys
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
   * It can no longer sign in, and the devices that it signed in are signed out, but for the one that asks. Requires a sign-in at most 10 minutes old.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
  removePasskey: {
    input: {
      /** Id of the passkey. */
      id: string
    }
    output: {
      passkey: Passkey
    }
  }

  /** Try the service before paying
   * 
   * Gives an account that never had a plan its one trial: credit for model calls and a machine for some hours. `listPlans` says what it is and whether one is to be had. Asked again while it goes on, the answer is the same. A plan keeps what the trial made.
   * 
   * Requires a session. */
  startTrial: {
    input: Record<never, never>
    output: {
      trial: Trial
    }
  }

  /** Your account
   * 
   * Requires a session. */
  getAccount: {
    input: Record<never, never>
    output: {
      account: Account
      /** The terms as they are now, and those that were accepted last, by signing in on a page that showed them. */
      terms: {
        present: "2026-11-01"
        accepted: AcceptedTerms | null
      }
    }
  }

  /** Move the account to another e-mail address
   * 
   * Without codes, mails one to the present address and one to the new, and answers 202. The same request with both codes moves the account, signs out all other devices and answers 200.
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

  /** Everything we keep about you, as JSON
   * 
   * Requires a sign-in at most 10 minutes old. A long history comes in parts: ask again with `nextCursor` until it is null. Not in it: the volume’s files (createExport has them, with what was attached to messages; getAttachment has that for 30 days), the values of variables and what is kept for days only, such as events and measurements.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
  exportAccount: {
    input: {
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
    }
    output: AccountExport
  }

  /** Delete the account
   * 
   * Ends every session and token and stops the agent at once; everything is erased in 30 days, the ledger kept without a name. Signing in before then keeps the account. A subscription is not renewed. Requires a sign-in at most 10 minutes old.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
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
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      entries: Array<AuditEntry>
      nextCursor: string | null
    }
  }

  /** List the notices to all users, or to you alone
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
   * Of the last 90 days. Texts are made from `kind` and `facts`, of which some are words that others wrote.
   * 
   * Requires a session. */
  listNotifications: {
    input: {
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      notifications: Array<Notification>
      /** How many nobody has read, 100 at most. */
      unread: number
      nextCursor: string | null
    }
  }

  /** Count notifications as read
   * 
   * These, or all up to one; what is read already stays so.
   * 
   * Requires a session. */
  readNotifications: {
    input: {
      ids?: Array<string>
      /** This one and all before it. */
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
      /** Browsers that are pushed to, for as long as they are signed in. */
      devices: Array<PushDevice>
      maxDevices: number
      /** The `applicationServerKey` that a browser subscribes with (VAPID), base64url. */
      publicKey: string
    }
  }

  /** Choose your notifications by e-mail and by push
   * 
   * All is on but what is named. Security notifications of your account are always e-mailed and pushed.
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

  /** Have this browser pushed to
   * 
   * What the browser’s `PushManager` says of its subscription. One that is known is renewed. It is pushed to for as long as this session lasts; payloads are encrypted for it and name the kind of what happened, no more.
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

  /** Push to a browser no more
   * 
   * Requires a session. */
  removePushDevice: {
    input: {
      /** Id of the . */
      id: string
    }
    output: {
      device: PushDevice
    }
  }

  /** Your tokens, without their plaintexts
   * 
   * A token without `api:tokens.write` sees itself and the tokens it minted. A connected app is one line, with `app`.
   * 
   * Requires a session, or a token. */
  listTokens: {
    input: Record<never, never>
    output: {
      tokens: Array<Pat>
    }
  }

  /** Make a Personal Access Token
   * 
   * The answer is the only one that ever carries the plaintext. A token can mint only what it may do itself, ends its own tokens when it is revoked, and has 500 at most. An account has at most 500 live tokens and connected programs.
   * 
   * Requires a session, or a token. A session’s sign-in must be ten minutes old at most when a scope is asked for that does not begin with `mcp:`. */
  mintToken: {
    input: {
      name: string
      /** Every MCP tool when left out. */
      scopes?: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
      /** Days; 90 when left out, or as long as the token that asks. `expiresAt` says the date. */
      expiresInDays?: number
      /** Most that it may spend on model calls in all, µUSD; with `api:llm` only, and none when left out. */
      capMicros?: number
      /** Most that it may spend in a UTC day, µUSD; with `api:llm` only. */
      dailyCapMicros?: number
      /** Most that it may spend in a calendar month (UTC), µUSD; with `api:llm` only. */
      monthlyCapMicros?: number
    }
    output: MintedPat
  }

  /** Revoke a token for good
   * 
   * Ends the token at once, the one it took over from, and every token any of them minted. A token without `api:tokens.write` may end itself and what it minted.
   * 
   * Requires a session, or a token. */
  revokeToken: {
    input: {
      /** Id of the token. */
      id: string
    }
    output: Pat
  }

  /** Give a token another name, or other spending caps
   * 
   * A cap of a connected app holds for all its tokens at once, a token’s for what it minted too, earlier or later. Earlier spending stays counted, also of this day and month.
   * 
   * Requires a session. A session’s sign-in must be ten minutes old at most when a cap is raised or taken away. */
  changeToken: {
    input: {
      /** Id of the token. */
      id: string
      name?: string
      /** Most that it may spend on model calls in all, µUSD; null for none. Left out, it stays. */
      capMicros?: number | null
      /** Most that it may spend in a UTC day, µUSD; null for none. Left out, it stays. */
      dailyCapMicros?: number | null
      /** Most that it may spend in a calendar month (UTC), µUSD; null for none. Left out, it stays. */
      monthlyCapMicros?: number | null
    }
    output: Pat
  }

  /** Replace a token by a new one with the same scopes and expiry
   * 
   * The old token goes on for graceHours, so that programs can be moved over; 0 ends it at once. A token may reroll itself and what it minted, with `api:tokens.write` what its own scopes cover, and what it makes never outlives it; one with a spending cap rerolls nothing else that has `api:llm`. A token is rerolled once.
   * 
   * Requires a session whose sign-in is ten minutes old at most, or a token. */
  rerollToken: {
    input: {
      /** Id of the token. */
      id: string
      /** Hours, 0–24. */
      graceHours?: number
    }
    output: MintedPat
  }

  /** OAuth: what protects the MCP endpoint
   * 
   * RFC 9728. Served below the root of the host too: `/.well-known/oauth-protected-resource/api/mcp`.
   * 
   * Anybody may call it. */
  getProtectedResource: {
    input: Record<never, never>
    output: object
  }

  /** OAuth: that the MCP endpoint for tokens has none
   * 
   * RFC 9728. Names no authorization server, so a client that looks for one before it connects keeps the token it was given.
   * 
   * Anybody may call it. */
  getTokenResource: {
    input: Record<never, never>
    output: object
  }

  /** OAuth: the authorization server
   * 
   * RFC 8414. The issuer ends with `/api`, so the address at the host’s root is `/.well-known/oauth-authorization-server/api`; this one is for clients that append to the issuer.
   * 
   * Anybody may call it. */
  getAuthorizationServer: {
    input: Record<never, never>
    output: object
  }

  /** OAuth: who asks, and for what
   * 
   * For the consent page, with what the program sent the browser with. A request that is wrong in any way is refused here and never sent back to the program.
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

  /** OAuth: allow a program access, or refuse it
   * 
   * Answers where the browser goes next: to the program, with a code that is good once and for a minute, or with the refusal. Only the dashboard’s own page may send it.
   * 
   * Requires a session. A session’s sign-in must be ten minutes old at most when access is allowed. */
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
      /** Those of the scopes asked for that are given. */
      scopes?: Array<"mcp:*" | "mcp:wallet.read" | "mcp:wallet.write" | "mcp:instance.read" | "mcp:instance.write" | "mcp:personas.read" | "mcp:personas.write" | "mcp:skills.read" | "api:tokens.write" | "api:chat" | "api:instance" | "api:channels" | "api:hooks" | "api:llm">
      /** Days after which it has to ask again. */
      expiresInDays?: number
      /** Most that it may spend in all, µUSD. */
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

  /** The wallet’s ledger, newest first
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  listTransactions: {
    input: {
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
      /** Only lines of this type. */
      type?: "topup" | "subscription_credit" | "trial_credit" | "usage" | "refund" | "dispute" | "adjustment"
    }
    output: {
      transactions: Array<Transaction>
      nextCursor: string | null
    }
  }

  /** One line of the ledger with its receipt
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
   * Days, rows and totals of a range, three years at most. Tokens and conversations of calls from before they were recorded are `unknown`.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getWalletUsage: {
    input: {
      /** First UTC day; 30 days ago unless said. */
      from?: string
      /** Last UTC day, included; today unless said. */
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
   * The rate is the mean of the last seven days, or what today has come to where there are none. Held against the balance, the limit a day and the month’s cap of automatic top-up.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getWalletForecast: {
    input: Record<never, never>
    output: WalletForecast
  }

  /** The ledger of a range of days as CSV
   * 
   * Oldest first, amounts in dollars. Whole, or 400 when it is too long for one answer: then ask page by page, with a `limit`, and with the id of the last line as `after`, until a page has fewer lines.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getWalletStatement: {
    input: {
      /** First UTC day; 30 days ago unless said. */
      from?: string
      /** Last UTC day, included; today unless said. */
      to?: string
      /** Lines of a page; the whole range when left out. */
      limit?: number
      /** Only lines after this one, and no line of headings. */
      after?: string
    }
    output: string
  }

  /** Make a hosted page on which to top up the wallet
   * 
   * Requires a session, or a token with the scope `mcp:wallet.write`. */
  createWalletTopup: {
    input: {
      /** US cents: 500 is $5.00. */
      amountCents: number
    }
    output: Checkout
  }

  /** Set how much may be spent in a day
   * 
   * Caps on a UTC day’s spending, in all and by what started the turn. They hold for today at once.
   * 
   * Requires a session. A session’s sign-in must be ten minutes old at most when a limit is raised. */
  setWalletLimits: {
    input: {
      /** US cents in a UTC day; 500 is $5.00. */
      dailyCapCents: number
      /** Caps by what started the turn; null or left out: none of its own. */
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
   * When balance and held money together fall to the threshold, the saved card is charged, up to the cap in a calendar month (UTC).
   * 
   * Requires a session. A session’s sign-in must be ten minutes old at most when more is charged, or sooner. */
  setAutoTopup: {
    input: {
      enabled?: boolean
      /** US cents the balance may fall to. */
      thresholdCents: number
      /** US cents: 500 is $5.00. */
      amountCents: number
      /** US cents charged in a month at most. */
      monthlyCapCents: number
    }
    output: {
      autoTopup: AutoTopup
    }
  }

  /** Make a hosted page on which to subscribe to a plan
   * 
   * Nothing is charged until a person opens the page and pays. One live subscription a user.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.write`. */
  createSubscriptionCheckout: {
    input: {
      plan: "starter" | "pro"
    }
    output: Checkout
  }

  /** Change the plan of the live subscription
   * 
   * A larger plan begins at once, and the card is charged the difference for the rest of the period. A smaller one begins with the next period, if its machine carries the program that is the agent; the present plan takes such a change back. The machine takes its new size when it starts next.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
  changePlan: {
    input: {
      plan: "starter" | "pro"
    }
    output: {
      subscription: Subscription
    }
  }

  /** Make the billing provider’s page for cards, invoices and cancelling
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
  openBillingPortal: {
    input: Record<never, never>
    output: {
      url: string
    }
  }

  /** Invoices of subscriptions and automatic top-ups, newest first
   * 
   * Requires a session. */
  listInvoices: {
    input: {
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      invoices: Array<Invoice>
      nextCursor: string | null
    }
  }

  /** The machine, the wallet and the subscription at a glance
   * 
   * Requires a session, or a token with the scope `mcp:instance.read`. */
  getInstanceStatus: {
    input: Record<never, never>
    output: InstanceStatus
  }

  /** Stop the machine; its volume is kept
   * 
   * 202: the machine is stopping, also when an earlier call stopped it. 200: it is paused already. 409: it is starting or refreshing, has failed, or is being deleted.
   * 
   * Requires a session, or a token with the scope `mcp:instance.write`. */
  pauseInstance: {
    input: Record<never, never>
    output: {
      instance: Instance
    }
  }

  /** Start a paused instance again, or make a new one after it was deleted
   * 
   * 202: the machine is starting, also when an earlier call started it. 200: it is running already. 409: it is pausing or refreshing, the instance is being deleted, or there is no live subscription.
   * 
   * Requires a session, or a token with the scope `mcp:instance.write`. */
  resumeInstance: {
    input: Record<never, never>
    output: {
      instance: Instance
    }
  }

  /** Restart the agent with its present settings and new tokens
   * 
   * 202: the agent is restarting, also when an earlier call restarted it. 409: the machine is starting, pausing or paused, or the instance is being deleted.
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

  /** Programs that can be the agent
   * 
   * The operator’s programs, their features, and the cheapest plan for each.
   * 
   * Requires a session, or a token with the scope `mcp:instance.read`. */
  listRuntimes: {
    input: Record<never, never>
    output: {
      runtimes: Array<Runtime>
    }
  }

  /** Choose the program that is the agent
   * 
   * One of GET /instance/runtimes. A machine that runs takes a restore point and is restarted with it; one that sleeps has it with its next start. Files, notes and the conversation stay, and each program keeps its own state for when you come back to it.
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

  /** Delete the instance and everything on its volume, for ever
   * 
   * Name the instance in `confirm`. While the subscription lives, resume makes a new, empty one.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
  deleteInstance: {
    input: {
      /** The id of the instance, so that nothing is deleted by mistake. */
      confirm: string
    }
    output: {
      instance: Instance
    }
  }

  /** The names of your environment variables
   * 
   * Values are never given back: to change one, write it again.
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
   * Those not named stay as they are. The agent gets them with its next start: refresh the instance.
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

  /** Secrets that the agent uses and cannot read: names, and where each may go
   * 
   * Values are never given back: to change one, write it again.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getInstanceSecrets: {
    input: Record<never, never>
    output: {
      secrets: Array<InstanceSecret>
    }
  }

  /** Set or remove secrets that the agent uses and cannot read
   * 
   * The agent asks a host through its machine, which puts the value into the request. A secret is always written whole, with its value; those not named stay as they are. A machine that runs has changes within a minute.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  setInstanceSecrets: {
    input: {
      /** Name to secret, or to null to remove it. */
      secrets: Record<string, {
        value: string
        /** The only hosts that are sent it. */
        hosts: Array<string>
        header?: string
        template?: string
      } | null>
    }
    output: {
      secrets: Array<InstanceSecret>
    }
  }

  /** When your agent is woken, and what it is asked then
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listSchedules: {
    input: Record<never, never>
    output: {
      schedules: Array<Schedule>
      /** Minutes between two times of a new schedule, at least, on the present plan. */
      leastMinutes: number
      /** The share of an hour awake in the plan’s price, in µUSD; it is not charged. */
      awakeHourMicros: number
    }
  }

  /** Ask the agent something at certain times, or once
   * 
   * A schedule wakes what idleness paused, and nothing that you or billing paused. How close together its times may lie depends on the plan.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  createSchedule: {
    input: {
      /** Minute, hour, day of month, month, day of week. */
      cron?: string
      /** In place of `cron`: the minute at which it comes, once. */
      at?: string
      /** The time zone of `cron`: a name of the IANA time zone database, in any case; an older name is stored as today’s. */
      timeZone?: string
      text: string
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

  /** Change a schedule, or let its times pass for a while
   * 
   * Omitted fields stay. New times have to keep to the plan, as those of a new schedule.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  updateSchedule: {
    input: {
      /** Id of the schedule. */
      id: string
      /** Minute, hour, day of month, month, day of week. */
      cron?: string
      /** In place of `cron`: the minute at which it comes, once. */
      at?: string
      /** The time zone of `cron`: a name of the IANA time zone database, in any case; an older name is stored as today’s. */
      timeZone?: string
      text?: string
      /** True to let its times pass until it is false again. */
      paused?: boolean
    }
    output: {
      schedule: Schedule
    }
  }

  /** Ask what a schedule asks, now
   * 
   * Its other times stay as they are. It wakes what idleness paused, and is refused while you or billing paused it.
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
   * Without `since` the last hour. To follow a log, ask again with `since` set to the last line’s time.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getInstanceLogs: {
    input: {
      /** The oldest line’s time; an hour ago when left out. */
      since?: string
      /** `nextCursor` of the page before. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      lines: Array<LogLine>
      nextCursor: string | null
    }
  }

  /** Processor, memory, disk and uptime of the machine over the last hour
   * 
   * One sample a minute, oldest first; none while the machine sleeps. Asking makes the machine report what it has measured since.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  getInstanceMetrics: {
    input: Record<never, never>
    output: {
      samples: Array<Sample>
    }
  }

  /** Addresses at which other programs ask your agent
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  listHooks: {
    input: Record<never, never>
    output: {
      /** Newest first. */
      hooks: Array<Hook>
      /** Deliveries that one hook takes in an hour, on the present plan. */
      deliveriesAnHour: number
    }
  }

  /** Let another program ask the agent
   * 
   * What is sent to the hook’s address with its secret becomes a prompt: your `text`, and what was sent as data. Send the secret as `Authorization: Bearer`, or sign as GitHub or Standard Webhooks do. A delivery wakes what idleness paused.
   * 
   * Requires a session whose sign-in is ten minutes old at most, or a token with the scope `api:hooks`. */
  createHook: {
    input: {
      name: string
      text: string
    }
    output: {
      hook: Hook
      /** Shown this once. */
      secret: string
    }
  }

  /** Delete a hook
   * 
   * Its address and secret end at once.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  deleteHook: {
    input: {
      /** Id of the . */
      id: string
    }
    output: {
      hook: Hook
    }
  }

  /** Replace the secret of a hook
   * 
   * The address stays; the old secret ends at once.
   * 
   * Requires a session whose sign-in is ten minutes old at most, or a token with the scope `api:hooks`. */
  rerollHook: {
    input: {
      /** Id of the . */
      id: string
    }
    output: {
      hook: Hook
      /** Shown this once. */
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
      /** Deliveries that one endpoint gets in an hour, on the present plan. */
      deliveriesAnHour: number
    }
  }

  /** Create a webhook endpoint
   * 
   * Each event of these types is sent there by POST, as the event stream tells it, signed as Standard Webhooks says. What is not answered with 2xx is sent again for a day, always under the same `webhook-id`. A token needs the scopes of the events, too.
   * 
   * Requires a session whose sign-in is ten minutes old at most, or a token with the scope `api:hooks`. */
  createWebhookEndpoint: {
    input: {
      name: string
      /** An https address with a public name, on port 443 or 8443. */
      url: string
      /** The subscribed types; `*` is every type, including future ones. */
      events: Array<"instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "*">
    }
    output: {
      endpoint: WebhookEndpoint
      /** Shown this once. */
      secret: string
    }
  }

  /** Change a webhook endpoint
   * 
   * What is left out stays. What waits to be sent goes to the new address, unless its type is not wanted any more. Enabled, an endpoint starts without its failures.
   * 
   * Requires a session, or a token with the scope `api:hooks`. A session’s sign-in must be ten minutes old at most when the address or the types of events change, or the endpoint is enabled. */
  updateWebhookEndpoint: {
    input: {
      /** Id of the . */
      id: string
      name?: string
      /** An https address with a public name, on port 443 or 8443. */
      url?: string
      /** The subscribed types; `*` is every type, including future ones. */
      events?: Array<"instance.state_changed" | "instance.changed" | "instance.image_changed" | "instance.image_reverted" | "wallet.changed" | "wallet.credited" | "wallet.charged" | "wallet.low" | "wallet.empty" | "wallet.limit_reached" | "wallet.auto_topup_failed" | "subscription.changed" | "subscription.payment_failed" | "conversation.changed" | "message.received" | "message.progress" | "message.sent" | "message.activity" | "prompt.closed" | "question.asked" | "question.answered" | "token.created" | "token.revoked" | "token.leaked" | "persona.changed" | "skill.changed" | "files.task_ended" | "channel.changed" | "instance.runaway" | "instance.volume_full" | "schedule.failed" | "account.signed_in" | "account.passkey_added" | "account.endpoint_disabled" | "notice.published" | "notification.added" | "*">
      /** Whether it receives events. */
      enabled?: boolean
    }
    output: {
      endpoint: WebhookEndpoint
    }
  }

  /** Delete a webhook endpoint
   * 
   * Nothing more is sent there, also nothing that waits to be sent again.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  deleteWebhookEndpoint: {
    input: {
      /** Id of the . */
      id: string
    }
    output: {
      endpoint: WebhookEndpoint
    }
  }

  /** Replace the secret of a webhook endpoint
   * 
   * For 24 hours what is sent carries a signature with the old secret as well, so that nothing is refused meanwhile.
   * 
   * Requires a session whose sign-in is ten minutes old at most, or a token with the scope `api:hooks`. */
  rotateWebhookSecret: {
    input: {
      /** Id of the . */
      id: string
    }
    output: {
      endpoint: WebhookEndpoint
      /** Shown this once. */
      secret: string
    }
  }

  /** Send a test to a webhook endpoint
   * 
   * An event of the type `webhook.test`, treated like every other. Its delivery is in the list.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  testWebhookEndpoint: {
    input: {
      /** Id of the . */
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
      /** Id of the . */
      id: string
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      deliveries: Array<WebhookDelivery>
      nextCursor: string | null
    }
  }

  /** Send a delivery again
   * 
   * The same text under the same `webhook-id`, at once and for a day from now, to the endpoint’s present address.
   * 
   * Requires a session, or a token with the scope `api:hooks`. */
  replayWebhookDelivery: {
    input: {
      /** Id of the . */
      id: string
      /** Id of the delivery. */
      delivery: string
    }
    output: {
      delivery: WebhookDelivery
    }
  }

  /** One folder of the volume
   * 
   * As it is now: the machine says, or for a paused instance a volume worker, which is started when there is none. What has not changed since the newest restore point is read from there, and `asOf` says when that was.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listFiles: {
    input: {
      /** A folder; the volume’s top when left out. */
      path?: string
      /** `next` of the page before. */
      after?: string
      /** How many a page has at most. */
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

  /** A file of the volume, or of a restore point
   * 
   * Answers the bytes as an attachment, or for a large file a redirect to where it can be fetched for some minutes. Only regular files are read: no links, devices, sockets or pipes.
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

  /** The volume as it was: every restore point, newest first
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listRestorePoints: {
    input: Record<never, never>
    output: {
      restorePoints: Array<RestorePoint>
    }
  }

  /** Keep the volume as it is now
   * 
   * Taken between two turns of the agent; of a paused instance by a volume worker. Follow it with getRestorePoint until it is `ready`.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  createRestorePoint: {
    input: Record<never, never>
    output: {
      restorePoint: RestorePoint
    }
  }

  /** One restore point
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

  /** One folder of a restore point
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  listRestorePointFiles: {
    input: {
      /** Id of the restore point. */
      id: string
      /** A folder; the volume’s top when left out. */
      path?: string
      /** `next` of the page before. */
      after?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      entries: Array<FileEntryOutput>
      next: string | null
      path: string
    }
  }

  /** Bring back a restore point: one file or folder, or all of it
   * 
   * With `path` only that file or folder is written back. Without, the volume becomes what it was: what came after is removed, and a restore point of it is taken first. The agent is started anew; a paused instance stays paused.
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

  /** Everything on the volume as one archive
   * 
   * A .tar.gz of all regular files; of a paused instance a volume worker makes it. Follow it with getFilesTask; once it is `done`, `url` is where to fetch it.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  createExport: {
    input: Record<never, never>
    output: {
      task: FilesTask
    }
  }

  /** How a change of the volume, a restore or an export goes
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
   * Give one of `text`, `base64` and `attachment`. It is written whole or not at all, and refused with 409 when what lies there is not what it `replaces`. 202 says that a volume worker has to start first: follow `task` with getFilesTask.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  writeFile: {
    input: {
      /** The file’s path on the volume; its folder must be there. */
      path: string
      /** `nothing` for a new file; the SHA-256, in hex, of what you read, so that nothing newer is lost; `anything` to write over it. */
      replaces?: string
      /** All of it, as UTF-8; 64 KiB at most. */
      text?: string
      /** All of it; 64 KiB at most. */
      base64?: string
      /** All of it, uploaded with createAttachment: for what is larger. */
      attachment?: string
    }
    output: {
      task: FilesTask
    }
  }

  /** Make a folder on the volume
   * 
   * 409 when something of that name is there. 202 says that a volume worker has to start first.
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
   * 409 when something is at `to` already, unless `replace` is true and both are files. 202 says that a volume worker has to start first.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  moveFile: {
    input: {
      from: string
      to: string
      /** A file that is at `to` already is lost. */
      replace?: boolean
    }
    output: {
      task: FilesTask
    }
  }

  /** Delete a file, or a folder with all that is in it
   * 
   * What the newest restore point has can be brought back with restoreFiles; `restorePoint` says whether it has it.
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

  /** Files and folders by a part of their name
   * 
   * Over the whole volume, whatever the case. A large volume is looked through in parts: ask again with `next`, also when a page is empty.
   * 
   * Requires a session, or a token with the scope `api:instance`. */
  searchFiles: {
    input: {
      /** A part of the name. */
      text: string
      /** `next` of the page before. */
      after?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      entries: Array<FoundEntryOutput>
      /** Goes on with `after`, also when nothing was found yet; null at the end. */
      next: string | null
    }
  }

  /** Compare the volume with a restore point
   * 
   * Files that were added, removed, or have another size or time of change. No file is read for it. restoreFiles with a `path` brings one back.
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
      /** Whether there are more than are named. */
      more: boolean
    }
  }

  /** List the agent’s changes on the volume while it answered a message
   * 
   * Kept of the last 20 replies. What the agent remembers and its programs’ own folders (`memory`, `home`, `state`, `packages`) are not looked at.
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
      /** Whether there are more than are named. */
      more: boolean
      /** Why nothing can be taken back; null when it can. */
      problem: string | null
    }
  }

  /** Take back what the agent changed on the volume while it answered a message
   * 
   * getReplyChanges shows it first. 409 when one of the files was changed again since: then nothing is taken back. What the agent did elsewhere, such as a mail that it sent, stays done.
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
   * The message is kept and the instance woken if it sleeps; the reply comes as a message of the agent. With an empty wallet it is kept and `waiting` says why; money wakes the instance.
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
    }
    output: {
      message: Message
      /** Why it is kept until money comes in: the wallet cannot pay for an answer. */
      waiting: {
        error: "unauthorized" | "forbidden" | "not-found" | "validation" | "invalid-json" | "rate-limited" | "wallet-empty" | "spending-limit" | "wallet-suspended" | "repeated-calls" | "provider-error" | "too-large" | "missing-id" | "conflict" | "internal"
        message: string
      } | null
    }
  }

  /** A conversation, oldest first
   * 
   * The newest page; with `before` the one before that message, with `after` what came after it. `more` says whether there is more in that direction. Long messages make a page shorter than `limit`. The newest page has the questions that wait for an answer.
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
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      messages: Array<Message>
      more: boolean
      /** With the newest page: what the agent asks. */
      questions?: Array<Question>
    }
  }

  /** Messages that have these words, newest first
   * 
   * Of all conversations, one after another, or of one. It reads a thousand messages, fewer when they are long; `nextCursor` goes on with those before them, also when nothing was found, and is null once all were read.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  searchMessages: {
    input: {
      /** Words, each of which a message has to have; capitals and accents do not count. */
      text: string
      /** Only in this one; in all when left out. */
      conversation?: string
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
    }
    output: {
      found: Array<FoundMessage>
      /** When the last message was said that this search read; null when it read none. */
      searchedTo: string | null
      nextCursor: string | null
    }
  }

  /** Stop answering a message
   * 
   * What nobody works on yet is closed at once (`closed`). Else its machine is told, which ends its model call and closes the prompt within seconds (`stopping`): `prompt.closed` says so. What was spent until then is paid.
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

  /** Where a file may be put that is to go with a message
   * 
   * PUT the file to `upload.url` with `upload.headers`, then name its id in `sendMessage` within a day. It goes with one message, and is kept for 30 days; the agent’s own copy on the volume stays.
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

  /** Where a message’s file can be fetched
   * 
   * The address is good for a quarter of an hour, and not on this origin. PNG, JPEG, GIF and WebP come as images; everything else as a download without a type. Files are kept for 30 days.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  getAttachment: {
    input: {
      /** Id of the . */
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
   * The model calls that the agent proved to be made for it, added up by model and by sub-agent. Calls of a message that nobody answered yet, or that is not yours, are none. `isWhole` is false when the ledger of that day was too long to read to its end.
   * 
   * Requires a session, or a token with the scope `mcp:wallet.read`. */
  getMessageCost: {
    input: {
      /** The id of the user’s message. */
      id: string
    }
    output: {
      cost: TurnCost
      /** The lines of these calls in the ledger, each with its receipt; the latest fifty. */
      calls: Array<Transaction>
      isWhole: boolean
    }
  }

  /** List the agent’s steps to answer a message
   * 
   * Its steps in the order in which they began, each with what it came to; they are kept for a day, and how it ended. `isWhole` is false when more has happened since the message than is read here: the latest steps are missing then.
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
   * The main conversation, `main`, is always there and not among them.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  listConversations: {
    input: {
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      conversations: Array<Conversation>
      nextCursor: string | null
    }
  }

  /** Start a conversation
   * 
   * The agent knows of it what was said in it, and its own notes. Without a title it takes that of its first message.
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

  /** Rename or archive a conversation
   * 
   * An archived one keeps its messages; the next message in it brings it back.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  updateConversation: {
    input: {
      /** Id of the . */
      id: string
      title?: string
      archived?: boolean
    }
    output: {
      conversation: Conversation
    }
  }

  /** List the agent’s questions, oldest first
   * 
   * The newest fifty; those that are `open` wait for an answer.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  listQuestions: {
    input: Record<never, never>
    output: {
      questions: Array<Question>
    }
  }

  /** Answer what the agent asks
   * 
   * Once, and before it expires. An approval is for the tool and arguments of the question alone. The same answer again is answered alike.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  answerQuestion: {
    input: {
      /** Id of the . */
      id: string
      answer: GivenAnswer
    }
    output: {
      question: Question
    }
  }

  /** Chats of other platforms in which you talk to your agent
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

  /** Get a code with which you link a chat
   * 
   * Send it in a direct chat with us on one of the platforms, within an hour; it is good for one chat.
   * 
   * Requires a session whose sign-in is ten minutes old at most. */
  createLinkCode: {
    input: Record<never, never>
    output: {
      code: string
      /** ISO 8601 UTC. */
      expiresAt: string
      platforms: Array<ChannelPlatform>
    }
  }

  /** Choose the chat in which your agent says what nobody asked for
   * 
   * Its unsolicited messages, its schedules’ results and its questions go there.
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  updateChannel: {
    input: {
      /** Id of the . */
      id: string
      home: true
    }
    output: {
      channel: ChannelLink
    }
  }

  /** Unlink a chat
   * 
   * Nothing that is written there reaches your agent any more, and nothing goes there. Earlier messages stay.
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  deleteChannel: {
    input: {
      /** Id of the . */
      id: string
    }
    output: {
      channel: ChannelLink
    }
  }

  /** List the messages from and to chats in the last week
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  listChannelDeliveries: {
    input: {
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      /** Newest first. */
      deliveries: Array<ChannelDelivery>
      nextCursor: string | null
    }
  }

  /** Try a failed delivery again
   * 
   * Within a minute. Completed steps are not repeated: no message is answered twice.
   * 
   * Requires a session, or a token with the scope `api:channels`. */
  replayChannelDelivery: {
    input: {
      /** Id of the . */
      id: string
    }
    output: {
      accepted: true
    }
  }

  /** Get the page of Slack on which you add us to a workspace
   * 
   * Slack sends you back with a code and this state, which are good for ten minutes and for you alone.
   * 
   * Requires a session. */
  startSlackInstall: {
    input: Record<never, never>
    output: {
      url: string
    }
  }

  /** Add us to the workspace of Slack that you chose
   * 
   * The parameters from Slack. Every user there can then link a chat to their own account.
   * 
   * Requires a session. */
  finishSlackInstall: {
    input: {
      /** From Slack. */
      code: string
      /** As it went there. */
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
   * Server-sent events. Send Last-Event-ID to go on where an earlier stream ended. A token hears of what its scopes let it read: messages with `api:chat`, the wallet with `mcp:wallet.read`, the instance and the subscription with `mcp:instance.read`, personas and skills with `mcp:personas.read` and `mcp:skills.read`, files with `api:instance`, tokens with `api:tokens.write`.
   * 
   * Requires a session, or a token with the scope `api:chat`. */
  streamEvents: {
    input: {
      /** A name of the reader’s own, the same after a reload: it then takes over the stream it had. */
      reader?: string
    }
    output: Response
  }

  /** Skills the agent can use
   * 
   * Requires a session, or a token with the scope `mcp:skills.read`. */
  listSkills: {
    input: {
      /** Words to look for in names and descriptions. */
      q?: string
      /** Only those that are enabled, or that are not. */
      enabled?: boolean
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      skills: Array<Skill>
      nextCursor: string | null
    }
  }

  /** One skill with its instructions
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

  /** Turn a skill on for the agent
   * 
   * The agent gets it at its next sync, pinned to the files it has now. Its requirements must be met.
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

  /** Turn a skill off for the agent
   * 
   * It is gone from the agent after its next sync.
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

  /** Personas the agent can take on
   * 
   * Requires a session, or a token with the scope `mcp:personas.read`. */
  listPersonas: {
    input: Record<never, never>
    output: {
      personas: Array<Persona>
    }
  }

  /** One persona with its texts
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

  /** Write a persona of your own
   * 
   * Each save makes a version. It says which one was edited: another newest one is 409, with both in `details`, and nothing is lost. When the persona is the active one, the agent has it from its next turn on.
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
      /** The version that was edited; 0 for a new persona. Any other is 409. */
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
   * When it is the active one, the agent goes back to the default persona first.
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

  /** Give the agent a persona
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

  /** Take a persona off the agent
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

  /** Versions of a persona of your own, newest first
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

  /** One version of a persona of your own, and what it changed
   * 
   * The diff leads from `against` (the version before, unless said) to this version.
   * 
   * Requires a session, or a token with the scope `mcp:personas.read`. */
  getPersonaVersion: {
    input: {
      /** Id of the persona. */
      id: string
      /** Its number; the first is 1. */
      version: number
      /** The version to compare with; the one before when left out. */
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

  /** Go back to an earlier version of a persona of your own
   * 
   * Saves the earlier texts as a new version, so that nothing is lost.
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

  /** Which operator is signed in, and what they may move
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  getOperator: {
    input: Record<never, never>
    output: {
      email: string
      /** The most that one act moves, US cents. */
      maxCents: number
      /** The most that all acts of one operator move in a day (UTC), US cents. */
      maxDayCents: number
      /** How much of that is moved today, US cents. */
      movedCents: number
      /** The image that machines are given. */
      imageVersion: string
    }
  }

  /** The user with an e-mail address, or of an id
   * 
   * The whole address: the store has no list of addresses that could be searched by their beginnings.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  findUser: {
    input: {
      /** A whole e-mail address, or an id. */
      query: string | string
    }
    output: {
      account: Account | null
    }
  }

  /** A user’s account, subscription, wallet, instance and latest audit lines
   * 
   * No message, file or secret of the user’s. Leaves a line in the operators’ trail.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  getUser: {
    input: {
      /** The account. */
      user: string
    }
    output: UserOverview
  }

  /** Give a user promotional credit
   * 
   * Once for ever under one `Idempotency-Key`, which it wants. The reason stands in the ledger.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  creditUser: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
      /** US cents. */
      amountCents: number
    }
    output: {
      transaction: Transaction
      wallet: Wallet
    }
  }

  /** Take back what a payment credited, after its money went back
   * 
   * For money that was given back outside the billing provider, which tells of its own refunds. Never more than the payment credited; what the balance does not cover becomes owed. Once for ever under one `Idempotency-Key`, which it wants.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  refundUser: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
      /** US cents. */
      amountCents: number
      /** A name of getUser’s `payments`. */
      payment: string
    }
    output: {
      transaction: Transaction
      wallet: Wallet
    }
  }

  /** Stop all of a user’s spending
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  suspendUser: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      suspended: boolean
      /** False when it was so already. */
      changed: boolean
    }
  }

  /** Let a suspended user spend again
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  unsuspendUser: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      suspended: boolean
      /** False when it was so already. */
      changed: boolean
    }
  }

  /** Retry, stop or refresh a user’s machine
   * 
   * `retry` starts what has failed, as its owner would. `stop` stops whatever runs or starts; a message wakes it again unless the wallet is suspended. `refresh` restarts it, with a restore point before.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  changeUserMachine: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
      action: "retry" | "stop" | "refresh"
    }
    output: {
      instance: Instance
    }
  }

  /** Begin to see a user’s dashboard as they see it
   * 
   * For fifteen minutes at most, in this session alone, one user at a time. Nothing can be changed, and nothing that was written is shown.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  viewUser: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      view: View
    }
  }

  /** Begin to see a user’s dashboard with their messages
   * 
   * As `viewUser`, and what was written is shown as well: conversations, personas, schedules, hooks and logs; no file. The trails name it by this id.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  viewUserMessages: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      view: View
    }
  }

  /** End the view of a user
   * 
   * From any session of the operator’s. One that nobody ends is over after fifteen minutes, without a line.
   * 
   * For operators of the service alone, signed in with a passkey. */
  endView: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      ended: true
    }
  }

  /** Machines by state; stuck and failed ones with why and since when
   * 
   * The number of machines that are awake or starting. One that sleeps is in no list, and costs nothing.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  getFleet: {
    input: Record<never, never>
    output: {
      /** By state; what sleeps or is deleted is not counted. */
      counts: Record<string, number>
      /** False when there are more: the counts are of the first 1,600. */
      complete: boolean
      stuck: Array<FleetMachine>
      /** The latest first; a hundred at most. */
      failed: Array<FleetMachine>
    }
  }

  /** The latest check of all wallets against their ledgers
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  getBooks: {
    input: Record<never, never>
    output: {
      run: BooksRun | null
    }
  }

  /** Check the next wallets against their ledgers
   * 
   * Twenty-five at most. Ask again until `finishedAt` is there; anybody may go on with it. Then, or with `anew`, another check begins. It changes no wallet.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  checkBooks: {
    input: {
      /** Why. The owner of the account sees it. */
      reason: string
      anew?: boolean
    }
    output: {
      run: BooksRun
    }
  }

  /** How far the present image of the agent has come
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  getRollout: {
    input: Record<never, never>
    output: {
      rollout: Rollout
    }
  }

  /** Get today’s trials, and the rest of the day’s budget
   * 
   * `npm run admin -- trials stop` stops them at once, everywhere.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  getTrials: {
    input: Record<never, never>
    output: {
      /** Null where the stage has none. */
      trials: Trials | null
    }
  }

  /** Stop trials at once, or have them go on
   * 
   * Stopped, no trial begins; those that have begun go on.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  changeTrials: {
    input: {
      action: "stop" | "resume"
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      trials: Trials
    }
  }

  /** Pause or resume the present image’s way to the machines
   * 
   * While it is paused, nobody else gets it; current trials continue. Resumed, it is for everybody again, those whom it failed included.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  changeRollout: {
    input: {
      action: "pause" | "resume"
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      rollout: Rollout
    }
  }

  /** List overdue and failed work
   * 
   * Without `user`, what should have followed from changes of anybody’s and is overdue, twenty of each shard at most. With it, deliveries of that user’s chats and webhook endpoints that failed in the last week.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  listDeadLetters: {
    input: {
      /** The deliveries’ owner. */
      user?: string
    }
    output: {
      letters: Array<DeadLetter>
    }
  }

  /** Have one of them tried again
   * 
   * Within a minute. Completed steps are not repeated.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  replayDeadLetter: {
    input: {
      /** The account. */
      user: string
      /** Why. The owner of the account sees it. */
      reason: string
      kind: "follow-up" | "chat" | "webhook"
      letter: string
      endpoint?: string
    }
    output: {
      accepted: true
    }
  }

  /** Notices that stand now, and for whom
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  listOperatorNotices: {
    input: Record<never, never>
    output: {
      notices: Array<OperatorNotice>
    }
  }

  /** Tell all users something, or some
   * 
   * In the dashboard, until its time is over or its reader has dismissed it. Users who are named are notified as well, and mailed unless they switched that off.
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  broadcastNotice: {
    input: {
      text: string
      /** Its recipients; default: everybody. */
      users?: Array<string>
      /** For how many days it stands. */
      days?: number
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      notice: OperatorNotice
    }
  }

  /** Take a notice back
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  withdrawNotice: {
    input: {
      /** The notice’s id. */
      notice: string
      /** Why. The owner of the account sees it. */
      reason: string
    }
    output: {
      withdrawn: true
    }
  }

  /** List operators’ changes and views, newest first
   * 
   * For operators of the service alone, signed in with a passkey within ten minutes. */
  listOperatorsTrail: {
    input: {
      /** `nextCursor` of the page before; the first page when left out. */
      cursor?: string
      /** How many a page has at most. */
      limit?: number
    }
    output: {
      entries: Array<AuditEntry>
      nextCursor: string | null
    }
  }

  /** Get the operator’s current view
   * 
   * For operators of the service alone, signed in with a passkey. */
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
   * Answers as the operation at the path does for that user. Only what changes nothing and tells no secret is there; what was written only in a view that `viewUserMessages` began.
   * 
   * For operators of the service alone, signed in with a passkey. */
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
  listFiles: ['GET', '/instance/files', 'json'],
  getFile: ['GET', '/instance/files/{path+}', 'stream'],
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
