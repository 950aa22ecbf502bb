import type { FinalContent, InboundDelivery, Outgoing, SentSoFar } from '../../domain/channels/delivery.ts'
import type { Chat, Inbound } from '../../domain/channels/inbound.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import type { Conversation } from '../../domain/chat/conversation.ts'
import type { Part } from './part.ts'

type ChatName = Pick<Chat, 'platform' | 'id'>

export interface ChannelLinks {
  /** @throws when the code is another user's */
  addCode(userId: string, code: string, untilMs: number, ...also: Part[]): Promise<true>
  /**
   * The code's owner; null for an unknown or expired code. Wrong codes count against the person. @throws rate-limited
   */
  findCode(code: string, guesser: Pick<LinkRecord, 'platform' | 'personId'>, nowMs: number): Promise<string | null>
  /** Invalidates a code that others have seen. */
  endCode(code: string): Promise<void>
  /** Uses up the code, links the chat, starts its conversation. False for a used code or chat, or beyond `maxLinks`. */
  add(link: LinkRecord, code: string | null, starts: Conversation | null): Promise<boolean>
  /** By the chat's current or former id. */
  find(chat: ChatName): Promise<LinkRecord | null>
  ofPerson(platform: Platform, personId: string): Promise<LinkRecord | null>
  list(userId: string): Promise<LinkRecord[]>
  change(userId: string, id: string, to: Pick<LinkRecord, 'state'>): Promise<LinkRecord | null>
  /** Sets state `linked`; `find` still answers for the former id. Null if the link has changed, or `to` has a link. */
  move(link: LinkRecord, to: string): Promise<LinkRecord | null>
  /** Stores the end of the platform's rate limit, ms since 1970; no effect for a chat without a link. */
  wait(chat: ChatName, untilMs: number): Promise<void>
  /** Makes this the user's only home chat; null when the user has no link of this id. */
  chooseHome(userId: string, id: string, ...also: Part[]): Promise<LinkRecord | null>
  remove(userId: string, id: string, ...also: Part[]): Promise<LinkRecord | null>
}

export interface InboundDeliveries {
  /** False for a known delivery. */
  add(delivery: InboundDelivery): Promise<boolean>
  /** A chat's open deliveries in order: all from this id on, and earlier ones back to a long run of settled ones. */
  open(chat: ChatName, from: string): Promise<InboundDelivery[]>
  /** People's messages in a chat before a given one, oldest first. */
  before(inbound: Inbound, most: number): Promise<InboundDelivery[]>
  /** Records the result, with a message about it, in one transaction. False when the delivery was settled before. */
  settle(
    delivery: InboundDelivery,
    to: { state: 'done' | 'ignored'; reason?: string; userId: string | null },
    line?: Outgoing | null,
  ): Promise<boolean>
  /** Records a failure; `nextMs` is the time of the next attempt, or null for none. */
  fail(delivery: InboundDelivery, reason: string, nextMs: number | null, userId: string | null): Promise<void>
  /** Overdue open deliveries, by sweep shard. */
  due(shard: number, nowMs: number): Promise<{ chat: ChatName; id: string }[]>
  find(chat: ChatName, id: string): Promise<InboundDelivery | null>
  /** Schedules a retry; false when the delivery has not failed. */
  retry(userId: string, delivery: InboundDelivery, nowMs: number, ...also: Part[]): Promise<boolean>
}

export interface OutgoingMessages {
  /** A new message as part of another write. */
  entry(message: Outgoing): Part
  /** A reply's final content as part of another write. */
  finalContent(userId: string, key: string, final: FinalContent, nowMs: number): Part
  find(userId: string, key: string): Promise<Outgoing | null>
  /** The newest replies without a final text. */
  openReplies(userId: string): Promise<Outgoing[]>
  /** Replaces a message's content, whatever its state; no effect on a message that was never to be sent. */
  replace(userId: string, key: string, final: FinalContent, nowMs: number): Promise<void>
  /** Stores a reply's progress; no effect once its final text is known. */
  grow(userId: string, key: string, draft: string): Promise<void>
  sent(userId: string, key: string): Promise<SentSoFar>
  /** Locks a message for sending until `untilMs` and returns its progress; null when another run holds it. */
  hold(message: Outgoing, nowMs: number, untilMs: number): Promise<SentSoFar | null>
  /** Records progress; `heldUntilMs` 0 releases the lock. @throws Error when it is no longer `held` */
  recordSent(message: Outgoing, held: SentSoFar, now: SentSoFar): Promise<void>
  /** Records the end, or the time of the next attempt; false when the message has changed meanwhile. */
  settle(
    message: Outgoing,
    to: Pick<Outgoing, 'state' | 'failures' | 'reason'> & { dueAt: number | null },
  ): Promise<boolean>
  /** Overdue unsent messages, by sweep shard. */
  due(shard: number, nowMs: number): Promise<Pick<Outgoing, 'userId' | 'key'>[]>
  /** Schedules a retry, which keeps the sent parts; false when the message has not failed. */
  retry(userId: string, key: string, nowMs: number, ...also: Part[]): Promise<boolean>
}

/** Newest first. */
export interface DeliveryLog {
  list(
    userId: string,
    page: { after: string | null; limit: number },
  ): Promise<{
    items: ({ in: InboundDelivery } | { out: Outgoing })[]
    next: string | null
  }>
}

/** Only Slack is installed by workspace, each with its own token. */
export interface SlackTeam {
  /** `T…` */
  teamId: string
  name: string
  /** The bot's user id in this workspace, `U…`. */
  botUserId: string
  /** The Slack user who installed it, `U…`. */
  installerId: string
  installedAt: string
}

export interface SlackTeams {
  /** The workspace and its token; null when our app is not installed there. */
  find(teamId: string): Promise<(SlackTeam & { token: string }) | null>
  /** Replaces the workspace's former installation. */
  save(team: SlackTeam, token: string): Promise<void>
  /** Deletes a workspace and its token, unless it was installed after `at`. */
  forget(teamId: string, at: string): Promise<void>
}

/** OAuth with Slack, which installs our app in a workspace. */
export interface SlackInstalls {
  /** The address where the user chooses a workspace. @throws conflict while the stage has no app at Slack */
  begin(userId: string, nowMs: number): Promise<{ url: string }>
  /**
   * Only for the user who began, within ten minutes.
   * @throws validation for another user's state or an invalid code; provider-error when Slack does not answer
   */
  finish(
    given: { code: string; state: string },
    userId: string,
    nowMs: number,
  ): Promise<{ team: SlackTeam; token: string }>
}
