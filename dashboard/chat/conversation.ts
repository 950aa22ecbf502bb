import { useCallback, useEffect, useReducer, useRef } from 'react'
import type { Attachment } from '../../domain/chat/attachment.ts'
import type { Message } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { useAccount, useServerEvents } from '../account-state.tsx'
import { berth, errorText } from '../api/client.ts'
import { type Change, empty, endIn, reduce, type State, unanswered, waitingPrompt } from './conversation-state.ts'
import { notYetTaken, type Outgoing } from './outbox.ts'
import { useOutbox } from './use-outbox.ts'

/** Messages per page, and on each side of a message that was jumped to. */
const pageLength = 50
const aroundLength = 25

/** Missed replies are checked for this long; a later reply still arrives. */
const awaitedMs = 30 * 60_000

export interface Conversation extends State {
  outgoing: Outgoing[]
  /** The service does not answer; the outbox is sent when it does. */
  isWaiting: boolean
  /** The message that waits for an answer. */
  unanswered: Message | undefined
  /** The prompt of that message; null for none. */
  promptId: string | null
  send(text: string, attachments: Attachment[]): void
  retry(message: Outgoing): void
  /** Sends the user's message with this id again, without its files, which the agent has. */
  askAgain(messageId: string): void
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

async function newest(id: string): Promise<Extract<Change, { is: 'read' }>> {
  const { messages, questions = [], more } = await berth.listMessages({ conversation: id, limit: pageLength })
  return { is: 'read', id, messages, older: more, questions }
}

async function around(id: string, messageId: string): Promise<Change> {
  const before = await berth.listMessages({ conversation: id, before: messageId, limit: aroundLength })
  const last = before.messages.at(-1)?.id ?? `msg_${'0'.repeat(26)}`
  const after = await berth.listMessages({ conversation: id, after: last, limit: aroundLength })
  const messages = [...before.messages, ...after.messages]
  return { is: 'moved', id, messages, older: before.more, newer: after.more }
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
  useServerEvents('message. prompt. question.', (event) => {
    if (!needed) return
    if (event && !event.type.startsWith('question.')) set({ is: 'event', event })
    // A reader who has scrolled up stays there; the end is loaded when they scroll to it.
    else if (!state.newer) read()
  })

  const since = waitingSince({ ...state, outgoing, isWaiting: outbox.isWaiting })
  useEffect(
    () => awaitReply(since === null || state.ended ? 0 : Date.parse(since) + awaitedMs),
    [since, state.ended, awaitReply],
  )

  const send = (text: string, attachments: Attachment[]) => {
    set({ is: 'asked' })
    outbox.send(text, attachments, state.messages.at(-1)?.id ?? null)
    if (state.newer) read()
  }
  const page = usePaging(state, set, fail)
  return {
    ...state,
    ...page,
    outgoing,
    isWaiting: outbox.isWaiting,
    unanswered: unanswered(state),
    promptId: waitingPrompt(state),
    send,
    retry: outbox.retry,
    askAgain(messageId) {
      const asked = state.messages.find(({ id: known }) => known === messageId)
      if (asked) send(asked.text, [])
    },
    drop: outbox.drop,
    read,
    goToEnd: () => state.newer && read(),
    async stop() {
      const message = unanswered(state)
      if (message) await berth.stopReply({ id: message.id })
    },
  }
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
        const page = await berth.listMessages({ conversation: id, before: first.id, limit: pageLength })
        return { is: 'older', id, ...page }
      }),
    readNewer: () =>
      newer &&
      last &&
      once(async () => {
        const page = await berth.listMessages({ conversation: id, after: last.id, limit: pageLength })
        return { is: 'newer', id, ...page }
      }),
    goTo: (messageId: string) => once(() => around(id, messageId)),
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
