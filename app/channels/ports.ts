import type { FinalContent, InboundDelivery, Outgoing, SentSoFar } from '../../domain/channels/delivery.ts'
import type { Chat, Inbound } from '../../domain/channels/inbound.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import type { Conversation } from '../../domain/chat/conversation.ts'

/** The key of a delivery that waits to be seen through, and since when, ms since 1970. */
export interface DueDelivery {
  id: string
  item: string
  dueMs: number
}

/** Which chats talk to which account. */
export interface ChannelLinks {
  /** Keeps a code, of which only its hash is kept, for a user to be linked by. */
  addCode(userId: string, code: string, untilMs: number): Promise<void>
  /** Whose code this is; null when there is none, or no more. `guess` is counted by chat. @throws rate-limited */
  findCode(code: string, guessedIn: Chat, nowMs: number): Promise<string | null>
  /**
   * Uses the code up, if one is given, links the chat and starts its conversation, if it gets one; false when the code is used, the
   * chat is linked or there are `maxLinks`.
   */
  add(link: LinkRecord, code: string | null, starts: Conversation | null): Promise<boolean>
  find(chat: Pick<Chat, 'platform' | 'id'>): Promise<LinkRecord | null>
  /** The direct chat that a person has linked there. */
  ofPerson(platform: Platform, personId: string): Promise<LinkRecord | null>
  list(userId: string): Promise<LinkRecord[]>
  /** Null when the user has none of this id. */
  change(userId: string, id: string, to: Partial<Pick<LinkRecord, 'home' | 'state'>>): Promise<LinkRecord | null>
  /** Answers it as it was; null when there was none. */
  remove(userId: string, id: string): Promise<LinkRecord | null>
}

/** What came from chats. */
export interface InboundDeliveries {
  /** Claims what happened and keeps it, in one write; false when it is known. */
  add(delivery: InboundDelivery): Promise<boolean>
  /** Those of a chat that are not seen through, in the order in which they happened. */
  open(chat: Pick<Chat, 'platform' | 'id'>): Promise<InboundDelivery[]>
  /** What people said in a chat before something, oldest first. */
  before(inbound: Inbound, most: number): Promise<InboundDelivery[]>
  /** Notes what became of it, with what is said about it if anything: both are written, or nothing. False when it was seen through before. */
  settle(
    delivery: InboundDelivery,
    to: { state: 'done' | 'ignored'; reason?: string; userId: string | null },
    line?: Outgoing | null,
  ): Promise<boolean>
  /** Notes a failure: when to try again, or null when never. */
  fail(delivery: InboundDelivery, reason: string, nextMs: number | null): Promise<void>
  due(shard: number, nowMs: number): Promise<DueDelivery[]>
  find(key: Pick<DueDelivery, 'id' | 'item'>): Promise<InboundDelivery | null>
  /** Has one that failed be tried again; false when it has not failed. */
  retry(userId: string, delivery: InboundDelivery, nowMs: number): Promise<boolean>
}

/** What goes to chats. */
export interface OutgoingMessages {
  /** Does `act`, whose first write takes what is to be said along: all of it is written, or nothing. */
  along<T>(message: Outgoing, act: () => Promise<T>): Promise<T>
  find(userId: string, key: string): Promise<Outgoing | null>
  /** The youngest replies whose last words are not known. */
  openReplies(userId: string): Promise<Outgoing[]>
  /** Has what was sent say something else instead; nothing when it was never to be sent. */
  replace(userId: string, key: string, final: FinalContent, nowMs: number): Promise<void>
  /** Says how a reply goes on; nothing once its last words are known. */
  grow(userId: string, key: string, draft: string): Promise<void>
  /** Takes one that is to be sent for as long; null when somebody else has it, or nothing is to be done. */
  claim(message: Outgoing, untilMs: number): Promise<Outgoing | null>
  sent(userId: string, key: string): Promise<SentSoFar>
  /** Notes how far it has come. */
  recordSent(message: Outgoing, sent: SentSoFar): Promise<void>
  /** Notes that it is done with, or when to go on; nothing when it has changed since it was claimed. */
  settle(
    message: Outgoing,
    to: Pick<Outgoing, 'state' | 'failures' | 'reason'> & { dueAt: number | null },
  ): Promise<void>
  due(shard: number, nowMs: number): Promise<DueDelivery[]>
}

/** The deliveries of a user, the newest first. */
export interface DeliveryLog {
  list(
    userId: string,
    page: { after: string | null; limit: number },
  ): Promise<{
    items: ({ in: InboundDelivery; nextMs: number | null } | { out: Outgoing })[]
    next: string | null
  }>
}
