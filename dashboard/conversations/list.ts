/** The user's conversations. Events keep the list current, so that it is read once. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import type { Operations } from '../../clients/typescript/operations.ts'
import type { Event as ServerEvent } from '../../domain/chat/event.ts'
import type { Message } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { titleOf } from '../../domain/chat/title.ts'
import { cache } from '../data/cache.ts'
import { berth, errorText } from '../data/client.ts'
import { clean } from '../markdown/clean.ts'
import { texts } from '../texts/index.ts'
import { viewing } from '../viewing.ts'

export type Listed = Operations['listConversations']['output']['conversations'][number]
type MainState = NonNullable<Operations['listConversations']['output']['main']>

export interface ConversationList {
  conversations: readonly Listed[]
  main: MainState
  /** False while later pages are being read, and for a list that is too long. */
  isWhole: boolean
}

const queryKey = ['listConversations', 'all']
const pageLength = 100
const mostPages = 10

/** How long the list stays fresh, ms: events bring the changes of other devices before. */
const freshMs = 60_000

export function useConversationList(needed = true) {
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => readPages(signal),
    staleTime: freshMs,
    enabled: needed,
  })
  return { list: data ?? null, problem: error && errorText(error), reload: () => void refetch() }
}

/** The first page is shown before the others are read. */
async function readPages(signal: AbortSignal): Promise<ConversationList> {
  let list: ConversationList = { conversations: [], main: { unread: false, model: null }, isWhole: false }
  let cursor: string | null = null
  for (let page = 0; page < mostPages; page++) {
    const input = { limit: pageLength, ...(cursor && { cursor }) }
    const answer: Operations['listConversations']['output'] = await berth.listConversations(input, { signal })
    cursor = answer.nextCursor
    const conversations = [...list.conversations, ...answer.conversations]
    list = { conversations, main: answer.main ?? list.main, isWhole: cursor === null }
    if (cursor === null) break
    if (page === 0) cache.setQueryData<ConversationList>(queryKey, (before) => before ?? list)
  }
  return list
}

/** Changes the shown list before the service answers. A list that is being read may lack the change: it is read again. */
function changeList(change: (list: ConversationList) => ConversationList): void {
  cache.setQueryData<ConversationList>(queryKey, (before) => before && change(before))
  if (cache.isFetching({ queryKey }) > 0) void cache.invalidateQueries({ queryKey })
}

export const followConversations = (event: ServerEvent): void => changeList((list) => withEvent(list, event))

export function withEvent(
  list: ConversationList,
  { type, data }: Pick<ServerEvent, 'type' | 'data'>,
): ConversationList {
  if (type === 'conversation.deleted') return without(list, data.conversationId)
  // safe because the service writes these events with a Conversation or a Message in them
  if (type === 'conversation.changed') return withConversation(list, data.conversation as Listed)
  if (type !== 'message.received' && type !== 'message.sent') return list
  const { conversation, text, attachments, at } = data.message as Message
  const unread = type === 'message.sent'
  if (conversation === mainConversation) return { ...list, main: { ...list.main, unread } }
  const known = list.conversations.find(({ id }) => id === conversation)
  if (!known) return list
  const title = known.title ?? titleOf(text || (attachments?.[0]?.name ?? ''))
  return withConversation(list, { ...known, title, unread, archived: false, lastMessageAt: at })
}

function withConversation(list: ConversationList, changed: Listed): ConversationList {
  const isKnown = list.conversations.some(({ id }) => id === changed.id)
  if (!isKnown) return { ...list, conversations: [changed, ...list.conversations] }
  return { ...list, conversations: list.conversations.map((each) => (each.id === changed.id ? changed : each)) }
}

const without = (list: ConversationList, gone: unknown): ConversationList => ({
  ...list,
  conversations: list.conversations.filter(({ id }) => id !== gone),
})

export type Changes = Omit<Operations['updateConversation']['input'], 'id'>

/** @throws BerthError */
export async function updateConversation(id: string, attributes: Changes): Promise<void> {
  const { conversation } = await berth.updateConversation({ id, ...attributes })
  changeList((list) => withConversation(list, conversation))
}

/** One that was deleted elsewhere leaves the list, too. @throws BerthError */
export async function deleteConversation(id: string): Promise<void> {
  await berth.deleteConversation({ id }).catch((thrown: unknown) => {
    if (!(thrown instanceof BerthError) || thrown.code !== 'not-found') throw thrown
  })
  changeList((list) => without(list, id))
}

/** The model that was chosen for a conversation; null for the instance's default. */
export const modelOf = (list: ConversationList, id: string): string | null =>
  id === mainConversation ? list.main.model : (list.conversations.find((each) => each.id === id)?.model ?? null)

/** @throws BerthError */
export async function setModel(id: string, model: string | null): Promise<void> {
  if (id !== mainConversation) return updateConversation(id, { model })
  const { main } = await berth.updateMainConversation({ model })
  changeList((list) => ({ ...list, main }))
}

/** @returns the id of the new conversation. @throws BerthError */
export async function startConversation(): Promise<string> {
  const { conversation } = await berth.createConversation({})
  changeList((list) => withConversation(list, conversation))
  return conversation.id
}

/** @throws BerthError */
export async function setUnread(id: string, unread: boolean): Promise<void> {
  changeList((list) =>
    id === mainConversation
      ? { ...list, main: { ...list.main, unread } }
      : { ...list, conversations: list.conversations.map((each) => (each.id === id ? { ...each, unread } : each)) },
  )
  await (id === mainConversation ? berth.updateMainConversation({ unread }) : berth.updateConversation({ id, unread }))
}

/** Time until a shown reply is marked as read, ms: in a quick exchange, the user's next message marks it for free. */
const markMs = 3_000

/** Marks the open conversation as read once its page has shown it. An operator who views a user marks nothing. */
export function useMarkRead(open: string, list: ConversationList | null): void {
  const isUnread = list !== null && isUnreadIn(list, open)
  useEffect(() => {
    if (!isUnread || viewing) return
    let wasShown = document.visibilityState === 'visible'
    const mark = () => {
      const now = cache.getQueryData<ConversationList>(queryKey)
      // After a failure, the next reading of the list brings the mark back.
      if (wasShown && now && isUnreadIn(now, open)) setUnread(open, false).catch(() => {})
    }
    let timer = setTimeout(mark, markMs)
    const onVisibility = () => {
      if (document.visibilityState === 'hidden') return mark()
      wasShown = true
      clearTimeout(timer)
      timer = setTimeout(mark, markMs)
    }
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(timer)
      mark()
    }
  }, [open, isUnread])
}

const isUnreadIn = (list: ConversationList, id: string): boolean =>
  id === mainConversation ? list.main.unread : list.conversations.some((each) => each.id === id && each.unread)

export const pathOf = (id: string): string => (id === mainConversation ? '/' : `/?conversation=${id}`)

/** Titles of marks and spaces alone would leave an empty line. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

export function shownTitle(conversation: Pick<Listed, 'title'> | undefined): string {
  const title = clean(conversation?.title ?? '').trim()
  return visible.test(title) ? title : texts.chat.menu.untitled
}

/** Newest message first. */
export const byLastMessage = (a: Listed, b: Listed): number => timeOf(b).localeCompare(timeOf(a))
const timeOf = ({ lastMessageAt, createdAt }: Listed): string => lastMessageAt ?? createdAt

/** Without case and accents. */
const folded = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Whether a title contains all typed words. */
export function titleFits(title: string, typed: string): boolean {
  const searched = folded(title)
  return folded(typed)
    .split(/\s+/)
    .every((word) => searched.includes(word))
}
