/** Two workspaces to begin with, the people in them, and what an installation adds. */
import type { Channel, Team } from './records.ts'
import { newId, type Store, secret } from './store.ts'

const seeds = [
  { id: 'T0WORKSHOP', name: 'Workshop', people: ['ada', 'ben', 'eve'], channels: ['general', 'random'] },
  { id: 'T0HARBOUR0', name: 'Harbour', people: ['finn', 'gwen'], channels: ['general'] },
]

export function seed({ value }: Store): void {
  if (Object.keys(value.teams).length > 0) return
  for (const { id, name, people, channels } of seeds) {
    const suffix = id.slice(2, 7)
    const team: Team = {
      id,
      name,
      domain: name.toLowerCase(),
      token: null,
      botUserId: `U0BOT${suffix}`,
      botId: `B0BOT${suffix}`,
    }
    value.teams[id] = team
    value.users[team.botUserId] = person(team, team.botUserId, 'app', false, true)
    const ids = people.map((each) => `U0${each.toUpperCase()}${suffix}`)
    for (const [i, each] of people.entries()) value.users[ids[i] ?? ''] = person(team, ids[i] ?? '', each, i === 0)
    for (const each of channels) {
      const channel = `C0${each.toUpperCase()}${suffix}`
      value.channels[channel] = made(team, channel, 'channel', ids, ids[0] ?? '', each)
    }
  }
}

const person = (team: Team, id: string, name: string, isOwner: boolean, isBot = false) => ({
  id,
  teamId: team.id,
  name,
  isBot,
  isAdmin: isOwner,
  isOwner,
})

const made = (
  team: Team,
  id: string,
  kind: Channel['kind'],
  members: string[],
  creator: string,
  name = '',
): Channel => ({ id, teamId: team.id, name, kind, members: [...members], creator, archived: false })

/** The workspace has the app from now on: a token that is good, and the app in the direct messages of everybody. */
export function install(store: Store, team: Team): string {
  team.token = `xoxb-${team.id}-${secret()}`
  for (const { id, teamId, isBot } of Object.values(store.value.users))
    if (teamId === team.id && !isBot) directChannel(store, team, id)
  return team.token
}

/** The direct messages of a person and the app; made when there are none. */
export function directChannel({ value }: Store, team: Team, user: string): Channel {
  const members = [team.botUserId, user]
  const found = Object.values(value.channels).find(
    ({ kind, members: present }) => kind === 'im' && members.every((id) => present.includes(id)),
  )
  if (found) return found
  const id = newId('D')
  const channel = made(team, id, 'im', members, user)
  value.channels[id] = channel
  return channel
}

/** A private channel, or direct messages of several people. */
export function openChannel({ value }: Store, team: Team, name: string, members: string[], creator: string): Channel {
  const id = newId('C')
  const channel = made(team, id, 'group', members, creator, name)
  value.channels[id] = channel
  return channel
}
