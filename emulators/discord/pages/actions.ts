/** People's actions on the page, by their names. */
import { findById } from '../../kit/records.ts'
import { attachmentOf } from '../api/server.ts'
import type { Outcome } from '../interactions.ts'
import type { Channel, Message, User } from '../records.ts'
import { type Answer, json, type Pages, problem } from './answer.ts'

interface Act {
  pages: Pages
  user: User
  channel: Channel
  text: (name: string) => string
  form: FormData
}

type Action = (act: Act) => Promise<Answer | undefined> | Answer | undefined

const actions: Record<string, Action> = { say, command, press, edit, delete: remove, toggle }

export async function act(pages: Pages, action: string, form: FormData): Promise<Answer> {
  const { account } = pages
  const text = (name: string) => String(form.get(name) ?? '')
  const user = account.users.get(text('user'))
  const channel = account.channels.get(text('channel'))
  if (!user || user.bot || !channel || !account.isIn(channel, user.id)) return problem('There is no such chat.')
  const perform = findById(actions, action)
  if (!perform) return problem('There is nothing here to do.')
  return (await perform({ pages, user, channel, text, form })) ?? json({})
}

async function say({ pages, user, channel, text, form }: Act): Promise<Answer | undefined> {
  const { account } = pages
  const files = form.getAll('file').filter((each): each is File => typeof each !== 'string' && each.size > 0)
  const attachments = await Promise.all(files.map(attachmentOf))
  const content = text('text').trim()
  const forwards = seenBy(pages, user, text('forwards'))
  if (forwards) account.say(channel, user, { forwards })
  if (content === '' && attachments.length === 0) return undefined
  if (content.length > 2_000) return problem('A message has 2,000 characters at most.', 400)
  const answers = channel.messages.find(({ id }) => id === text('answers')) ?? null
  account.say(channel, user, { content: named(pages, content), attachments, answers })
  return undefined
}

/** A message of this id where this person is. */
const seenBy = ({ account }: Pages, user: User, id: string): Message | undefined =>
  [...account.channels.values()]
    .filter((channel) => account.isIn(channel, user.id))
    .flatMap(({ messages }) => messages)
    .find((message) => message.id === id)

async function command({ pages, user, channel, text, form }: Act): Promise<Answer> {
  const [, name = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text('text').trim()) ?? []
  const found = pages.application.commands.find((each) => each.name === name)
  if (!found) return json({ notice: `There is no command /${name}.` })
  const option = found.options?.find(({ type }) => type !== 11)
  const fileOption = found.options?.find(({ type }) => type === 11)
  const file = form.get('file')
  const attached = fileOption && file && typeof file !== 'string' && file.size > 0
  return notice(
    await pages.interactions.command(user, channel, {
      name,
      options: option && rest ? { [option.name]: rest } : {},
      ...(attached && { file: { option: fileOption.name, attachment: await attachmentOf(file) } }),
    }),
  )
}

async function press({ pages, user, channel, text }: Act): Promise<Answer | undefined> {
  const message = channel.messages.find(({ id }) => id === text('message'))
  return message && notice(await pages.interactions.press(user, message, text('data')))
}

const notice = (outcome: Outcome): Answer => json(outcome.answered ? {} : { notice: outcome.notice })

function edit(act: Act): undefined {
  const message = ownMessage(act)
  if (message) act.pages.account.edit(message, { content: named(act.pages, act.text('text')) })
}

function remove(act: Act): undefined {
  const message = ownMessage(act)
  if (message) act.pages.account.delete(message)
}

const ownMessage = ({ user, channel, text }: Act): Message | undefined =>
  channel.messages.find(({ id, author }) => id === text('message') && author === user)

/** A person blocks the bot or lets it write again; a server throws it out or takes it back. */
function toggle({ pages, user, channel }: Act): undefined {
  const { account } = pages
  const server = account.servers.get(channel.guild_id ?? '')
  if (server) server.members.has(account.bot.id) ? account.removeBot(server) : account.addBot(server)
  else if (!account.blocking.delete(user.id)) account.blocking.add(user.id)
  pages.version += 1
}

/** `@Name` of somebody there is becomes what calls them. */
const named = ({ account }: Pages, content: string): string =>
  content.replaceAll(/(?<!\S)@([\p{L}\p{N}]+)/gu, (whole, name: string) => {
    const called = [...account.users.values()].find(({ username }) => username.toLowerCase() === name.toLowerCase())
    return called ? `<@${called.id}>` : whole
  })
