import { withActivities } from '../../domain/agent/activities.ts'
import type { Activity } from '../../domain/agent/activity.ts'
import { branchOf, lastWith, placeOf } from '../../domain/chat/branches.ts'
import type { Event as ServerEvent } from '../../domain/chat/event.ts'
import type { Message } from '../../domain/chat/message.ts'
import { messageIdOf, promptIdOf } from '../../domain/chat/names.ts'
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
  /** Questions of the shown part that were answered or have expired. */
  asked: Question[]
  /** A message that is on the shown branch; null for the newest branch. */
  version: string | null
  loaded: boolean
  problem: string | null
}

interface Part {
  id: string
  messages: Message[]
  asked: Question[]
}

export type Change =
  | { is: 'opened'; id: string }
  /** The newest messages, which continue the known ones or replace them. */
  | ({ is: 'read'; older: boolean; questions: Question[] } & Part)
  /** A part around a message from anywhere, which replaces the shown one. */
  | ({ is: 'moved'; to: string; older: boolean; newer: boolean } & Part)
  | ({ is: 'older'; more: boolean } & Part)
  | ({ is: 'newer'; more: boolean } & Part)
  | { is: 'version'; version: string | null }
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
  asked: [],
  version: null,
  loaded: false,
  problem: null,
}

/** Ids sort by time, so the order never depends on which answer came first. */
function merge<T extends { id: string }>(before: readonly T[], more: readonly T[]): T[] {
  const byId = new Map([...before, ...more].map((each) => [each.id, each]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const joinedParts = (state: State, { messages, asked }: Part): Pick<State, 'messages' | 'asked'> => ({
  messages: merge(state.messages, messages),
  asked: merge(state.asked, asked),
})

/** The messages of the shown branch. */
export function shownIn({ messages, version }: Pick<State, 'messages' | 'version'>): Message[] {
  return branchOf(messages, version && lastWith(messages, version))
}

/** Whether the newest message is on the shown branch. */
export function showsNewest({ messages, version }: Pick<State, 'messages' | 'version'>): boolean {
  return version === null || lastWith(messages, version) === messages.findLast((each) => !each.inReplyTo)?.id
}

/** Stays on the shown branch, although a message that was read later replaced a part of it. */
function stayed(before: State, after: State): State {
  const last = shownIn(before).at(-1)
  if (!last || after.version !== null || shownIn(after).some(({ id }) => id === last.id)) return after
  return { ...after, version: placeOf(last) }
}

/** Shows the branch of a message that is not on the newest one. */
function turnedTo(state: State, messageId: string): State {
  const message = state.messages.find(({ id }) => id === messageId)
  if (!message || shownIn(state).includes(message)) return state
  return { ...state, version: placeOf(message) }
}

export function reduce(before: State, to: Change): State {
  if (to.is === 'opened') return { ...empty, id: to.id }
  if ('id' in to && to.id !== before.id) return before
  const state = before.prepended ? { ...before, prepended: false } : before
  switch (to.is) {
    case 'read':
      return { ...state, ...joined(state, to), questions: to.questions, loaded: true, problem: null }
    case 'moved': {
      const { messages, asked, older, newer } = to
      return turnedTo({ ...state, messages, asked, older, newer, version: null, loaded: true, problem: null }, to.to)
    }
    case 'older':
      return { ...state, ...joinedParts(state, to), older: to.more, prepended: true }
    case 'newer':
      return stayed(state, { ...state, ...joinedParts(state, to), newer: to.more })
    case 'version':
      return { ...state, version: to.version }
    case 'remembered':
      return remembered(state, to)
    case 'unread':
      return { ...state, problem: to.problem }
    case 'asked':
      return { ...state, ended: null, version: null }
    case 'accepted':
      return to.message.conversation === state.id ? added(state, to.message) : state
    case 'event':
      return applyEvent(state, to.event)
  }
}

/** The newest messages, joined to the known ones if there is no gap. */
function joined(state: State, part: Part & { older: boolean }) {
  const { messages, asked, older } = part
  const [last, first] = [state.messages.at(-1), messages[0]]
  const follows = !state.newer && last !== undefined && (!older || (first !== undefined && first.id <= last.id))
  if (follows) return { ...joinedParts(state, part), older: state.older, newer: false }
  return { messages, asked, older, newer: false, version: null }
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
  if (type === 'prompt.closed') return closed(state, promptId, endIn(data))
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

function closed(state: State, promptId: string, ended: Ended | null): State {
  const at = promptId === waitingPrompt(state) ? { ...state, ended } : state
  const messageId = messageIdOf(promptId)
  if (!ended || at.messages.some(({ inReplyTo }) => inReplyTo === messageId)) return at
  const outcome = ended.how
  return { ...at, messages: at.messages.map((each) => (each.id === messageId ? { ...each, outcome } : each)) }
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
  if (newest?.outcome === 'stopped') return undefined
  return messages.some(({ inReplyTo }) => inReplyTo !== undefined && inReplyTo === newest?.id) ? undefined : newest
}
