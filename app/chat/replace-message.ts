import type { Message } from '../../domain/chat/message.ts'
import { conflict, invalid, notFound } from '../../domain/errors.ts'
import type { Conversations } from '../ports/chat.ts'
import type { Instances, Runtimes } from '../ports/instance.ts'

/** At most so many messages may follow a message that is replaced, and are read in pages of this length. */
const mostAfter = 1_000
const pageLength = 250

type Deps = { conversations: Conversations; instances: Instances; runtimes: Runtimes }

/**
 * The message that a new version replaces.
 * @throws not-found, validation for a message of the agent; conflict for an agent without branches, and where messages
 * of a chat platform would be left out
 */
export async function requireReplaceable(
  deps: Deps,
  userId: string,
  { conversation, replaces }: { conversation: string; replaces: string },
): Promise<Message> {
  const [replaced, instance, offered] = await Promise.all([
    deps.conversations.message(userId, { conversation, id: replaces }),
    deps.instances.find(userId),
    deps.runtimes.offered(),
  ])
  if (!replaced) throw notFound('message in this conversation')
  if (replaced.role !== 'user') throw invalid('replaces', 'name a message of the user, not a reply.')
  const runtime = offered.find(({ name }) => name === instance?.runtime)
  if (!runtime?.supports.branches)
    throw conflict(
      `${runtime?.title ?? 'This agent'} keeps its own memory of a conversation and cannot go back in it. Send a new message, or start a new conversation.`,
    )
  const first = replaced.replaces ?? replaced.id
  if (replaced.channel !== 'web' || (await platformFollows(deps.conversations, userId, conversation, first)))
    throw conflict(
      'A new version would leave out messages from another chat platform, which shows one conversation. Send a new message instead.',
    )
  return replaced
}

async function platformFollows(conversations: Conversations, userId: string, conversation: string, first: string) {
  let after = first
  for (let read = 0; read < mostAfter; read += pageLength) {
    const { items, next } = await conversations.messages(userId, { conversation, after, limit: pageLength })
    if (items.some(({ channel }) => channel !== 'web')) return true
    if (next === null) return false
    after = next
  }
  throw conflict(`More than ${mostAfter} messages follow this one. Send a new message, or start a new conversation.`)
}
