/**
 * The service's ports with their surroundings: functions that die at any write, streams that report writes, and checks.
 */
import type { Ports } from '../../../../adapters/ports.ts'
import type { InboundDelivery, Outgoing } from '../../../../domain/channels/delivery.ts'
import { type Chat, chatKey } from '../../../../domain/channels/inbound.ts'
import type { LinkRecord } from '../../../../domain/channels/link.ts'
import type { Message, Outcome } from '../../../../domain/chat/message.ts'
import { promptIdOf } from '../../../../domain/chat/names.ts'
import type { Functions, Run } from './functions.ts'

/** The reports of the tables' streams. */
export type Change =
  | { table: 'in'; chat: Pick<Chat, 'platform' | 'id'>; id: string }
  | { table: 'out'; userId: string; key: string }
  | { table: 'end'; userId: string; promptId: string; outcome: Outcome }
  | { table: 'question'; userId: string; id: string }

/** Events to record besides the store's own data. */
interface Heard {
  changed(change: Change): void
  received(userId: string, message: Message, run: Run | undefined): void
  replied(userId: string, promptId: string, message: Message): void
  kept(delivery: InboundDelivery): void
  /** The delivery is completed, or was before. */
  settled(delivery: InboundDelivery): void
  linked(link: LinkRecord): void
  unlinked(link: LinkRecord): void
}

const reads = new Set([
  'find',
  'open',
  'before',
  'due',
  'list',
  'sent',
  'openReplies',
  'ofPerson',
  'openPrompt',
  'read',
  'isStored',
  'outcomeOf',
  'openSince',
  'countedOn',
])

type AnyMethod = (...args: unknown[]) => Promise<unknown>

type Channels = Pick<Ports, 'channelLinks' | 'inboundDeliveries' | 'outgoingMessages' | 'conversations' | 'questions'>

export function watchedPorts<P extends Channels & Partial<Ports>>(ports: P, functions: Functions, heard: Heard): P {
  const watched: Record<string, unknown> = { ...ports }
  const stores = [
    'channelLinks',
    'inboundDeliveries',
    'outgoingMessages',
    'conversations',
    'questions',
    'rates',
    'instances',
    'attachments',
    'attachmentFiles',
    'wallets',
    'users',
    'checkouts',
    'deliveryLog',
  ] as const
  for (const name of stores) {
    const port = ports[name]
    if (!port) continue
    const methods = Object.entries(port).map(([method, call]) => [
      method,
      around(functions, heard, name, method, call as AnyMethod),
    ])
    watched[name] = Object.fromEntries(methods)
  }
  return watched as P // safe because each method is replaced by one of its type
}

function around(functions: Functions, heard: Heard, port: string, method: string, call: AnyMethod): AnyMethod {
  const told = tellings[`${port}.${method}`]
  if (method === 'entry' || method === 'finalContent')
    return withEffect(call, (args) => told?.(heard, args, null, undefined))
  const writes = !reads.has(method)
  return (...args) =>
    functions.request(
      writes,
      () => call(...args),
      (result, run) => {
        for (const part of args) if (isWrittenPart(part)) effects.get(part)?.()
        told?.(heard, args, result, run)
      },
    )
}

/** The effects of parts, which reach the streams when the write that includes the part is done. */
const effects = new WeakMap<object, () => void>()

const isWrittenPart = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'isWritten' in value && value.isWritten === true

/** A method that makes a part at once. */
const withEffect = (call: AnyMethod, tell: (args: unknown[]) => void): AnyMethod =>
  ((...args: unknown[]) => {
    const part = call(...args)
    effects.set(part, () => tell(args))
    return part
  }) as AnyMethod // safe because the caller knows that the method is synchronous

type Telling = (heard: Heard, args: unknown[], result: unknown, run: Run | undefined) => void

const telling = <A extends unknown[]>(
  tell: (heard: Heard, args: A, result: never, run: Run | undefined) => void,
): Telling => tell as unknown as Telling // safe because each is stored under its method's name

type Args<P extends keyof Ports, M extends keyof Ports[P]> = Ports[P][M] extends (...args: infer A) => unknown
  ? A extends unknown[]
    ? A
    : never
  : never

const out = (heard: Heard, { userId, key }: Pick<Outgoing, 'userId' | 'key'>) =>
  heard.changed({ table: 'out', userId, key })

const tellings: Partial<Record<string, Telling>> = {
  'inboundDeliveries.add': telling<[InboundDelivery]>((heard, [delivery], added: boolean) => {
    const { inbound } = delivery
    heard.kept(delivery)
    if (added) heard.changed({ table: 'in', chat: inbound.chat, id: inbound.id })
  }),
  'inboundDeliveries.open': telling<Args<'inboundDeliveries', 'open'>>(
    (_heard, [chat], open: InboundDelivery[], run) => {
      run?.notes.set(`open ${chatKey(chat)}`, new Set(open.map(({ inbound }) => inbound.id)))
    },
  ),
  'inboundDeliveries.settle': telling<Args<'inboundDeliveries', 'settle'>>(
    (heard, [delivery, , line], done: boolean) => {
      heard.settled(delivery)
      if (done && line) out(heard, line)
    },
  ),
  'inboundDeliveries.fail': telling<Args<'inboundDeliveries', 'fail'>>((heard, [delivery, , nextMs]) => {
    if (nextMs === null) heard.settled(delivery)
  }),
  'outgoingMessages.entry': telling<Args<'outgoingMessages', 'entry'>>((heard, [message]) => out(heard, message)),
  'outgoingMessages.finalContent': telling<Args<'outgoingMessages', 'finalContent'>>((heard, [userId, key]) =>
    out(heard, { userId, key }),
  ),
  'outgoingMessages.replace': telling<Args<'outgoingMessages', 'replace'>>((heard, [userId, key]) =>
    out(heard, { userId, key }),
  ),
  'outgoingMessages.grow': telling<Args<'outgoingMessages', 'grow'>>((heard, [userId, key]) =>
    out(heard, { userId, key }),
  ),
  'outgoingMessages.settle': telling<Args<'outgoingMessages', 'settle'>>((heard, [message]) => out(heard, message)),
  'outgoingMessages.retry': telling<Args<'outgoingMessages', 'retry'>>((heard, [userId, key], done: boolean) => {
    if (done) out(heard, { userId, key })
  }),
  'outgoingMessages.recordSent': telling<Args<'outgoingMessages', 'recordSent'>>(
    (_heard, [{ userId, key }], _result, run) => void run?.unrecorded.delete(`${userId} ${key}`),
  ),
  'channelLinks.find': telling<Args<'channelLinks', 'find'>>((_heard, [chat], link: LinkRecord | null, run) => {
    run?.notes.set(`link ${chatKey(chat)}`, link)
  }),
  'channelLinks.add': telling<Args<'channelLinks', 'add'>>((heard, [link], done: boolean) => {
    if (done) heard.linked(link)
  }),
  'channelLinks.remove': telling<Args<'channelLinks', 'remove'>>((heard, _args, link: LinkRecord | null) => {
    if (link) heard.unlinked(link)
  }),
  'conversations.receive': telling<Args<'conversations', 'receive'>>((heard, [userId, message], _result, run) =>
    heard.received(userId, message, run),
  ),
  'conversations.reply': telling<Args<'conversations', 'reply'>>((heard, [userId, promptId], message: Message) =>
    heard.replied(userId, promptId, message),
  ),
  'conversations.close': telling<Args<'conversations', 'close'>>(
    (heard, [userId, promptId, outcome], done: boolean) => {
      if (done) heard.changed({ table: 'end', userId, promptId, outcome })
    },
  ),
  'conversations.stop': telling<Args<'conversations', 'stop'>>(
    (heard, [userId, messageId], found: { state: string } | null) => {
      if (found?.state === 'closed')
        heard.changed({ table: 'end', userId, promptId: promptIdOf(messageId), outcome: 'stopped' })
    },
  ),
  'questions.answer': telling<Args<'questions', 'answer'>>((heard, [userId, id]) =>
    heard.changed({ table: 'question', userId, id }),
  ),
}
