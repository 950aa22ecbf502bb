import type { FinalContent, InboundDelivery, Outgoing, SentSoFar } from '../../domain/channels/delivery.ts'
import type { Chat, Inbound } from '../../domain/channels/inbound.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import type { Conversation } from '../../domain/chat/conversation.ts'

type ChatName = Pick<Chat, 'platform' | 'id'>

/** Which chats talk to which account. */
export interface ChannelLinks {
  /** Keeps a code, of which only its hash is kept, for a user to be linked by. */
  addCode(userId: string, code: string, untilMs: number): Promise<void>
  /**
   * The code's owner; null if it does not exist or has expired. Wrong codes are counted for the person. @throws
   * rate-limited
   */
  findCode(code: string, guesser: Pick<LinkRecord, 'platform' | 'personId'>, nowMs: number): Promise<string | null>
  /** A code that others have seen is good for nobody. */
  endCode(code: string): Promise<void>
  /**
   * Uses the code up, if one is given, links the chat and starts its conversation, if it gets one; false when the code
   * is used, the chat is linked or there are `maxLinks`.
   */
  add(link: LinkRecord, code: string | null, starts: Conversation | null): Promise<boolean>
  /** By the id that its chat has, or had. */
  find(chat: ChatName): Promise<LinkRecord | null>
  /** The direct chat that a person has linked there. */
  ofPerson(platform: Platform, personId: string): Promise<LinkRecord | null>
  list(userId: string): Promise<LinkRecord[]>
  /** Null when the user has none of this id. */
  change(userId: string, id: string, to: Pick<LinkRecord, 'state'>): Promise<LinkRecord | null>
  /**
   * Moves a group's link to the chat of this id, in state `linked`; `find` answers it for the former id, too, from then
   * on. Null when the link has changed since it was read, or that chat has one.
   */
  move(link: LinkRecord, to: string): Promise<LinkRecord | null>
  /**
   * Notes until when its platform wants to hear nothing more for a chat, ms since 1970; nothing for one that is not
   * linked.
   */
  wait(chat: ChatName, untilMs: number): Promise<void>
  /** Makes this one the user's home chat, and no other; null when the user has none of this id. */
  chooseHome(userId: string, id: string): Promise<LinkRecord | null>
  /** Answers it as it was; null when there was none. */
  remove(userId: string, id: string): Promise<LinkRecord | null>
}

/** Messages from chats. */
export interface InboundDeliveries {
  /** Claims what happened and keeps it, in one write; false when it is known. */
  add(delivery: InboundDelivery): Promise<boolean>
  /**
   * Those of a chat that are not seen through, in the order in which they happened: all from the one of this id on, and
   * before it those that have no long run of seen ones after them.
   */
  open(chat: ChatName, from: string): Promise<InboundDelivery[]>
  /** People's messages in a chat before a given one, oldest first. */
  before(inbound: Inbound, most: number): Promise<InboundDelivery[]>
  /**
   * Notes what became of it, with what is said about it if anything: both are written, or nothing. False when it was
   * seen through before.
   */
  settle(
    delivery: InboundDelivery,
    to: { state: 'done' | 'ignored'; reason?: string; userId: string | null },
    line?: Outgoing | null,
  ): Promise<boolean>
  /** Notes a failure: when to try again, or null when never. */
  fail(delivery: InboundDelivery, reason: string, nextMs: number | null, userId: string | null): Promise<void>
  /** Unprocessed messages whose time is over, by sweep shard. */
  due(shard: number, nowMs: number): Promise<{ chat: ChatName; id: string }[]>
  find(chat: ChatName, id: string): Promise<InboundDelivery | null>
  /** Has one that failed be tried again; false when it has not failed. */
  retry(userId: string, delivery: InboundDelivery, nowMs: number): Promise<boolean>
}

/** Messages to chats. */
export interface OutgoingMessages {
  /** Does `act`, whose first write takes what is to be said along: all of it is written, or nothing. */
  along<T>(message: Outgoing, act: () => Promise<T>): Promise<T>
  /** Does `act`, whose first write takes a reply's last words along. */
  finishAlong<T>(userId: string, key: string, final: FinalContent, nowMs: number, act: () => Promise<T>): Promise<T>
  find(userId: string, key: string): Promise<Outgoing | null>
  /** The youngest replies whose last words are not known. */
  openReplies(userId: string): Promise<Outgoing[]>
  /** Has what is said there say something else instead, whatever became of it; nothing when it was never to be sent. */
  replace(userId: string, key: string, final: FinalContent, nowMs: number): Promise<void>
  /** Shows a reply's progress; no effect once its final text is known. */
  grow(userId: string, key: string, draft: string): Promise<void>
  sent(userId: string, key: string): Promise<SentSoFar>
  /**
   * Lets nobody else speak with the platform about it until then, and answers how far it has come; null when somebody
   * else does.
   */
  hold(message: Outgoing, nowMs: number, untilMs: number): Promise<SentSoFar | null>
  /**
   * Notes how far it has come, and lets go of it where `heldUntilMs` is 0. @throws Error when it is not `held` any more
   */
  recordSent(message: Outgoing, held: SentSoFar, now: SentSoFar): Promise<void>
  /** Notes that it is done with, or when to go on; false when it has changed since it was read. */
  settle(
    message: Outgoing,
    to: Pick<Outgoing, 'state' | 'failures' | 'reason'> & { dueAt: number | null },
  ): Promise<boolean>
  /** Unsent messages whose time is over, by sweep shard. */
  due(shard: number, nowMs: number): Promise<Pick<Outgoing, 'userId' | 'key'>[]>
  /** Has one that failed be tried again; what was sent of it stays sent. False when it has not failed. */
  retry(userId: string, key: string, nowMs: number): Promise<boolean>
}

/** The deliveries of a user, the newest first. */
export interface DeliveryLog {
  list(
    userId: string,
    page: { after: string | null; limit: number },
  ): Promise<{
    items: ({ in: InboundDelivery } | { out: Outgoing })[]
    next: string | null
  }>
}
