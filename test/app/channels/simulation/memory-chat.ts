/** Conversations and questions in memory, as far as channels and agents use them. */
import type { Conversations, Questions } from '../../../../app/ports/chat.ts'
import type { Conversation } from '../../../../domain/chat/conversation.ts'
import { leaseMs, type Message, type Outcome, type Prompt, promptOf } from '../../../../domain/chat/message.ts'
import { mainConversation, promptIdOf } from '../../../../domain/chat/names.ts'
import { type Question, questionAt } from '../../../../domain/chat/question.ts'
import { conflict, notFound } from '../../../../domain/errors.ts'
import { iso } from '../../../../domain/time.ts'
import { always, transact } from './memory-part.ts'

interface Leased {
  prompt: Prompt
  leaseUntil: number
  replyId?: string
}

/** The tables of conversations. */
export class ChatTables {
  readonly conversations = new Set<string>()
  readonly messages = new Map<string, Message>()
  readonly prompts = new Map<string, Leased>()
  readonly ends = new Map<string, { outcome: Outcome; replyId?: string }>()
  readonly said = new Map<string, string>()
  readonly questions = new Map<string, Question>()

  start(userId: string, { id }: Conversation): void {
    this.conversations.add(`${userId} ${id}`)
  }
}

type ChatConversations = Pick<
  Conversations,
  'receive' | 'next' | 'openPrompt' | 'renewLease' | 'stop' | 'reply' | 'say' | 'close' | 'outcomeOf' | 'openSince'
>

export function memoryConversations(tables: ChatTables): ChatConversations {
  const { prompts, ends, messages, said } = tables
  const nameOf = (userId: string, id: string) => `${userId} ${id}`
  const end = (key: string, outcome: Outcome) => {
    const replyId = prompts.get(key)?.replyId
    prompts.delete(key)
    ends.set(key, { outcome, ...(replyId && { replyId }) })
  }
  const requireConversation = (userId: string, id: string) => {
    if (id !== mainConversation && !tables.conversations.has(nameOf(userId, id))) throw notFound('conversation')
  }
  const ofUser = (userId: string) => [...prompts].filter(([key]) => key.startsWith(`${userId} `))
  return {
    async receive(userId, message, trigger, attachments, _trace, _limits, ...also) {
      if (messages.has(message.id)) return false
      requireConversation(userId, message.conversation)
      const prompt = { ...promptOf(message, trigger, attachments), attempt: 0, leaseExpiresAt: iso(0) }
      transact(
        always(() => {
          messages.set(message.id, message)
          prompts.set(nameOf(userId, prompt.id), { prompt, leaseUntil: 0 })
        }),
        also,
      )
      return true
    },
    async next(userId, _generation, nowMs) {
      const busy = new Set<string>()
      for (const [key, { prompt, leaseUntil, ...held }] of ofUser(userId).sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (busy.has(prompt.conversation)) continue
        if (leaseUntil <= nowMs) {
          const leased = { ...prompt, attempt: prompt.attempt + 1, leaseExpiresAt: iso(nowMs + leaseMs) }
          prompts.set(key, { ...held, prompt: leased, leaseUntil: nowMs + leaseMs })
          return { prompt: leased, task: null }
        }
        busy.add(prompt.conversation)
      }
      return { prompt: null, task: null }
    },
    openSince: async (userId) => ofUser(userId).length > 0,
    async openPrompt(userId, promptId) {
      const held = prompts.get(nameOf(userId, promptId))
      return held && held.prompt.attempt > 0 ? held.prompt : null
    },
    async renewLease(userId, promptId, _generation, nowMs) {
      const held = prompts.get(nameOf(userId, promptId))
      if (!held || held.prompt.attempt === 0) return null
      held.leaseUntil = nowMs + leaseMs
      return { ...held.prompt, activities: 0 }
    },
    async stop(userId, messageId, nowMs) {
      const promptId = promptIdOf(messageId)
      const key = nameOf(userId, promptId)
      const held = prompts.get(key)
      if (!held) return null
      if (held.leaseUntil <= nowMs) {
        end(key, 'stopped')
        return { state: 'closed', promptId }
      }
      held.prompt = { ...held.prompt, stoppedAt: iso(nowMs) }
      return { state: 'stopping', promptId }
    },
    async reply(userId, promptId, message, ...also) {
      const key = nameOf(userId, promptId)
      const held = prompts.get(key)
      const known = held ?? ends.get(key)
      if (!known) throw notFound('prompt')
      const first = known.replyId && messages.get(known.replyId)
      if (first) return first
      if (!held) throw conflict('This prompt is closed. Take the next one.')
      transact(
        always(() => {
          held.replyId = message.id
          messages.set(message.id, message)
        }),
        also,
      )
      return message
    },
    async say(userId, key, message, starts, _nowMs, ...also) {
      const first = messages.get(said.get(nameOf(userId, key)) ?? '')
      if (first) return first
      if (!starts) requireConversation(userId, message.conversation)
      transact(
        always(() => {
          said.set(nameOf(userId, key), message.id)
          messages.set(message.id, message)
          if (starts) tables.start(userId, starts)
        }),
        also,
      )
      return message
    },
    async close(userId, promptId, outcome) {
      const key = nameOf(userId, promptId)
      if (prompts.has(key)) end(key, outcome)
      else if (ends.has(key)) return false
      else throw notFound('prompt')
      return true
    },
    outcomeOf: async (userId, promptId) => ends.get(nameOf(userId, promptId))?.outcome ?? null,
  }
}

export function memoryQuestions(tables: ChatTables): Questions {
  const { questions, said } = tables
  const nameOf = (userId: string, id: string) => `${userId} ${id}`
  const find: Questions['find'] = async (userId, id, nowMs) => {
    const found = questions.get(nameOf(userId, id))
    return found ? questionAt(found, nowMs) : null
  }
  return {
    find,
    async ask(userId, key, question, nowMs, ...also) {
      const first = said.get(nameOf(userId, `question ${key}`))
      if (first) {
        const stands = await find(userId, first, nowMs)
        if (stands) return stands
      }
      transact(
        always(() => {
          said.set(nameOf(userId, `question ${key}`), question.id)
          questions.set(nameOf(userId, question.id), question)
        }),
        also,
      )
      return question
    },
    list: async (userId, nowMs) =>
      [...questions].flatMap(([key, question]) => (key.startsWith(`${userId} `) ? [questionAt(question, nowMs)] : [])),
    async between(userId, { conversation }, nowMs) {
      const asked = await this.list(userId, nowMs)
      return asked.filter((each) => (each.conversation ?? 'main') === conversation)
    },
    async answer(userId, id, given, nowMs, ...also) {
      const found = await find(userId, id, nowMs)
      if (found?.state !== 'open') return found
      const answered: Question = { ...found, state: 'answered', given, answeredAt: iso(nowMs) }
      transact(
        always(() => void questions.set(nameOf(userId, id), answered)),
        also,
      )
      return answered
    },
  }
}
