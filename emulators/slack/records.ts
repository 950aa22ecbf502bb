/** The contents of a workspace. Times are `ts`: seconds since 1970 with six digits after the point. */

export interface Team {
  id: string
  name: string
  domain: string
  /** Null while the app is not installed. */
  token: string | null
  botUserId: string
  botId: string
}

export interface User {
  id: string
  teamId: string
  name: string
  isBot: boolean
  isAdmin: boolean
  isOwner: boolean
}

export interface Channel {
  id: string
  teamId: string
  /** Empty for direct messages. */
  name: string
  kind: 'im' | 'mpim' | 'channel' | 'group'
  members: string[]
  creator: string
  archived: boolean
}

export interface Message {
  channel: string
  ts: string
  user: string
  text: string
  /** Blocks as they were sent; those of a streamed message are one of Markdown. */
  blocks: Block[]
  /** Messages that it forwards, as Slack attaches them. */
  attachments?: object[]
  threadTs: string | null
  files: string[]
  edited: boolean
  /** A stream that was begun and not stopped, and when, ms since 1970. */
  streamingSince: number | null
  /** How it is streamed: what began in one way goes on in it. */
  streamMode: 'markdown_text' | 'chunks' | null
  /** The one person who sees it. */
  onlyFor: string | null
  /** The form in which its app was answered: `markdown_text`, `blocks` or `text`. */
  format: 'text' | 'markdown_text' | 'blocks'
}

export interface Block {
  type: string
  text?: unknown
  elements?: unknown[]
  rows?: unknown[][]
}

export interface StoredFile {
  id: string
  teamId: string
  name: string
  mimetype: string
  size: number
  user: string
  /** Null until it was uploaded. */
  base64: string | null
  shared: boolean
}

/** Where the app answers a command, for half an hour and five times. */
export interface ResponseUrl {
  teamId: string
  channel: string
  user: string
  uses: number
  untilMs: number
  /** The `ts` of the last answer, which `replace_original` replaces. */
  last: string | null
}

/** A code that `oauth.v2.access` takes once. */
export interface Code {
  teamId: string
  user: string
  redirectUri: string
  untilMs: number
}
