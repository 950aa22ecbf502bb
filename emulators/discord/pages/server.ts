/** The page to chat from, and what it asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Discord } from '../api/route.ts'
import { attachmentOf } from '../api/server.ts'
import type { Gateway } from '../gateway/server.ts'
import type { Outcome } from '../interactions.ts'
import type { Channel, Message, User } from '../records.ts'
import { html, script } from './page.ts'

interface PagesOptions extends Discord {
  gateway: Gateway
  pagesUrl: string
}

interface Answer {
  status: number
  type: string
  body: string | Buffer
}

const json = (body: object, status = 200): Answer => ({ status, type: 'application/json', body: JSON.stringify(body) })
const problem = (message: string, status = 404) => json({ message }, status)

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export function createPages(options: PagesOptions) {
  const { account, pagesUrl } = options
  const { origin, pathname: base } = new URL(pagesUrl)
  // A page from an earlier start of the emulator reloads.
  let version = Date.now()
  for (const event of ['created', 'updated', 'deleted', 'joined', 'left', 'channelGone', 'typing'] as const)
    account.on(event, () => {
      version += 1
    })

  async function act(action: string, form: FormData): Promise<Answer> {
    const text = (name: string) => String(form.get(name) ?? '')
    const user = account.users.get(text('user'))
    const channel = account.channels.get(text('channel'))
    if (!user || user.bot || !channel || !account.isIn(channel, user.id)) return problem('There is no such chat.')
    const perform = actions[action]
    if (!perform) return problem('There is nothing here to do.')
    return (await perform({ user, channel, text, form })) ?? json({})
  }

  const notice = (outcome: Outcome) => json(outcome.answered ? {} : { notice: outcome.notice })
  /** A message of this id where this person is. */
  const seenBy = (user: User, id: string) =>
    [...account.channels.values()]
      .filter((channel) => account.isIn(channel, user.id))
      .flatMap(({ messages }) => messages)
      .find((message) => message.id === id)
  const own = ({ user, channel, text }: Act) =>
    channel.messages.find(({ id, author }) => id === text('message') && author === user)

  const actions: Record<string, (act: Act) => Promise<Answer | undefined> | Answer | undefined> = {
    async say({ user, channel, text, form }) {
      const files = await Promise.all(
        form
          .getAll('file')
          .flatMap((each) => (typeof each === 'string' || each.size === 0 ? [] : [attachmentOf(each)])),
      )
      const content = text('text').trim()
      const forwards = seenBy(user, text('forwards'))
      if (forwards) account.say(channel, user, { forwards })
      if (content === '' && files.length === 0) return undefined
      if (content.length > 2_000) return problem('A message has 2,000 characters at most.', 400)
      const answers = channel.messages.find(({ id }) => id === text('answers')) ?? null
      account.say(channel, user, { content: named(content), attachments: files, answers })
      return undefined
    },
    async command({ user, channel, text, form }) {
      const [, name = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text('text').trim()) ?? []
      const command = options.application.commands.find((each) => each.name === name)
      if (!command) return json({ notice: `There is no command /${name}.` })
      const option = command.options?.find(({ type }) => type !== 11)
      const fileOption = command.options?.find(({ type }) => type === 11)
      const file = form.get('file')
      const attached = fileOption && file && typeof file !== 'string' && file.size > 0
      return notice(
        await options.interactions.command(user, channel, {
          name,
          options: option && rest ? { [option.name]: rest } : {},
          ...(attached && { file: { option: fileOption.name, attachment: await attachmentOf(file) } }),
        }),
      )
    },
    async press({ user, channel, text }) {
      const message = channel.messages.find(({ id }) => id === text('message'))
      return message && notice(await options.interactions.press(user, message, text('data')))
    },
    edit(given) {
      const message = own(given)
      if (message) account.edit(message, { content: named(given.text('text')) })
      return undefined
    },
    delete(given) {
      const message = own(given)
      if (message) account.delete(message)
      return undefined
    },
    /** A person blocks the bot or lets it write again; a server throws it out or takes it back. */
    toggle({ user, channel }) {
      const server = account.servers.get(channel.guild_id ?? '')
      if (server) server.members.has(account.bot.id) ? account.removeBot(server) : account.addBot(server)
      else if (!account.blocking.delete(user.id)) account.blocking.add(user.id)
      version += 1
      return undefined
    },
  }

  /** `@Name` of somebody there is becomes what calls them. */
  const named = (content: string) =>
    content.replaceAll(/(?<!\S)@([\p{L}\p{N}]+)/gu, (whole, name: string) => {
      const called = [...account.users.values()].find(({ username }) => username.toLowerCase() === name.toLowerCase())
      return called ? `<@${called.id}>` : whole
    })

  const show = (channel: Channel) => ({
    id: channel.id,
    name: channel.name ? `#${channel.name}` : account.bot.username,
    server: account.servers.get(channel.guild_id ?? '')?.name ?? null,
    open: account.isIn(channel, account.bot.id) && !account.blocking.has(channel.recipient?.id ?? ''),
    typing: account.isTyping(channel),
    messages: channel.messages.slice(-200).map(shown),
  })
  const shown = (message: Message) => ({
    ...options.present(message),
    attachments: message.attachments.map(({ id, filename, content_type, bytes }) => ({
      id,
      filename,
      content_type,
      size: bytes.length,
    })),
  })

  function state(userId: string): object {
    const people = [...account.users.values()].filter(({ bot }) => !bot)
    const user: User | undefined = account.users.get(userId) ?? people[0]
    if (user) account.directOf(user.id)
    const channels = [...account.channels.values()].filter((channel) => user && account.isIn(channel, user.id))
    return {
      version,
      bot: account.bot.username,
      user: user?.id,
      users: [...account.users.values()].map(({ id, global_name, username }) => ({
        id,
        name: global_name ?? username,
      })),
      people: people.map(({ id, global_name, username }) => ({ id, name: global_name ?? username })),
      commands: options.application.commands.map(({ name, description }) => ({ name, description })),
      listening: options.gateway.connected > 0,
      channels: channels.map(show),
    }
  }

  function read(path: string, query: URLSearchParams): Answer {
    if (path === '' || path === '/') return { status: 200, type: 'text/html; charset=utf-8', body: html(base) }
    if (path === '/page.js') return { status: 200, type: 'text/javascript; charset=utf-8', body: script }
    if (path === '/state') return json(state(query.get('user') ?? ''))
    const file = account.attachments.get(/^\/file\/(\d+)$/.exec(path)?.[1] ?? '')
    if (!file) return problem('There is no such page.')
    // Shown as what it is only where that runs nothing.
    const isImage = /^image\/(png|jpeg|gif|webp)$/.test(file.content_type)
    return { status: 200, type: isImage ? file.content_type : 'application/octet-stream', body: file.bytes }
  }

  /** Answers true when the request was for the page. */
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) return false
    const path = url.pathname.slice(base.length)
    const from = request.headers.origin
    const answer =
      request.method === 'GET' || request.method === 'HEAD'
        ? read(path, url.searchParams)
        : from !== undefined && from !== origin
          ? problem('This was sent from another site.', 403)
          : await readForm(request).then((form) => (form ? act(path.slice(1), form) : problem('Send a form.', 400)))
    response
      .writeHead(answer.status, {
        'cache-control': 'no-store',
        'content-security-policy': policy,
        'content-type': answer.type,
        'x-content-type-options': 'nosniff',
      })
      .end(answer.body)
    return true
  }
}

interface Act {
  user: User
  channel: Channel
  text: (name: string) => string
  form: FormData
}

async function readForm(request: IncomingMessage): Promise<FormData | null> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  return new Response(new Uint8Array(await buffer(request)), { headers }).formData().catch(() => null)
}
