import type { Task } from '../../domain/agent/task.ts'
import type { PromptAttachment, StoredAttachment } from '../../domain/chat/attachment.ts'
import type { Conversation, MainState } from '../../domain/chat/conversation.ts'
import type { Event, EventType } from '../../domain/chat/event.ts'
import type { Message, Outcome, Prompt, TurnTrigger } from '../../domain/chat/message.ts'
import type { MessageLimits } from '../../domain/chat/message-limits.ts'
import type { GivenAnswer, Question } from '../../domain/chat/question.ts'
import type { Page } from '../../domain/page.ts'
import type { Part } from './part.ts'

export interface Conversations {
  /** Stores a conversation other than the main one. */
  /** False when the conversation exists. */
  start(userId: string, conversation: Conversation, ...also: Part[]): Promise<boolean>
  /** All conversations except the main one, latest start first. */
  list(userId: string, page: { after: string | null; limit: number }): Promise<Page<Conversation>>
  find(userId: string, id: string): Promise<Conversation | null>
  /**
   * Deletes the record of a conversation, which hides all of it: nothing can be written in it, and its messages are in no
   * list. False when there is none of this id.
   */
  remove(userId: string, id: string, ...also: Part[]): Promise<boolean>
  /** Null when there is none of this id. */
  change(
    userId: string,
    id: string,
    attributes: Partial<Pick<Conversation, 'title' | 'archived' | 'pinned' | 'unread' | 'model'>>,
  ): Promise<Conversation | null>
  /** The chosen model of a conversation; null for the instance’s default. @throws not-found for a deleted one */
  modelOf(userId: string, id: string): Promise<string | null>
  main(userId: string): Promise<MainState>
  changeMain(userId: string, attributes: Partial<MainState>, nowMs: number): Promise<MainState>
  /**
   * Writes the user's message and its prompt together, and uses up its attachments. False if it was written before.
   * Without `limits`, the message does not count as waiting.
   * @throws not-found for an unknown conversation; conflict for a used attachment or too many waiting messages
   */
  receive(
    userId: string,
    message: Message,
    trigger: TurnTrigger,
    attachments?: readonly PromptAttachment[],
    trace?: string,
    limits?: MessageLimits,
    ...also: Part[]
  ): Promise<boolean>
  /** Leases the oldest free task or open prompt of the wanted kinds, tasks first; both null when there is none. */
  next(
    userId: string,
    generation: number,
    nowMs: number,
    wanted: { prompts: boolean; tasks: boolean },
  ): Promise<{ prompt: Prompt | null; task: Task | null }>
  /** Frees a generation's leases at once, because its runtime has died. */
  release(userId: string, generation: number): Promise<void>
  /** Whether a prompt created at this time or later is still open, leased or not. */
  openSince(userId: string, sinceMs: number): Promise<boolean>
  /** Whether a prompt or a task could be leased to this generation now. */
  untaken(userId: string, generation: number, nowMs: number): Promise<boolean>
  openPrompt(userId: string, promptId: string): Promise<Prompt | null>
  /** Adds `activities` to the returned count; null when the prompt is closed or leased to another generation. */
  renewLease(
    userId: string,
    promptId: string,
    generation: number,
    nowMs: number,
    activities?: number,
  ): Promise<(Prompt & { activities: number }) | null>
  /** Closes an unleased prompt (`closed`: its id), or marks a leased one (`stopping`). Null without an open prompt. */
  stop(
    userId: string,
    messageId: string,
    nowMs: number,
  ): Promise<{ state: 'closed' | 'stopping'; promptId: string } | null>
  /** Writes the agent's reply once per prompt, and uses up its attachments; a repeated call returns the first reply. */
  reply(userId: string, promptId: string, message: Message, ...also: Part[]): Promise<Message>
  /**
   * Writes the message once per key, and the conversation that it starts; a repeated call returns the first message.
   * @throws rate-limited, not-found for an unknown conversation
   */
  say(
    userId: string,
    key: string,
    message: Message,
    starts: Conversation | null,
    nowMs: number,
    ...also: Part[]
  ): Promise<Message>
  /** How a prompt ended; null while it is open. */
  outcomeOf(userId: string, promptId: string): Promise<Outcome | null>
  /** How those of these prompts ended that have ended without a reply, and were not completed. */
  unanswered(userId: string, promptIds: readonly string[]): Promise<ReadonlyMap<string, Exclude<Outcome, 'completed'>>>
  /** False for a closed prompt. @throws not-found for an unknown prompt */
  close(userId: string, promptId: string, outcome: Outcome): Promise<boolean>
  message(userId: string, key: Pick<Message, 'conversation' | 'id'>): Promise<Message | null>
  /**
   * Oldest first; without `after`, the newest page, or the one before a message. `next` continues likewise. Long
   * messages make a page shorter than `limit`: see `maxPageBytes`.
   */
  messages(
    userId: string,
    page: { conversation: string; after: string | null; before?: string; limit: number },
  ): Promise<Page<Message>>
  /**
   * Newest first, of one conversation, or of all: the main one, then the latest started. `before` is the last known
   * message. Recent writes may be missing. `last` is the last one that was read, also in a deleted conversation.
   */
  newestFirst(
    userId: string,
    page: { conversation: string | null; before: Pick<Message, 'conversation' | 'id'> | null; limit: number },
  ): Promise<{ items: Message[]; more: boolean; last: Message | undefined }>
  /** The messages of all conversations; `next` is valid only for this list. */
  everyMessage(userId: string, page: { after: string | null; limit: number }): Promise<Page<Message>>
}

/** An event or a notification, and what it is about. */
export interface Trace {
  table: 'events' | 'notifications'
  key: string
  conversation?: string
  promptId?: string
  questionId?: string
}

/** Up to some hundred messages and questions of a conversation. */
export interface ConversationPart {
  messageIds: readonly string[]
  questionIds: readonly string[]
  files: readonly Pick<StoredAttachment, 'instanceId' | 'id'>[]
}

/** Erases what a deleted conversation has left behind. Each call may be repeated. */
export interface ConversationErasure {
  openPrompts(userId: string, conversation: string): Promise<string[]>
  /** The user's events and notifications about conversations, prompts and questions. */
  traces(userId: string): Promise<Trace[]>
  removeTraces(userId: string, traces: readonly Trace[]): Promise<void>
  /** A part that is still stored. */
  nextPart(userId: string, conversation: string): Promise<ConversationPart>
  /** Also the records of its files and of how its prompts ended. */
  removePart(userId: string, conversation: string, part: ConversationPart): Promise<void>
  /** Nothing is left to hide. */
  finish(userId: string, conversation: string): Promise<void>
}

export interface AttachmentErasure {
  remove(of: Pick<StoredAttachment, 'instanceId' | 'id'>): Promise<void>
}

export interface Attachments {
  /** Stores the record of a coming upload and counts it. @throws rate-limited beyond `most` a UTC day */
  add(
    userId: string,
    attachment: StoredAttachment,
    most: { files: number; bytes: number },
    nowMs: number,
  ): Promise<void>
  /** Null when the attachment is unknown, or its bytes have expired. */
  find(userId: string, id: string, nowMs: number): Promise<StoredAttachment | null>
}

/** Bytes of attachments. An address is valid for one object and `addressSeconds`. */
export interface AttachmentFiles {
  putAddress(of: StoredAttachment): Promise<{ url: string; headers: Record<string, string> }>
  put(of: StoredAttachment, content: Uint8Array): Promise<void>
  /** Whether the stored bytes have the right number and SHA-256. */
  isStored(of: StoredAttachment): Promise<boolean>
  read(of: Pick<StoredAttachment, 'instanceId' | 'id'>): Promise<Uint8Array>
  /** The download address: an image is shown, any other file is saved. */
  getAddress(of: Pick<StoredAttachment, 'instanceId' | 'id' | 'name' | 'type'>): Promise<string>
}

export interface Questions {
  /**
   * Stores a question once per key; a repeated call returns the first.
   * @throws rate-limited, not-found for a deleted conversation
   */
  ask(userId: string, key: string, question: Question, nowMs: number, ...also: Part[]): Promise<Question>
  find(userId: string, id: string, nowMs: number): Promise<Question | null>
  /** The newest questions, oldest first. */
  list(userId: string, nowMs: number): Promise<Question[]>
  /**
   * The oldest two hundred questions that were asked in a conversation from one moment to another, and stay in it. A
   * moment is the part of an id behind its prefix.
   */
  between(userId: string, when: { conversation: string; from: string; to: string }, nowMs: number): Promise<Question[]>
  /** Answers an open question; any other is returned unchanged. Null when there is none. */
  answer(userId: string, id: string, given: GivenAnswer, nowMs: number, ...also: Part[]): Promise<Question | null>
}

export interface Events {
  /** Sends an event to listeners on a best-effort basis; never rejects. */
  record(userId: string, type: EventType, data: Record<string, unknown>): Promise<void>
  /** An event as part of another write. */
  entry(userId: string, type: EventType, data: Record<string, unknown>): Part
  after(userId: string, eventId: string, limit: number): Promise<Event[]>
}
