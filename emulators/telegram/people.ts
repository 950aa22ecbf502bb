/** People's actions in the app, and the bot's updates about them. */
import { randomInt } from 'node:crypto'
import type { InlineKeyboardButton } from '@grammyjs/types'
import { bad } from './errors.ts'
import { detected } from './text.ts'
import type { News, Webhook } from './webhook.ts'
import { nowSeconds, type Standing, type StoredChat, type StoredMessage, type World } from './world.ts'

export interface People {
  say(
    chatId: number,
    personId: number,
    said: {
      text?: string
      replyTo?: number
      /** The topic of a forum, if not its general one. */
      thread?: number
      file?: { name: string; type: string; content: Uint8Array }
      /** The album that the file is part of, by a name that all of its messages have. */
      album?: string
    },
  ): StoredMessage
  /** Makes a topic, and of its group a forum; answers the topic's id. */
  openTopic(chatId: number, personId: number, name: string): number
  closeTopic(chatId: number, topicId: number): void
  /** Takes a topic away, with all that was said in it. */
  deleteTopic(chatId: number, topicId: number): void
  /** Makes a supergroup of a group, in which nobody can write from then on; answers the supergroup's id. */
  upgrade(chatId: number, personId: number): number
  edit(chatId: number, messageId: number, text: string): void
  /** Presses a button below a message. Resolves with what the bot answers the press. */
  press(chatId: number, personId: number, messageId: number, data: string): Promise<string | undefined>
  /** Ends a draft that may be ended. */
  stop(chatId: number): void
  /** In a private chat `kicked` blocks the bot and `member` unblocks it; in a group they throw it out and add it. */
  setBot(chatId: number, personId: number, standing: Standing): void
  /** Takes away a message of anybody; the bot hears nothing of it. */
  remove(chatId: number, messageId: number): void
}

export function createPeople(options: {
  world: World
  webhook: Webhook
  queries: Map<string, (text: string | undefined) => void>
}): People {
  const { world, webhook, queries } = options

  /** The updates a bot gets: all messages in private; in a group too, as an administrator of it. */
  function tell(chat: StoredChat, kind: 'message' | 'edited_message', message: StoredMessage): void {
    if (!isHeard(chat)) return
    // safe because a stored message of a person is what these updates carry
    webhook.emit(chat.id, { [kind]: world.shown(chat, message) } as News)
  }
  const isHeard = (chat: StoredChat) => !['left', 'kicked', undefined].includes(chat.standing[world.bot.id])

  return {
    say(chatId, personId, { text, replyTo, thread, file, album }) {
      const chat = memberOf(chatId, personId)
      // A person who writes to a bot allows it to write to them.
      if (chat.type === 'private') chat.standing[world.bot.id] ??= 'member'
      const stored = file && world.keepFile(file.name, file.type, file.content)
      const words = text === undefined ? {} : stored ? { caption: text } : { text, entities: detected(text) }
      const message = world.add(chat, personId, {
        ...words,
        ...(stored && { document: stored }),
        ...(stored && album !== undefined && { album }),
        ...(replyTo !== undefined && { replyTo }),
        ...world.topicOf(chat, { ...(thread !== undefined && { thread }), ...(replyTo !== undefined && { replyTo }) }),
      })
      tell(chat, 'message', message)
      return message
    },
    openTopic(chatId, personId, topic) {
      const chat = memberOf(chatId, personId)
      // 1 is the general topic.
      chat.nextMessageId = Math.max(2, chat.nextMessageId)
      const message = world.add(chat, personId, { topic })
      chat.topics = { ...chat.topics, [message.id]: { closed: false } }
      world.changed()
      tell(chat, 'message', message)
      return message.id
    },
    closeTopic(chatId, topicId) {
      const topic = world.chat(chatId).topics?.[topicId]
      if (!topic) throw bad('TOPIC_ID_INVALID')
      topic.closed = true
      world.changed()
    },
    deleteTopic(chatId, topicId) {
      const chat = world.chat(chatId)
      delete chat.topics?.[topicId]
      chat.messages = chat.messages.filter(({ thread }) => thread !== topicId)
      world.changed()
    },
    upgrade(chatId, personId) {
      const group = memberOf(chatId, personId)
      if (group.type !== 'group') throw bad('it is no group')
      const supergroup = world.upgrade(group)
      tell(group, 'message', world.add(group, personId, { migratedTo: supergroup.id }))
      tell(supergroup, 'message', world.add(supergroup, personId, { migratedFrom: group.id }))
      return supergroup.id
    },
    edit(chatId, messageId, text) {
      const chat = world.chat(chatId)
      const message = world.message(chat, messageId)
      if (!message) throw bad('message not found')
      Object.assign(message, { text, entities: detected(text), editedAt: nowSeconds() })
      world.changed()
      tell(chat, 'edited_message', message)
    },
    press(chatId, personId, messageId, data) {
      const chat = memberOf(chatId, personId)
      const message = world.message(chat, messageId)
      const keys: InlineKeyboardButton[] = message?.buttons?.inline_keyboard.flat() ?? []
      if (!message || !keys.some((key) => 'callback_data' in key && key.callback_data === data))
        throw bad('no such button')
      const id = String(randomInt(2 ** 47))
      const answer = new Promise<string | undefined>((resolve) => queries.set(id, resolve))
      webhook.emit(chat.id, {
        callback_query: {
          id,
          from: world.person(personId),
          message: world.shown(chat, message),
          chat_instance: String(chat.id),
          data,
        },
      })
      return answer
    },
    stop(chatId) {
      const chat = world.chat(chatId)
      const { draft } = world.passing(chat)
      if (!draft?.canStop) throw bad('there is nothing to stop')
      delete world.passing(chat).draft
      world.changed()
      // safe because drafts are in private chats alone
      webhook.emit(chat.id, {
        stopped_message_generation: { chat: world.shownChat(chat) as never, draft_id: draft.id },
      })
    },
    setBot(chatId, personId, standing) {
      const chat = memberOf(chatId, personId)
      const before = chat.standing[world.bot.id] ?? 'left'
      chat.standing[world.bot.id] = standing
      world.changed()
      const member = (status: Standing) => ({ user: world.bot, status }) as never // safe because only the status is told
      webhook.emit(chat.id, {
        my_chat_member: {
          chat: world.shownChat(chat),
          from: world.person(personId),
          date: nowSeconds(),
          old_chat_member: member(before),
          new_chat_member: member(standing),
        },
      })
    },
    remove(chatId, messageId) {
      const chat = world.chat(chatId)
      chat.messages = chat.messages.filter(({ id }) => id !== messageId)
      world.changed()
    },
  }

  function memberOf(chatId: number, personId: number): StoredChat {
    const chat = world.chat(chatId)
    if (chat.upgradedTo !== undefined) throw bad('the group is a supergroup by now')
    if (!['creator', 'administrator', 'member'].includes(chat.standing[personId] ?? '')) throw bad('not a member')
    return chat
  }
}
