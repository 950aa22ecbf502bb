/** A method of the Web API: who may call it, how often, and what it does. */
import { findById } from '../../kit/records.ts'
import type { Arguments } from '../api/arguments.ts'
import { required } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import type { Tier } from '../api/limits.ts'
import type { Deliveries } from '../deliveries.ts'
import type { Events } from '../events.ts'
import type { Channel, Team } from '../records.ts'
import type { Store } from '../store.ts'

export interface App {
  appId: string
  clientId: string
  clientSecret: string
  signingSecret: string
  /** The scopes that an installing workspace grants. */
  scopes: string[]
}

export interface Context {
  store: Store
  events: Events
  deliveries: Deliveries
  app: App
  /** Where API and files are. */
  origin(): string
}

export interface Method {
  tier: Tier
  /** Returns the fields besides `ok: true`. @throws SlackError */
  run(given: Arguments, team: Team, context: Context): object
}

/** A channel of the workspace that the app is in. @throws SlackError `channel_not_found`, `not_in_channel` */
export function channelOf({ store }: Context, team: Team, given: Arguments, name = 'channel'): Channel {
  const channel = findById(store.value.channels, required(given, name))
  if (!channel || channel.teamId !== team.id) throw new SlackError('channel_not_found')
  if (channel.members.includes(team.botUserId)) return channel
  // A private channel does not exist for users who are not in it.
  throw new SlackError(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found')
}

/** As `channelOf`, and one that may be written to. @throws SlackError `is_archived` */
export function writable(context: Context, team: Team, given: Arguments): Channel {
  const channel = channelOf(context, team, given)
  if (channel.archived) throw new SlackError('is_archived')
  return channel
}
