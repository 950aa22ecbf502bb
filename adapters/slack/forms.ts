/** Form requests: slash commands and presses of buttons. */
import * as z from 'zod'
import type { Inbound, ReplyContext } from '../../domain/channels/inbound.ts'
import { cut } from '../../domain/text.ts'
import { at, channelId, chatOf, personOf, sortingId, teamId, text, ts, userId } from './fields.ts'
import { ownCommand } from './manifest.ts'

const command = z.object({
  command: z.string().regex(/^\/[^\s/]{1,60}$/),
  text,
  team_id: teamId,
  channel_id: channelId,
  channel_name: z.string().catch(''),
  user_id: userId,
  user_name: z.string().catch(''),
  response_url: z.string().max(2000).catch(''),
  trigger_id: z.string().min(1).max(100),
})

/** @param second of Slack's signature: a command has no time */
export function readCommand(form: Readonly<Record<string, string>>, second: number): Inbound[] {
  const found = command.safeParse(form)
  if (!found.success) return []
  const { team_id: team, channel_id, channel_name, user_id, user_name, response_url, trigger_id } = found.data
  const words = found.data.text.trim()
  const named = found.data.command === ownCommand
  const [, first = 'help', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(words) ?? []
  const [name, argument] = named ? [first.replace(/^\//, ''), rest] : [found.data.command.slice(1), words]
  const title = channel_name === 'directmessage' ? undefined : channel_name
  return [
    {
      id: sortingId(String(second), trigger_id),
      chat: chatOf(team, channel_id, title),
      person: personOf(team, user_id, user_name),
      context: answering(response_url, user_id, team),
      at: at(String(second)),
      what: { kind: 'command', name: cut(name.toLowerCase(), 64), argument: cut(argument, 4000) },
    },
  ]
}

const press = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: userId, username: z.string().nullish(), name: z.string().nullish(), team_id: teamId.nullish() }),
  team: z.object({ id: teamId }).nullish().catch(null),
  channel: z.object({ id: channelId, name: z.string().nullish() }),
  message: z
    .object({ ts, thread_ts: ts.nullish().catch(null) })
    .nullish()
    .catch(null),
  container: z.object({ message_ts: ts.nullish() }).nullish().catch(null),
  actions: z.array(z.unknown()),
})
const action = z.object({ type: z.literal('button'), value: z.string().min(1).max(100), action_ts: ts })

/** @param payload the form's field, parsed */
export function readPresses(payload: unknown): Inbound[] {
  const found = press.safeParse(payload)
  if (!found.success) return []
  const { user, channel, message, container } = found.data
  const team = found.data.team?.id ?? user.team_id
  const messageId = message?.ts ?? container?.message_ts
  if (!team || !messageId) return []
  const thread = message?.thread_ts
  return found.data.actions.slice(0, 20).flatMap((given) => {
    const pressed = action.safeParse(given)
    if (!pressed.success) return []
    const { value: data, action_ts } = pressed.data
    return [
      {
        id: sortingId(action_ts, 'button', user.id),
        chat: chatOf(team, channel.id),
        person: personOf(team, user.id, user.username ?? user.name ?? ''),
        context: { ...(thread && { thread }), user: user.id, team: user.team_id ?? team },
        at: at(action_ts),
        what: { kind: 'button' as const, data, messageId },
      },
    ]
  })
}

const answering = (responseUrl: string, user: string, team: string): ReplyContext => ({
  ...(responseUrl && { responseUrl }),
  user,
  team,
})
