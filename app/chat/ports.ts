import type { Task } from '../../domain/agent/task.ts'
import type { PromptAttachment, StoredAttachment } from '../../domain/chat/attachment.ts'
import type { Conversation } from '../../domain/chat/conversation.ts'
import type { Event, EventType } from '../../domain/chat/event.ts'
import type { Message, Outcome, Prompt, TurnTrigger } from '../../domain/chat/message.ts'
import type { MessageLimits } from '../../domain/chat/message-limits.ts'
import type { GivenAnswer, Question } from '../../domain/chat/question.ts'
import type { Page } from '../../domain/page.ts'

export interface Conversations {
  /** Stores a conversation other than the main one. */
  start(userId: string, conversation: Conversation): Promise<void>
  /** All conversations except the main one, latest start first. */
  list(userId: string, page: { after: string | null; limit: number }): Promise<Page<Conversation>>
  /** Null when there is none of this id. */
  change(
    userId: string,
    id: string,
    attributes: Partial<Pick<Conversation, 'title' | 'archived'>>,
  ): Promise<Conversation | null>
  /**
   * Writes the user's message and its prompt together, and uses its attachments up. False if it was written before.
   * Without `limits` it is not counted among what waits.
   * @throws not-found for a conversation that the user does not have, conflict when an attachment is used, or too many
   * messages wait
   */
  receive(
    userId: string,
    message: Message,
    trigger: TurnTrigger,
    attachments?: readonly PromptAttachment[],
    trace?: string,
    limits?: MessageLimits,
  ): Promise<boolean>
  /**
   * Leases the oldest free task or open prompt of those wanted, a task before any prompt; both null when there is none.
   */
  next(
    userId: string,
    generation: number,
    nowMs: number,
    wanted: { prompts: boolean; tasks: boolean },
  ): Promise<{ prompt: Prompt | null; task: Task | null }>
  /** Frees what a generation holds, so that it is handed out at once: its runtime has died. */
  release(userId: string, generation: number): Promise<void>
  /** Whether a prompt that came at this time or later is still open, handed out or not. */
  openSince(userId: string, sinceMs: number): Promise<boolean>
  /** Whether a prompt or a task could be handed out to this generation now. */
  untaken(userId: string, generation: number, nowMs: number): Promise<boolean>
  openPrompt(userId: string, promptId: string): Promise<Prompt | null>
  /**
   * Prolongs the lease, and counts what was done meanwhile; null when the prompt is closed or leased to another
   * generation. `activities` is how many that makes.
   */
  renewLease(
    userId: string,
    promptId: string,
    generation: number,
    nowMs: number,
    activities?: number,
  ): Promise<(Prompt & { activities: number }) | null>
  /**
   * Stops what answers a message: a prompt that nobody has is closed (`closed`, with its id), of another it is noted
   * (`stopping`). Null when no prompt of this message is open.
   */
  stop(
    userId: string,
    messageId: string,
    nowMs: number,
  ): Promise<{ state: 'closed' | 'stopping'; promptId: string } | null>
  /**
   * Writes the agent's reply once per prompt, and uses its attachments up; the second time it answers the first reply.
   */
  reply(userId: string, promptId: string, message: Message): Promise<Message>
  /**
   * Writes what the agent says unasked, with the conversation that it starts if any, once a key; the second time it
   * answers the first message. @throws rate-limited, not-found for a conversation that the user does not have
   */
  say(userId: string, key: string, message: Message, starts: Conversation | null, nowMs: number): Promise<Message>
  /** How a prompt ended; null while it has not. */
  outcomeOf(userId: string, promptId: string): Promise<Outcome | null>
  /** Closes a prompt; false when it was closed already. @throws not-found for a prompt that never was */
  close(userId: string, promptId: string, outcome: Outcome): Promise<boolean>
  /**
   * Oldest first; without `after` the newest page, or the newest of those before a message. `next` goes on likewise.
   * Long messages make a page shorter than `limit`: see `maxPageBytes`.
   */
  messages(
    userId: string,
    page: { conversation: string; after: string | null; before?: string; limit: number },
  ): Promise<Page<Message>>
  /**
   * Newest first, of one conversation, or of all: the main one, then those that were started last. `before` is the last
   * that is known. Recent writes may be missing.
   */
  newestFirst(
    userId: string,
    page: { conversation: string | null; before: Pick<Message, 'conversation' | 'id'> | null; limit: number },
  ): Promise<{ items: Message[]; more: boolean }>
  /** The messages of all conversations; `next` is a position of its own. */
  everyMessage(userId: string, page: { after: string | null; limit: number }): Promise<Page<Message>>
}

/** Files that go with messages: what is known of each. */
export interface Attachments {
  /** Keeps what is about to be put, and counts it. @throws rate-limited beyond `most` of a UTC day */
  add(
    userId: string,
    attachment: StoredAttachment,
    most: { files: number; bytes: number },
    nowMs: number,
  ): Promise<void>
  /** Null for one that never was, and once its bytes are kept no longer. */
  find(userId: string, id: string, nowMs: number): Promise<StoredAttachment | null>
}

/** Their bytes. Addresses are good for one object and `addressSeconds`. */
export interface AttachmentFiles {
  /** Where exactly these bytes may be put, and the headers that are sent with them. */
  putAddress(of: StoredAttachment): Promise<{ url: string; headers: Record<string, string> }>
  put(of: StoredAttachment, content: Uint8Array): Promise<void>
  /** Whether they are there, as many, and of that SHA-256. */
  isStored(of: StoredAttachment): Promise<boolean>
  /** All of them. */
  read(of: Pick<StoredAttachment, 'instanceId' | 'id'>): Promise<Uint8Array>
  /** Where they may be fetched: an image to be shown, anything else to be saved. */
  getAddress(of: Pick<StoredAttachment, 'instanceId' | 'id' | 'name' | 'type'>): Promise<string>
}

/** Agents' questions to their owners. */
export interface Questions {
  /** Keeps a question, once a key; the second time it answers the first. @throws rate-limited */
  ask(userId: string, key: string, question: Question, nowMs: number): Promise<Question>
  find(userId: string, id: string, nowMs: number): Promise<Question | null>
  /** The newest, oldest first. */
  list(userId: string, nowMs: number): Promise<Question[]>
  /** Answers one that is open; else it stays as it is. Null when there is none. */
  answer(userId: string, id: string, given: GivenAnswer, nowMs: number): Promise<Question | null>
}

/** A user's events, for streams. */
export interface Events {
  /** Tells those who listen, if the store can; it never rejects. */
  record(userId: string, type: EventType, data: Record<string, unknown>): Promise<void>
  /** Does `act`, whose first write takes the event along; where nothing is written there is none. */
  recordWith<T>(userId: string, type: EventType, data: Record<string, unknown>, act: () => Promise<T>): Promise<T>
  after(userId: string, eventId: string, limit: number): Promise<Event[]>
}
