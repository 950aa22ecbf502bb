/** A person's view of a workspace, as the page's script shows it. */
import { findById } from '../../kit/records.ts'
import { buttonsOf, unescaped, wordsOf } from '../content.ts'
import { isStreaming } from '../methods/posted.ts'
import type { Channel, Message, Team } from '../records.ts'
import type { Store } from '../store.ts'

const statusLifeMs = 2 * 60_000

export function viewOf(store: Store, userId: string, channelId: string) {
  const { value, version } = store
  const user = findById(value.users, userId) ?? Object.values(value.users).find(({ isBot }) => !isBot)
  const team = user && findById(value.teams, user.teamId)
  if (!user || !team) return { version, people: [], channels: [], messages: [], statuses: [] }
  const channels = Object.values(value.channels).filter(({ members }) => members.includes(user.id))
  const channel =
    channels.find(({ id }) => id === channelId) ?? channels.find(({ kind }) => kind === 'im') ?? channels[0]
  return {
    version,
    user: user.id,
    channel: channel?.id ?? '',
    hasApp: channel?.members.includes(team.botUserId) ?? false,
    installed: team.token !== null,
    team: team.name,
    people: Object.values(value.users)
      .filter(({ isBot }) => !isBot)
      .map(({ id, name, teamId }) => ({ id, name: `${name}, ${findById(value.teams, teamId)?.name}` })),
    channels: channels.map((channel) => ({ id: channel.id, name: nameOf(channel, team) })),
    messages: channel ? messagesIn(store, channel, team, user.id) : [],
    statuses: statusesIn(store, channel),
  }
}

const nameOf = ({ kind, name }: Channel, team: Team): string =>
  kind === 'im' ? `the app in ${team.name}` : `${kind === 'channel' ? '#' : 'private: '}${name}`

function messagesIn(store: Store, channel: Channel, team: Team, userId: string) {
  const { value } = store
  return value.messages
    .filter((message) => message.channel === channel.id && (message.onlyFor === null || message.onlyFor === userId))
    .slice(-200)
    .map((message) => ({
      ts: message.ts,
      who: message.user === team.botUserId ? 'app' : (findById(value.users, message.user)?.name ?? message.user),
      mine: message.user === userId,
      text: textOf(message, team),
      thread: message.threadTs,
      note: notesOf(message, store.now()),
      buttons: buttonsOf(message).map(({ value: data = '', text }) => ({ data, label: text.text })),
      files: message.files.flatMap((id) => {
        const file = findById(value.files, id)
        return file ? [{ id, name: file.name, size: file.size }] : []
      }),
    }))
}

const textOf = (message: Message, team: Team): string => {
  const { user } = message
  const named = wordsOf(message).replaceAll(`<@${team.botUserId}>`, '@app')
  return user === team.botUserId ? named : unescaped(named)
}

const notesOf = (message: Message, now: number): string =>
  [
    message.onlyFor === null ? '' : 'only you see this',
    isStreaming(message, now) ? 'writing' : '',
    message.edited ? 'edited' : '',
  ]
    .filter(Boolean)
    .join(', ')

const statusesIn = ({ statuses, now }: Store, channel: Channel | undefined): string[] =>
  [...statuses].flatMap(([key, { text, atMs }]) =>
    key.startsWith(`${channel?.id} `) && now() - atMs < statusLifeMs ? [`app ${text}`] : [],
  )
