import * as z from 'zod'
import { requireConversation } from '../../app/chat/require-conversation.ts'
import { withEnds } from '../../app/chat/with-ends.ts'
import { conversationRef } from '../../domain/chat/conversation.ts'
import { message, messageId } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { question } from '../../domain/chat/question.ts'
import { invalid } from '../../domain/errors.ts'
import { pageLimit } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

/** The part of an id that sorts by time, whatever its prefix. */
const momentOf = (id: string): string => id.slice(id.indexOf('_') + 1)

export const listMessages = operation({
  id: 'listMessages',
  summary: 'List the messages of a conversation, oldest first',
  description:
    'Returns the newest page, with `before` the page before that message, or with `after` the page after it. `more` ' +
    'says whether there are more messages in that direction. A page with long messages has fewer than `limit`. The ' +
    'newest page also contains the open questions.',
  http: { method: 'GET', path: '/chat/messages' },
  auth: 'user',
  scope: 'api:chat',
  viewed: 'messages',
  input: z.strictObject({
    conversation: conversationRef
      .default(mainConversation)
      .meta({ description: '`main`, or the id of another conversation.' }),
    before: messageId.optional().meta({ description: 'Only messages before this one.' }),
    after: messageId.optional().meta({ description: 'Only messages after this one.' }),
    limit: pageLimit,
  }),
  output: z.object({
    messages: z.array(message),
    more: z.boolean(),
    questions: z.array(question).optional().meta({ description: 'On the newest page: the agent’s open questions.' }),
    asked: z.array(question).meta({
      description: 'The agent’s questions of the time of this page that were answered or have expired, oldest first.',
    }),
  }),
  errors: ['not-found'],
  uses: { conversations: 'read', questions: 'read' },
  run: async ({ input, actor, deps, now }) => {
    const { conversation, before, after = null, limit } = input
    if (before && after) throw invalid('before', 'send it or `after`, not both.')
    await requireConversation(deps, actor.userId, conversation)
    const { items, next } = await deps.conversations.messages(actor.userId, { conversation, after, before, limit })
    const first = after ?? items[0]?.id
    const last = after && next ? items.at(-1)?.id : before
    const to = last ? momentOf(last) : '~'
    const [open, between, messages] = await Promise.all([
      before || after ? null : deps.questions.list(actor.userId, now),
      first ? deps.questions.between(actor.userId, { conversation, from: momentOf(first), to }, now) : [],
      withEnds(deps.conversations, actor.userId, items),
    ])
    const asked = between.filter(({ state }) => state !== 'open')
    const questions = open?.filter(({ state }) => state === 'open')
    return { messages, more: next !== null, asked, ...(questions && { questions }) }
  },
})
