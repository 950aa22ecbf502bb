import { turnOf } from '../../domain/agent/turn.ts'
import { historyLength, type Message, type Prompt } from '../../domain/chat/message.ts'
import type { Conversations } from '../ports/chat.ts'

/** Further pages are read for a history that is shorter than this, up to so many pages. */
const enough = historyLength / 2
const mostPages = 4
/** Replies to earlier messages that may stand between the messages of a replaced part. */
const lateReplies = 20

/** The conversation of a prompt, as far as its own branch goes. Replaced parts are not read. */
export async function readTurn(
  conversations: Pick<Conversations, 'messages'>,
  userId: string,
  prompt: Pick<Prompt, 'messageId' | 'conversation'>,
): Promise<ReturnType<typeof turnOf>> {
  const { conversation } = prompt
  const newest = { conversation, after: null, limit: historyLength }
  let page = await conversations.messages(userId, newest)
  let known: readonly Message[] = page.items
  for (let pages = 1; ; pages++) {
    const turn = turnOf(prompt, known)
    const start = page.items[0]?.id
    const isOver = start === undefined || page.next === null || page.items.length < historyLength
    if (isOver || turn.history.length >= enough || pages === mostPages) return turn
    const from = turn.replaced.at(-1)?.from ?? start
    if (from < start) {
      const [before, late] = await Promise.all([
        conversations.messages(userId, { ...newest, before: from }),
        conversations.messages(userId, { ...newest, after: from, limit: lateReplies }),
      ])
      page = before
      known = [...page.items, ...late.items.filter(({ id }) => id < start), ...known]
    } else {
      page = await conversations.messages(userId, { ...newest, before: start })
      known = [...page.items, ...known]
    }
  }
}
