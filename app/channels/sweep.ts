import { chatKey } from '../../domain/channels/inbound.ts'
import { dueInShards, sweep } from '../sweep.ts'
import { type DeliverPorts, deliver } from './deliver.ts'
import { endOverdueReply } from './end-reply.ts'
import { type ProcessPorts, processChat } from './process.ts'

/**
 * Sees through what nobody has in time: what came from chats, and what goes there. @throws AggregateError of what
 * failed
 */
export async function sweepChannels(deps: ProcessPorts & DeliverPorts, nowMs: number): Promise<void> {
  const [happened, messages] = await Promise.all([
    dueInShards((shard) => deps.inboundDeliveries.due(shard, nowMs)),
    dueInShards((shard) => deps.outgoingMessages.due(shard, nowMs)),
  ])
  // The first message of each chat; the others follow it.
  const firsts = new Map<string, (typeof happened)[number]>()
  for (const each of happened) {
    const known = firsts.get(chatKey(each.chat))
    if (!known || each.id < known.id) firsts.set(chatKey(each.chat), each)
  }
  const done = await Promise.allSettled([
    sweep([...firsts.values()], 'chats', ({ chat, id }) => processChat(deps, chat, id, nowMs), atOnce),
    sweep(
      [...Map.groupBy(messages, ({ userId }) => userId)],
      'users’ messages to chats',
      ([, own]) =>
        // One after another, as their stream brings them: the first that is asked to wait keeps the others back.
        sweep(own, 'messages to chats', ({ userId, key }) => seeThrough(deps, userId, key, nowMs)),
      atOnce,
    ),
  ])
  for (const each of done) if (each.status === 'rejected') throw each.reason
}

async function seeThrough(
  deps: ProcessPorts & DeliverPorts,
  userId: string,
  key: string,
  nowMs: number,
): Promise<void> {
  if (isReplyKey(key)) await endOverdueReply(deps, userId, key, nowMs)
  await deliver(deps, userId, key, nowMs)
}

const isReplyKey = (key: string): boolean => key.startsWith('prm_')

/** One slow platform keeps few waiting. */
const atOnce = 10
