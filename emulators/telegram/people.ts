/** People's actions in the app, and the bot's updates about them. */
import { randomInt } from 'node:crypto'
import type { InlineKeyboardButton } from '@grammyjs/types'
import type { MethodContext } from './api/methods.ts'
import { bad } from './errors.ts'
import { detected } from './text.ts'
import type { News, Webhook } from './webhook.ts'
import { nowSeconds, type Standing, type StoredChat, type StoredMessage, type World } from './world.ts'

interface Words {
  text?: string
  replyTo?: number
  /** The topic of a forum, if not its general one. */
  thread?: number
  file?: { name: string; type: string; content: Uint8Array }
  /** The album that the file is part of, by a name that all of its messages have. */
  album?: string
}

export class People {
  readonly #world: World
  readonly #webhook: Webhook
  readonly #queries: Map<string, (text: string | undefined) => void>

  constructor({ world, webhook, queries }: Pick<MethodContext, 'world' | 'webhook' | 'queries'>) {
    this.#world = world
    this.#webhook = webhook
    this.#queries = queries
  }

  say(chatId: number, personId: number, { text, replyTo, thread, file, album }: Words): StoredMessage {
    const chat = this.#memberOf(chatId, personId)
    // A person who writes to a bot allows it to write to them.
    if (chat.type === 'private') chat.standing[this.#world.bot.id] ??= 'member'
    const stored = file && this.#world.keepFile(file.name, file.type, file.content)
    const words = text === undefined ? {} : stored ? { caption: text } : { text, entities: detected(text) }
    const message = this.#world.add(chat, personId, {
      ...words,
      ...(stored && { document: stored }),
      ...(stored && album !== undefined && { album }),
      ...(replyTo !== undefined && { replyTo }),
      ...this.#world.topicOf(chat, {
        ...(thread !== undefined && { thread }),
        ...(replyTo !== undefined && { replyTo }),
      }),
    })
    this.#tell(chat, 'message', message)
    return message
  }

  /** Makes a topic, and of its group a forum; answers the topic's id. */
  openTopic(chatId: number, personId: number, topic: string): number {
    const chat = this.#memberOf(chatId, personId)
    // 1 is the general topic.
    chat.nextMessageId = Math.max(2, chat.nextMessageId)
    const message = this.#world.add(chat, personId, { topic })
    chat.topics = { ...chat.topics, [message.id]: { closed: false } }
    this.#world.changed()
    this.#tell(chat, 'message', message)
    return message.id
  }

  closeTopic(chatId: number, topicId: number): void {
    const topic = this.#world.chat(chatId).topics?.[topicId]
    if (!topic) throw bad('TOPIC_ID_INVALID')
    topic.closed = true
    this.#world.changed()
  }

  /** Takes a topic away, with all that was said in it. */
  deleteTopic(chatId: number, topicId: number): void {
    const chat = this.#world.chat(chatId)
    delete chat.topics?.[topicId]
    chat.messages = chat.messages.filter(({ thread }) => thread !== topicId)
    this.#world.changed()
  }

  /** Makes a supergroup of a group, in which nobody can write from then on; answers the supergroup's id. */
  upgrade(chatId: number, personId: number): number {
    const group = this.#memberOf(chatId, personId)
    if (group.type !== 'group') throw bad('it is no group')
    const supergroup = this.#world.upgrade(group)
    this.#tell(group, 'message', this.#world.add(group, personId, { migratedTo: supergroup.id }))
    this.#tell(supergroup, 'message', this.#world.add(supergroup, personId, { migratedFrom: group.id }))
    return supergroup.id
  }

  edit(chatId: number, messageId: number, text: string): void {
    const chat = this.#world.chat(chatId)
    const message = this.#world.message(chat, messageId)
    if (!message) throw bad('message not found')
    Object.assign(message, { text, entities: detected(text), editedAt: nowSeconds() })
    this.#world.changed()
    this.#tell(chat, 'edited_message', message)
  }

  /** Presses a button below a message. Resolves with what the bot answers the press. */
  press(chatId: number, personId: number, messageId: number, data: string): Promise<string | undefined> {
    const chat = this.#memberOf(chatId, personId)
    const message = this.#world.message(chat, messageId)
    const keys: InlineKeyboardButton[] = message?.buttons?.inline_keyboard.flat() ?? []
    if (!message || !keys.some((key) => 'callback_data' in key && key.callback_data === data))
      throw bad('no such button')
    const id = String(randomInt(2 ** 47))
    const answer = new Promise<string | undefined>((resolve) => this.#queries.set(id, resolve))
    this.#webhook.emit(chat.id, {
      callback_query: {
        id,
        from: this.#world.person(personId),
        message: this.#world.shown(chat, message),
        chat_instance: String(chat.id),
        data,
      },
    })
    return answer
  }

  /** Ends a draft that may be ended. */
  stop(chatId: number): void {
    const chat = this.#world.chat(chatId)
    const { draft } = this.#world.passing(chat)
    if (!draft?.canStop) throw bad('there is nothing to stop')
    delete this.#world.passing(chat).draft
    this.#world.changed()
    // safe because drafts are in private chats alone
    this.#webhook.emit(chat.id, {
      stopped_message_generation: { chat: this.#world.shownChat(chat) as never, draft_id: draft.id },
    })
  }

  /** In a private chat `kicked` blocks the bot and `member` unblocks it; in a group they throw it out and add it. */
  setBot(chatId: number, personId: number, standing: Standing): void {
    const chat = this.#memberOf(chatId, personId)
    const before = chat.standing[this.#world.bot.id] ?? 'left'
    chat.standing[this.#world.bot.id] = standing
    this.#world.changed()
    // safe because only the status is told
    const member = (status: Standing) => ({ user: this.#world.bot, status }) as never
    this.#webhook.emit(chat.id, {
      my_chat_member: {
        chat: this.#world.shownChat(chat),
        from: this.#world.person(personId),
        date: nowSeconds(),
        old_chat_member: member(before),
        new_chat_member: member(standing),
      },
    })
  }

  /** Takes away a message of anybody; the bot hears nothing of it. */
  remove(chatId: number, messageId: number): void {
    const chat = this.#world.chat(chatId)
    chat.messages = chat.messages.filter(({ id }) => id !== messageId)
    this.#world.changed()
  }

  #memberOf(chatId: number, personId: number): StoredChat {
    const chat = this.#world.chat(chatId)
    if (chat.upgradedTo !== undefined) throw bad('the group is a supergroup by now')
    if (!['creator', 'administrator', 'member'].includes(chat.standing[personId] ?? '')) throw bad('not a member')
    return chat
  }

  /** The updates a bot gets: all messages in private; in a group too, as an administrator of it. */
  #tell(chat: StoredChat, kind: 'message' | 'edited_message', message: StoredMessage): void {
    if (['left', 'kicked', undefined].includes(chat.standing[this.#world.bot.id])) return
    // safe because a stored message of a person is what these updates carry
    this.#webhook.emit(chat.id, { [kind]: this.#world.shown(chat, message) } as News)
  }
}
