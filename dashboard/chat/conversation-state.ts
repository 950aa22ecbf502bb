import { withActivities } from '../../domain/agent/activities.ts'
import type { Activity } from '../../domain/agent/activity.ts'
import type { Event as ServerEvent } from '../../domain/chat/event.ts'
import type { Message } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import type { Question } from './open-questions.tsx'

/** `note` is the agent's reason. */
export interface Ended {
  how: 'failed' | 'stopped'
  note: string | null
}

export interface State {
  /** `main` or `cnv_…`. */
  id: string
  /** A part of the conversation without gaps, oldest first. */
  messages: Message[]
  /** Whether there are messages before and after that part. */
  older: boolean
  newer: boolean
  /** The last change put messages before all others. */
  prepended: boolean
  /** By prompt, each list in the order of beginning. */
  activities: Readonly<Record<string, Activity[]>>
  /** How the last prompt ended without an answer; null otherwise. */
  ended: Ended | null
  questions: Question[]
  loaded: boolean
  problem: string | null
}

export type Change =
  | { is: 'opened'; id: string }
  /** The newest messages, which continue the known ones or replace them. */
  | { is: 'read'; id: string; messages: Message[]; older: boolean; questions: Question[] }
  /** A part from anywhere, which replaces the shown one. */
  | { is: 'moved'; id: string; messages: Message[]; older: boolean; newer: boolean }
  | { is: 'older'; id: string; messages: Message[]; more: boolean }
  | { is: 'newer'; id: string; messages: Message[]; more: boolean }
  | { is: 'remembered'; promptId: string; activities: Activity[]; ended: Ended | null }
  | { is: 'unread'; id: string; problem: string }
  | { is: 'asked' }
  | { is: 'accepted'; message: Message }
  | { is: 'event'; event: ServerEvent }

export const empty: Omit<State, 'id'> = {
  messages: [],
  older: false,
  newer: false,
  prepended: false,
  activities: {},
  ended: null,
  questions: [],
  loaded: false,
  problem: null,
}

/** Ids sort by time, so the order never depends on which answer came first. */
function merge(before: readonly Message[], more: readonly Message[]): Message[] {
  const byId = new Map([...before, ...more].map((message) => [message.id, message]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

export function reduce(before: State, to: Change): State {
  if (to.is === 'opened') return { ...empty, id: to.id }
  if ('id' in to && to.id !== before.id) return before
  const state = before.prepended ? { ...before, prepended: false } : before
  switch (to.is) {
    case 'read':
      return { ...state, ...joined(state, to), questions: to.questions, loaded: true, problem: null }
    case 'moved':
      return { ...state, messages: to.messages, older: to.older, newer: to.newer, loaded: true, problem: null }
    case 'older':
      return { ...state, messages: merge(to.messages, state.messages), older: to.more, prepended: true }
    case 'newer':
      return { ...state, messages: merge(state.messages, to.messages), newer: to.more }
    case 'remembered':
      return remembered(state, to)
    case 'unread':
      return { ...state, problem: to.problem }
    case 'asked':
      return { ...state, ended: null }
    case 'accepted':
      return to.message.conversation === state.id ? added(state, to.message) : state
    case 'event':
      return applyEvent(state, to.event)
  }
}

/** The newest messages, joined to the known ones if there is no gap. */
function joined(state: State, { messages, older }: { messages: Message[]; older: boolean }) {
  const [last, first] = [state.messages.at(-1), messages[0]]
  const follows = !state.newer && last !== undefined && (!older || (first !== undefined && first.id <= last.id))
  if (follows) return { messages: merge(state.messages, messages), older: state.older, newer: false }
  return { messages, older, newer: false }
}

function remembered(state: State, { promptId, activities, ended }: Extract<Change, { is: 'remembered' }>): State {
  const known = state.activities[promptId] ?? []
  const isLast = promptId === waitingPrompt(state)
  return {
    ...state,
    activities: { ...state.activities, [promptId]: withActivities(activities, known) },
    ended: isLast && ended ? ended : state.ended,
  }
}

/** A new message belongs to the shown part only at the end of the conversation. */
const added = (state: State, message: Message): State =>
  state.newer ? state : { ...state, messages: merge(state.messages, [message]) }

function applyEvent(state: State, { type, data }: ServerEvent): State {
  const promptId = typeof data.promptId === 'string' ? data.promptId : ''
  if (type === 'prompt.closed') return promptId === waitingPrompt(state) ? { ...state, ended: endIn(data) } : state
  if (type === 'message.activity') {
    const known = state.activities[promptId] ?? []
    // safe because the service writes these events with a list of Activity in them
    return {
      ...state,
      activities: { ...state.activities, [promptId]: withActivities(known, data.activities as Activity[]) },
    }
  }
  const message = messageIn(data)
  if (message?.conversation !== state.id) return state
  return type === 'message.sent' ? added(state, message) : { ...added(state, message), ended: null }
}

export function endIn({ outcome, note }: Record<string, unknown>): Ended | null {
  if (outcome !== 'stopped' && outcome !== 'failed') return null
  return { how: outcome, note: typeof note === 'string' && note !== '' ? note : null }
}

function messageIn({ message }: Record<string, unknown>): Message | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  // safe because the service writes these events with a Message in them
  return message as Message
}

/** The prompt of the waiting message; null for none. */
export function waitingPrompt(state: Pick<State, 'messages' | 'newer'>): string | null {
  const message = unanswered(state)
  return message ? promptIdOf(message.id) : null
}

/** The user's last message, if the agent has not answered it. */
export function unanswered({ messages, newer }: Pick<State, 'messages' | 'newer'>): Message | undefined {
  if (newer) return undefined
  const newest = messages.findLast(({ role }) => role === 'user')
  return messages.some(({ inReplyTo }) => inReplyTo !== undefined && inReplyTo === newest?.id) ? undefined : newest
}
