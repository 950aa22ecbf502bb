import { chatKey } from '../../domain/channels/inbound.ts'
import { dueInShards, sweep } from '../sweep.ts'
import { type DeliverPorts, deliver } from './deliver.ts'
import { endOverdueReply } from './end-reply.ts'
import { type ProcessPorts, processChat } from './process.ts'

/** @throws AggregateError of the failed ones */
export async function sweepChannels(deps: ProcessPorts & DeliverPorts, nowMs: number): Promise<void> {
  const [happened, messages] = await Promise.all([
    dueInShards((shard) => deps.inboundDeliveries.due(shard, nowMs)),
    dueInShards((shard) => deps.outgoingMessages.due(shard, nowMs)),
  ])
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
        // In sequence, as in their stream: if the first meets a rate limit, the others wait, too.
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

/** With several at once, a slow platform delays few others. */
const atOnce = 10
