/** A person's view, as the page's script shows it. */
import type { Channel, Message, User } from '../records.ts'
import type { Pages } from './answer.ts'

export function stateOf(pages: Pages, userId: string): object {
  const { account, application, gateway, version } = pages
  const people = [...account.users.values()].filter(({ bot }) => !bot)
  const user = account.users.get(userId) ?? people[0]
  if (user) account.directOf(user.id)
  const channels = [...account.channels.values()].filter((channel) => user && account.isIn(channel, user.id))
  return {
    version,
    bot: account.bot.username,
    user: user?.id,
    users: [...account.users.values()].map(nameOf),
    people: people.map(nameOf),
    commands: application.commands.map(({ name, description }) => ({ name, description })),
    listening: gateway.connected > 0,
    channels: channels.map((channel) => channelOf(pages, channel)),
  }
}

const nameOf = ({ id, global_name, username }: User) => ({ id, name: global_name ?? username })

const channelOf = (pages: Pages, channel: Channel) => ({
  id: channel.id,
  name: channel.name ? `#${channel.name}` : pages.account.bot.username,
  server: pages.account.servers.get(channel.guild_id ?? '')?.name ?? null,
  open: pages.account.isIn(channel, pages.account.bot.id) && !pages.account.blocking.has(channel.recipient?.id ?? ''),
  typing: pages.account.isTyping(channel),
  messages: channel.messages.slice(-200).map((message) => messageOf(pages, message)),
})

const messageOf = (pages: Pages, message: Message) => ({
  ...pages.present(message),
  attachments: message.attachments.map(({ id, filename, content_type, bytes }) => ({
    id,
    filename,
    content_type,
    size: bytes.length,
  })),
})
