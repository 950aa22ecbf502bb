import { dueInShards, sweep } from '../sweep.ts'
import { type DeliverPorts, deliver } from './deliver.ts'
import { endOverdueReply } from './end-reply.ts'
import { type ProcessPorts, processChat } from './process.ts'

/** Sees through what nobody has in time: what came from chats, and what goes there. @throws AggregateError of what failed */
export async function sweepChannels(deps: ProcessPorts & DeliverPorts, nowMs: number): Promise<void> {
  const [chats, messages] = await Promise.all([
    dueInShards((shard) => deps.inboundDeliveries.due(shard, nowMs)),
    dueInShards((shard) => deps.outgoingMessages.due(shard, nowMs)),
  ])
  const byKey = new Map(chats.map((chat) => [`${chat.platform} ${chat.id}`, chat]))
  const done = await Promise.allSettled([
    sweep([...byKey.values()], 'chats', (chat) => processChat(deps, chat, nowMs), atOnce),
    sweep(messages, 'messages to chats', ({ userId, key }) => seeThrough(deps, userId, key, nowMs), atOnce),
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
