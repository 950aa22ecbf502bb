import { useCallback, useEffect, useMemo, useReducer, useRef } from 'react'
import type { Attachment } from '../../domain/chat/attachment.ts'
import { branchOf, versionsOf } from '../../domain/chat/branches.ts'
import type { Message } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { useAccount, useServerEvents } from '../account-state.tsx'
import { berth, errorText } from '../data/client.ts'
import {
  type Change,
  empty,
  endIn,
  reduce,
  type State,
  shownIn,
  showsNewest,
  unanswered,
  waitingPrompt,
} from './conversation-state.ts'
import { notYetTaken, type Outgoing } from './outbox.ts'
import { useBranches } from './use-branches.ts'
import { useOutbox } from './use-outbox.ts'

/** Messages per page, and on each side of a message that was jumped to. */
const pageLength = 50
const aroundLength = 25

/** Missed replies are checked for this long; a later reply still arrives. */
const awaitedMs = 30 * 60_000

/** A replaced part of up to so many pages is read at once. */
const mostPages = 20

/** Maximum number of earlier messages that still wait for an answer when a new version is sent. */
const mostWaiting = 5

/** `messages` are those of the shown branch. */
export interface Conversation extends State {
  /** The versions of each message that was replaced, oldest first. */
  versions: ReadonlyMap<string, readonly string[]>
  /** Whether the shown branch is the newest one. */
  isNewest: boolean
  outgoing: Outgoing[]
  /** The service does not answer; the outbox is sent when it does. */
  isWaiting: boolean
  /** The message that waits for an answer. */
  unanswered: Message | undefined
  /** The prompt of that message; null for none. */
  promptId: string | null
  /** @param replaces a message of which this is a new version */
  send(text: string, attachments: readonly Attachment[], replaces?: Message): void
  mayReplace(message: Message): boolean
  /** Sends the user's message with this id again: as a new version, or without its files, which the agent has. */
  askAgain(messageId: string): void
  /** Shows the newest branch that has this message; null for the newest of all. */
  show(messageId: string | null): void
  retry(message: Outgoing): void
  drop(key: string): void
  read(): void
  readOlder(): void
  readNewer(): void
  goTo(messageId: string): void
  goToEnd(): void
  /** Cancels the answer to the waiting message. @throws BerthError */
  stop(): Promise<void>
}

/** Reads the steps of a message that was sent before this page opened. */
function remember(messageId: string, set: (change: Change) => void): void {
  berth.listActivities({ id: messageId }).then(
    ({ activities, ended }) =>
      set({ is: 'remembered', promptId: promptIdOf(messageId), activities, ended: ended && endIn(ended) }),
    () => {}, // Later steps are shown as they happen.
  )
}

/** An older release, which serves during an update, returns no answered questions. */
const listMessages = async (query: Parameters<typeof berth.listMessages>[0]) => ({
  ...{ asked: [] },
  ...(await berth.listMessages(query)),
})

async function newest(id: string): Promise<Extract<Change, { is: 'read' }>> {
  const { messages, asked, questions = [], more } = await listMessages({ conversation: id, limit: pageLength })
  return { is: 'read', id, messages, asked, older: more, questions }
}

async function around(id: string, messageId: string): Promise<Change> {
  const before = await listMessages({ conversation: id, before: messageId, limit: aroundLength })
  const last = before.messages.at(-1)?.id ?? `msg_${'0'.repeat(26)}`
  const after = await listMessages({ conversation: id, after: last, limit: aroundLength })
  const messages = [...before.messages, ...after.messages]
  const asked = [...before.asked, ...after.asked]
  return { is: 'moved', id, to: messageId, messages, asked, older: before.more, newer: after.more }
}

/** Kept across pages, so that any page sends the outbox. @param needed false until the chat is opened: reads nothing */
export function useConversation(id: string, needed: boolean): Conversation {
  const [kept, set] = useReducer(reduce, { ...empty, id })
  const state = kept.id === id ? kept : { ...empty, id }
  const { awaitReply } = useAccount()
  const outbox = useOutbox(
    id,
    useCallback((message: Message) => set({ is: 'accepted', message }), []),
  )
  const outgoing = notYetTaken(outbox.outgoing, state.messages)
  const shown = useShown(state, outgoing)

  const fail = useCallback((thrown: unknown) => set({ is: 'unread', id, problem: errorText(thrown) }), [id])
  const read = useCallback(() => void newest(id).then(set, fail), [id, fail])

  useEffect(() => {
    if (!needed) return
    set({ is: 'opened', id })
    newest(id).then((page) => {
      set(page)
      const message = unanswered({ messages: page.messages, newer: false })
      if (message) remember(message.id, set)
    }, fail)
  }, [id, fail, needed])
  // The open questions are those of all conversations.
  useServerEvents('message. prompt. question. conversation.deleted', (event) => {
    if (!needed || event?.data.conversationId === id) return
    if (event && /^(message|prompt)\./.test(event.type)) set({ is: 'event', event })
    // A reader who has scrolled up stays there; the end is loaded when they scroll to it.
    else if (!state.newer) read()
  })

  const since = waitingSince({ ...state, outgoing, isWaiting: outbox.isWaiting })
  useEffect(
    () => awaitReply(since === null || state.ended ? 0 : Date.parse(since) + awaitedMs),
    [since, state.ended, awaitReply],
  )

  const page = usePaging(state, set, fail)
  const sending = useSending(state, set, outbox, read)
  return {
    ...state,
    ...page,
    ...sending,
    ...shown,
    outgoing,
    isWaiting: outbox.isWaiting,
    unanswered: unanswered(state),
    promptId: waitingPrompt(state),
    show: (version) => set({ is: 'version', version }),
    retry: outbox.retry,
    drop: outbox.drop,
    read,
    goToEnd: () => state.newer && read(),
    async stop() {
      const message = unanswered(state)
      if (message) await berth.stopReply({ id: message.id })
    },
  }
}

function useSending(
  state: State,
  set: (change: Change) => void,
  outbox: Pick<ReturnType<typeof useOutbox>, 'send'>,
  read: () => void,
): Pick<Conversation, 'send' | 'mayReplace' | 'askAgain'> {
  const mayReplace = useBranches()
  const send: Conversation['send'] = (text, attachments, replaces) => {
    set({ is: 'asked' })
    const first = replaces && (replaces.replaces ?? replaces.id)
    if (first) stopAfter(first, state.messages)
    outbox.send(text, attachments, state.messages.at(-1)?.id ?? null, first)
    if (state.newer) read()
  }
  return {
    send,
    mayReplace,
    askAgain(messageId) {
      const asked = state.messages.find((message) => message.id === messageId)
      if (asked && mayReplace(asked)) send(asked.text, asked.attachments ?? [], asked)
      else if (asked) send(asked.text, [])
    },
  }
}

function useShown(
  state: State,
  outgoing: readonly Outgoing[],
): Pick<Conversation, 'messages' | 'versions' | 'isNewest'> {
  const replacing = outgoing.findLast(({ replaces }) => replaces !== undefined)?.replaces
  const versions = useMemo(() => versionsOf(state.messages), [state.messages])
  const messages = useMemo(() => withoutReplaced(state, replacing), [state, replacing])
  return { messages, versions, isNewest: showsNewest(state) }
}

/** A new version on its way already hides what it replaces. */
function withoutReplaced(state: State, replacing: string | undefined): Message[] {
  if (replacing === undefined) return shownIn(state)
  return branchOf([...state.messages, { id: '~', replaces: replacing } as Message], null).filter(({ id }) => id !== '~') // safe because only these fields are read
}

/** Nobody waits for the answers to messages that a new version replaces. */
function stopAfter(first: string, messages: readonly Message[]): void {
  const answered = new Set(messages.map(({ inReplyTo }) => inReplyTo))
  const waiting = messages.filter(
    ({ id, role, outcome }) => role === 'user' && id >= first && !outcome && !answered.has(id),
  )
  // A message that is answered meanwhile cannot be stopped any more.
  for (const { id } of waiting.slice(-mostWaiting)) berth.stopReply({ id }).catch(() => {})
}

/** Reads one page at a time at the ends of the shown part. */
function usePaging(state: State, set: (change: Change) => void, fail: (thrown: unknown) => void) {
  const reading = useRef(false)
  const once = (work: () => Promise<Change>) => {
    if (reading.current) return
    reading.current = true
    work()
      .then(set, fail)
      .finally(() => {
        reading.current = false
      })
  }
  const { id, messages, older, newer } = state
  const [first, last] = [messages[0], messages.at(-1)]
  return {
    readOlder: () =>
      older &&
      first &&
      once(async () => {
        const shown = shownIn(state).length
        const all: Pick<State, 'messages' | 'asked'> = { messages: [], asked: [] }
        for (let pages = 1, before = first.id; ; pages++) {
          const page = await listMessages({ conversation: id, before, limit: pageLength })
          all.messages.unshift(...page.messages)
          all.asked.unshift(...page.asked)
          // A page of replaced messages shows nothing, so the one before it is read at once.
          const isShown = shownIn({ ...state, messages: [...all.messages, ...messages] }).length > shown
          before = page.messages[0]?.id ?? before
          if (isShown || !page.more || pages === mostPages) return { is: 'older', id, ...all, more: page.more }
        }
      }),
    readNewer: () =>
      newer &&
      last &&
      once(async () => {
        const page = await listMessages({ conversation: id, after: last.id, limit: pageLength })
        return { is: 'newer', id, ...page }
      }),
    goTo: (messageId: string) =>
      messages.some((message) => message.id === messageId)
        ? set({ is: 'version', version: messageId })
        : once(() => around(id, messageId)),
  }
}

/** Time of the user's unanswered message, ISO 8601; null for none. */
export function waitingSince(
  state: Pick<Conversation, 'messages' | 'newer' | 'outgoing' | 'isWaiting'>,
): string | null {
  // The agent has not got a message that waits for the service.
  const sending = state.isWaiting ? undefined : state.outgoing.findLast(({ problem }) => problem === null)
  if (sending) return sending.at
  return unanswered(state)?.at ?? null
}
