import { useCallback, useEffect, useReducer } from 'react'
import { withActivities } from '../../domain/agent/activities.ts'
import type { Activity } from '../../domain/agent/activity.ts'
import type { Attachment } from '../../domain/chat/attachment.ts'
import type { Event as ServerEvent } from '../../domain/chat/event.ts'
import type { Message } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { useAccount, useServerEvents } from '../account-state.tsx'
import { berth, errorText } from '../api/client.ts'
import type { Question } from './open-questions.tsx'

/** A message on its way to the service, or refused by it. */
export interface Outgoing {
  key: number
  text: string
  attachments: Attachment[]
  /** When it was sent, ISO 8601. */
  at: string
  /** Why it was refused, null while it is on its way. */
  problem: string | null
}

interface State {
  /** Which conversation it is, `main` or `cnv_…`. */
  id: string
  messages: Message[]
  outgoing: Outgoing[]
  /** What the agent does, or did, for the message that waits, in the order in which it began. */
  activities: Activity[]
  /** How the last prompt ended without an answer; null when it was answered, or is worked on. */
  ended: { how: 'failed' | 'stopped'; why: string } | null
  /** What the agent asks, and waits for. */
  questions: Question[]
  loaded: boolean
  problem: string | null
}

type Change =
  | { is: 'opened'; id: string }
  | { is: 'read'; id: string; messages: Message[]; questions: Question[] }
  | { is: 'remembered'; promptId: string; activities: Activity[] }
  | { is: 'unread'; id: string; problem: string }
  | { is: 'sending'; outgoing: Outgoing }
  | { is: 'refused'; key: number; problem: string }
  | { is: 'dropped'; key: number }
  | { is: 'accepted'; key: number; message: Message }
  | { is: 'event'; event: ServerEvent }

const empty: Omit<State, 'id'> = {
  messages: [],
  outgoing: [],
  activities: [],
  ended: null,
  questions: [],
  loaded: false,
  problem: null,
}

/** Ids sort by time, so the order never depends on which answer came first. */
function merge(before: Message[], more: Message[]): Message[] {
  const byId = new Map([...before, ...more].map((message) => [message.id, message]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function reduce(state: State, to: Change): State {
  switch (to.is) {
    case 'opened':
      return { ...empty, id: to.id }
    case 'read':
      if (to.id !== state.id) return state
      return {
        ...state,
        messages: merge(state.messages, to.messages),
        questions: to.questions,
        loaded: true,
        problem: null,
      }
    case 'remembered':
      if (to.promptId !== waitingPrompt(state)) return state
      return { ...state, activities: withActivities(to.activities, state.activities) }
    case 'unread':
      return to.id === state.id ? { ...state, problem: to.problem } : state
    case 'sending':
      return {
        ...state,
        activities: [],
        ended: null,
        outgoing: [...state.outgoing.filter(({ key }) => key !== to.outgoing.key), to.outgoing],
      }
    case 'refused':
      return {
        ...state,
        outgoing: state.outgoing.map((message) =>
          message.key === to.key ? { ...message, problem: to.problem } : message,
        ),
      }
    case 'dropped':
      return { ...state, outgoing: state.outgoing.filter(({ key }) => key !== to.key) }
    case 'accepted':
      return {
        ...state,
        outgoing: state.outgoing.filter(({ key }) => key !== to.key),
        messages: to.message.conversation === state.id ? merge(state.messages, [to.message]) : state.messages,
      }
    case 'event':
      return applyEvent(state, to.event)
  }
}

function applyEvent(state: State, { type, data }: ServerEvent): State {
  const isOwn = data.promptId === waitingPrompt(state)
  if (type === 'prompt.closed') return isOwn ? { ...state, activities: [], ended: endIn(data) } : state
  if (type === 'message.activity')
    // safe because the service writes these events with a list of Activity in them
    return isOwn ? { ...state, activities: withActivities(state.activities, data.activities as Activity[]) } : state
  const message = messageIn(data)
  if (message?.conversation !== state.id) return state
  const messages = merge(state.messages, [message])
  if (type === 'message.sent') return { ...state, messages }
  // The stream may tell of our own message before its own answer is here.
  const own = state.outgoing.findIndex(({ problem, text }) => problem === null && text === message.text)
  return {
    ...state,
    messages,
    activities: [],
    ended: null,
    outgoing: state.outgoing.filter((_, index) => index !== own),
  }
}

function endIn(data: Record<string, unknown>): State['ended'] {
  if (data.outcome === 'stopped') return { how: 'stopped', why: 'You stopped this.' }
  return data.outcome === 'failed' ? { how: 'failed', why: reasonIn(data) } : null
}

const reasonIn = ({ note }: Record<string, unknown>): string =>
  typeof note === 'string' && note !== '' ? note : 'Try again, or put it another way.'

function messageIn({ message }: Record<string, unknown>): Message | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  // safe because the service writes these events with a Message in them
  return message as Message
}

let lastKey = 0

/** A reply that takes longer is not asked after any more; it still comes. */
const awaitedMs = 30 * 60_000

export interface Conversation extends State {
  /** The prompt that the message which waits has become; null when none waits. */
  promptId: string | null
  send(text: string, attachments: Attachment[]): void
  /** Tries a refused message once more. */
  retry(message: Outgoing): void
  drop(key: number): void
  read(): void
  /** Wants no answer any more to the message that waits. @throws BerthError */
  stop(): Promise<void>
}

/** What the agent has done so far for a message that was sent before this page knew of it. */
function remember(messageId: string, set: (change: Change) => void): void {
  berth.listActivities({ id: messageId }).then(
    ({ activities }) => set({ is: 'remembered', promptId: promptIdOf(messageId), activities }),
    () => {}, // What it does from here on is shown as it happens.
  )
}

/** A conversation, kept while the visitor goes from page to page. */
export function useConversation(id: string): Conversation {
  const [kept, set] = useReducer(reduce, { ...empty, id })
  const state = kept.id === id ? kept : { ...empty, id }
  const { awaitReply } = useAccount()

  const load = useCallback(async () => {
    const { messages, questions = [] } = await berth.listMessages({ conversation: id, limit: 100 })
    set({ is: 'read', id, messages, questions })
    return unanswered(messages)
  }, [id])
  const fail = useCallback((thrown: unknown) => set({ is: 'unread', id, problem: errorText(thrown) }), [id])
  const read = useCallback(() => void load().catch(fail), [load, fail])

  useEffect(() => {
    set({ is: 'opened', id })
    load().then((asked) => asked && remember(asked.id, set), fail)
  }, [id, load, fail])
  useServerEvents('message. prompt. question.', (event) =>
    event && !event.type.startsWith('question.') ? set({ is: 'event', event }) : read(),
  )

  const since = state.ended === null ? waitingSince(state) : null
  useEffect(() => awaitReply(since === null ? 0 : Date.parse(since) + awaitedMs), [since, awaitReply])

  const post = ({ key, text, attachments }: Pick<Outgoing, 'key' | 'text' | 'attachments'>) => {
    set({ is: 'sending', outgoing: { key, text, attachments, at: new Date().toISOString(), problem: null } })
    berth.sendMessage({ conversation: id, text, attachments: attachments.map((file) => file.id) }).then(
      ({ message }) => set({ is: 'accepted', key, message }),
      (thrown) => set({ is: 'refused', key, problem: errorText(thrown) }),
    )
  }
  return {
    ...state,
    promptId: waitingPrompt(state),
    send: (text, attachments) => post({ key: ++lastKey, text, attachments }),
    retry: post,
    async stop() {
      const asked = unanswered(state.messages)
      if (asked) await berth.stopReply({ id: asked.id })
    },
    drop: (key) => set({ is: 'dropped', key }),
    read,
  }
}

/** When the message was sent that the agent has not answered yet, ISO 8601; null when there is none. */
export function waitingSince({ messages, outgoing }: Pick<State, 'messages' | 'outgoing'>): string | null {
  const sending = outgoing.findLast(({ problem }) => problem === null)
  if (sending) return sending.at
  return unanswered(messages)?.at ?? null
}

/** The prompt of the message that waits; null when none does. */
function waitingPrompt({ messages }: Pick<State, 'messages'>): string | null {
  const asked = unanswered(messages)
  return asked ? promptIdOf(asked.id) : null
}

/** The user's last message, if the agent has not answered it. */
function unanswered(messages: Message[]): Message | undefined {
  const asked = messages.findLast(({ role }) => role === 'user')
  return messages.some(({ inReplyTo }) => inReplyTo !== undefined && inReplyTo === asked?.id) ? undefined : asked
}
