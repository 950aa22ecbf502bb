import type { Account } from '../account.ts'
import type { Application } from '../application.ts'
import type { Faults } from '../faults.ts'
import type { Interactions } from '../interactions.ts'
import type { Attachment, Channel, Message } from '../records.ts'
import type { Limit } from './rate-limits.ts'

/** The state that the routes work on. */
export interface Discord {
  account: Account
  application: Application
  interactions: Interactions
  faults: Faults
  /** Where the API and the files are; known once it listens. */
  origin(): string
  gatewayUrl(): string
  /** How often a session was begun. */
  identified(): number
  present(message: Message): Record<string, unknown>
  /** As the bot may see it: without the text where that is not meant for it, if it may not read such. */
  presentToBot(message: Message): Record<string, unknown>
  presentChannel(channel: Channel): Record<string, unknown>
}

export interface ApiRequest {
  /** Parts of the path, by the names in the route's. */
  path: Record<string, string>
  query: URLSearchParams
  /** The JSON body, or the part `payload_json` of a form; one that is a list is `list`. */
  body: Record<string, unknown>
  /** Those of a form, without a place in a message yet. */
  files: Attachment[]
}

export interface Route {
  method: string
  /** `/channels/{channel}/messages`: below `/api/v10`. */
  path: string
  limit: Limit
  /** Requires the bot's token, except for paths that contain a token of their own. */
  asBot: boolean
  /** Null is 204 without a body. @throws ApiError */
  run(discord: Discord, request: ApiRequest): object | null | Promise<object | null>
}

const usual: Limit = { requests: 10, windowMs: 1_000 }

export const route = (
  method: string,
  path: string,
  run: Route['run'],
  { limit = usual, asBot = true }: { limit?: Limit; asBot?: boolean } = {},
): Route => ({ method, path, run, limit, asBot })
