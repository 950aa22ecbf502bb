/** People's actions in their workspaces. Each does what its name says at once, and the app hears of it. */
import { findById } from '../kit/records.ts'
import { buttonsOf, unescaped } from './content.ts'
import type { Answer } from './deliveries.ts'
import { typeOf } from './methods/files.ts'
import type { Context } from './methods/method.ts'
import { makeCode } from './methods/oauth.ts'
import type { Channel, Message, Team } from './records.ts'
import { makeResponseUrl } from './responses.ts'
import { findMessage, keepMessage, newId, nextTs, type Store, secret } from './store.ts'
import { directChannel, install, openChannel } from './world.ts'

interface NewFile {
  name: string
  bytes: Uint8Array
}

/** The parts of a message besides its text. */
interface More {
  threadTs?: string | undefined
  files?: NewFile[]
  /** A message that the person sees and forwards. */
  forwards?: { channel: string; ts: string } | undefined
  /** Rows of a table that was pasted. */
  table?: string[][] | undefined
}

/** A person in a channel. */
export interface At {
  user: string
  channel: string
}

export class People {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Writes a message. A text that begins with `/` is a command. */
  say(at: At, text: string, more: More = {}): Message {
    const { store, events } = this.#context
    const { team } = channelOf(store, at)
    const files = (more.files ?? []).map((file) => keepFile(store, team, at.user, file))
    const message: Message = {
      channel: at.channel,
      ts: nextTs(store),
      user: at.user,
      // Slack writes a mention by its id, and what would be markup as entities.
      text: text
        .replaceAll(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;' })[c] ?? '&gt;')
        .replaceAll(/@app\b/g, `<@${team.botUserId}>`),
      blocks: more.table ? [tableOf(more.table)] : [],
      ...(more.forwards && { attachments: [shared(store, at.user, more.forwards)] }),
      format: 'text',
      threadTs: more.threadTs ?? null,
      files,
      edited: false,
      streamingSince: null,
      streamMode: null,
      onlyFor: null,
    }
    keepMessage(store, message)
    store.save()
    events.said(message)
    return message
  }

  edit(at: At, ts: string, text: string): void {
    const { store, events } = this.#context
    const message = messageOf(store, at, ts)
    const before = { ...message }
    Object.assign(message, { text, edited: true })
    store.save()
    events.changed(message, before)
  }

  remove(at: At, ts: string): void {
    const { store, events } = this.#context
    const message = messageOf(store, at, ts)
    store.value.messages = store.value.messages.filter((kept) => kept !== message)
    store.save()
    events.deleted(message)
  }

  /** Gives a slash command, `/name text`. Answers what the app did, null when it did not answer. */
  command(at: At, line: string): Promise<Answer | null> {
    const { store, deliveries, app } = this.#context
    const { channel, team } = channelOf(store, at)
    const [, command = '', text = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line) ?? []
    const user = findById(store.value.users, at.user)
    return deliveries.form({
      token: 'verification-token-of-old',
      team_id: team.id,
      team_domain: team.domain,
      channel_id: channel.id,
      channel_name: channel.kind === 'im' ? 'directmessage' : channel.name,
      user_id: at.user,
      user_name: user?.name ?? '',
      command,
      text,
      api_app_id: app.appId,
      is_enterprise_install: 'false',
      response_url: makeResponseUrl(this.#context, team.id, channel.id, at.user),
      trigger_id: `${Date.now()}.${secret(6)}.${secret(12)}`,
    })
  }

  /** Presses a button of a message, by its value. */
  press(at: At, ts: string, buttonValue: string): Promise<Answer | null> {
    const { store, deliveries, app } = this.#context
    const { channel, team } = channelOf(store, at)
    const message = messageOf(store, at, ts)
    const pressed = buttonsOf(message).find((button) => button.value === buttonValue)
    if (!pressed) throw new Error(`there is no button ${buttonValue} under ${ts}`)
    const user = findById(store.value.users, at.user)
    const payload = {
      type: 'block_actions',
      user: { id: at.user, username: user?.name, name: user?.name, team_id: team.id },
      api_app_id: app.appId,
      token: 'verification-token-of-old',
      container: { type: 'message', message_ts: ts, channel_id: channel.id, is_ephemeral: message.onlyFor !== null },
      trigger_id: `${Date.now()}.${secret(6)}.${secret(12)}`,
      team: { id: team.id, domain: team.domain },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
      message: {
        type: 'message',
        user: team.botUserId,
        bot_id: team.botId,
        ts,
        text: message.text,
        blocks: message.blocks,
        ...(message.threadTs && { thread_ts: message.threadTs }),
      },
      response_url: makeResponseUrl(this.#context, team.id, channel.id, at.user),
      actions: [{ ...pressed, action_ts: nextTs(store) }],
    }
    return deliveries.form({ payload: JSON.stringify(payload) })
  }

  /** Takes the app into a channel, or out of it. */
  invite(at: At): void {
    const { store } = this.#context
    const { channel, team } = channelOf(store, at)
    if (!channel.members.includes(team.botUserId)) channel.members.push(team.botUserId)
    store.save()
  }

  expel(at: At): void {
    const { store, events } = this.#context
    const { channel, team } = channelOf(store, at)
    channel.members = channel.members.filter((member) => member !== team.botUserId)
    store.save()
    events.botLeft(channel, at.user)
  }

  open(teamId: string, name: string, members: string[], creator: string): Channel {
    const { store } = this.#context
    const channel = openChannel(store, teamNamed(store, teamId), name, members, creator)
    store.save()
    return channel
  }

  /** The direct messages with the app. */
  direct(teamId: string, user: string): Channel {
    const { store } = this.#context
    return directChannel(store, teamNamed(store, teamId), user)
  }

  /** Allows the app without a browser: the code that it would be sent with. */
  allow(teamId: string, user: string, redirectUri: string): string {
    const { store } = this.#context
    return makeCode(store, teamNamed(store, teamId).id, user, redirectUri)
  }

  /** Gives the workspace the app at once, without OAuth: its token. */
  install(teamId: string): string {
    const { store } = this.#context
    const token = install(store, teamNamed(store, teamId))
    store.save()
    return token
  }

  /** Takes the app out of the workspace: Slack says so, and that the token is no more. */
  uninstall(teamId: string): void {
    const { store, events } = this.#context
    const team = teamNamed(store, teamId)
    team.token = null
    store.save()
    events.uninstalled(team)
    events.revoked(team)
  }
}

function keepFile({ value }: Store, team: Team, user: string, { name, bytes }: NewFile): string {
  const id = newId('F')
  const about = { mimetype: typeOf(name), size: bytes.byteLength, user, shared: true }
  value.files[id] = { id, teamId: team.id, name, base64: Buffer.from(bytes).toString('base64'), ...about }
  return id
}

const tableOf = (rows: string[][]) => ({
  type: 'table',
  rows: rows.map((cells) => cells.map((text) => ({ type: 'raw_text', text }))),
})

function channelOf({ value }: Store, { user, channel }: At): { channel: Channel; team: Team } {
  const found = findById(value.channels, channel)
  const team = found && findById(value.teams, found.teamId)
  if (!team || !found?.members.includes(user)) throw new Error(`${user} is not in ${channel}`)
  return { channel: found, team }
}

function messageOf(store: Store, at: At, ts: string): Message {
  channelOf(store, at)
  const found = findMessage(store, at.channel, ts)
  if (!found) throw new Error(`there is no message ${ts} in ${at.channel}`)
  return found
}

/** A message as Slack attaches it to one that forwards it. */
function shared(store: Store, user: string, { channel: id, ts }: NonNullable<More['forwards']>) {
  const { channel, team } = channelOf(store, { user, channel: id })
  const { text, user: author } = messageOf(store, { user, channel: id }, ts)
  const section = { type: 'rich_text_section', elements: [{ type: 'text', text: unescaped(text) }] }
  return {
    is_msg_unfurl: true,
    is_share: true,
    author_id: author,
    author_name: findById(store.value.users, author)?.name ?? '',
    channel_id: id,
    channel_name: channel.name,
    channel_team: team.id,
    ts,
    from_url: `https://${team.domain}.slack.com/archives/${id}/p${ts.replace('.', '')}`,
    fallback: `[${ts}] ${text}`,
    text,
    message_blocks: [
      { team: team.id, channel: id, ts, message: { blocks: [{ type: 'rich_text', elements: [section] }] } },
    ],
  }
}

function teamNamed({ value }: Store, id: string): Team {
  const team = findById(value.teams, id)
  if (!team) throw new Error(`there is no workspace ${id}`)
  return team
}
