/** The state: people, chats, messages and files. */
import type { Chat, ChatMember, InlineKeyboardMarkup, Message, MessageEntity, User } from '@grammyjs/types'
import { ApiFailure, bad, forbidden } from './errors.ts'

/** A status of `ChatMember`; `kicked` is what Telegram calls being blocked in a private chat. */
export type Standing = 'creator' | 'administrator' | 'member' | 'left' | 'kicked'

/** The content of a message; the rest follows from its chat and its sender. */
export interface Said {
  text?: string
  entities?: MessageEntity[]
  caption?: string
  document?: StoredFile
  /** Messages of one album have the same name of it. */
  album?: string
  buttons?: InlineKeyboardMarkup
}

export interface StoredMessage extends Said {
  id: number
  /** The bot's id, or a person's. */
  from: number
  /** Seconds since the epoch. */
  date: number
  editedAt?: number
  replyTo?: number
  /** The topic of a forum that it is in; absent in its general one. */
  thread?: number
  /** It began the topic of this name, which has its id. */
  topic?: string
  /** A service message: the group became this supergroup, or this supergroup was that group. */
  migratedTo?: number
  migratedFrom?: number
}

interface StoredFile {
  file_id: string
  file_unique_id: string
  file_name: string
  mime_type: string
  file_size: number
  path: string
}

export interface StoredChat {
  id: number
  type: 'private' | 'group' | 'supergroup'
  title?: string
  /** All present and former members, including the bot, by id. */
  standing: Record<string, Standing>
  messages: StoredMessage[]
  nextMessageId: number
  /** A supergroup with topics is a forum: its topics besides the general one, by their ids. */
  topics?: Record<string, { closed: boolean }>
  /** The supergroup that a group became; it is no more since. */
  upgradedTo?: number
}

/** State that lasts for seconds, and so is never stored. `until` is milliseconds since the epoch. */
interface Passing {
  draft?: { id: number; text: string; canStop: boolean; until: number }
  typingUntil?: number
}

/** State that survives a restart, except the bytes of files. */
export interface WorldState {
  people: User[]
  chats: StoredChat[]
}

/** Messages of a chat that are remembered. */
const MOST_MESSAGES = 500

export class World {
  readonly bot: User
  readonly state: WorldState
  readonly #files = new Map<string, { file: StoredFile; content: Uint8Array }>()
  readonly #passing = new Map<number, Passing>()
  readonly #onChange: () => void

  constructor(bot: User, state: WorldState, onChange: () => void) {
    this.bot = bot
    this.state = state
    this.#onChange = onChange
  }

  changed(): void {
    this.#onChange()
  }

  /** A new person, with a private chat in which nothing was said yet. */
  addPerson(name: string): User {
    const id = Math.max(1000, ...this.state.people.map((person) => person.id)) + 1
    const person: User = { id, is_bot: false, first_name: name, username: name.toLowerCase().replaceAll(/\W/g, '') }
    this.state.people.push(person)
    // Until the person writes, the bot is nowhere.
    this.state.chats.push({ id, type: 'private', standing: { [id]: 'member' }, messages: [], nextMessageId: 1 })
    this.changed()
    return person
  }

  addGroup(
    title: string,
    owner: number,
    members: readonly number[] = [],
    type: 'group' | 'supergroup' = 'supergroup',
  ): StoredChat {
    const standing: StoredChat['standing'] = { [owner]: 'creator' }
    for (const member of members) standing[member] = 'member'
    return this.#addChat({ type, title, standing })
  }

  /** Makes a supergroup of a group: one of the same name and people, in which nothing was said yet. */
  upgrade(group: StoredChat): StoredChat {
    const { title = '', standing } = group
    const supergroup = this.#addChat({ type: 'supergroup', title, standing: { ...standing } })
    group.upgradedTo = supergroup.id
    this.changed()
    return supergroup
  }

  #addChat(made: Pick<StoredChat, 'title' | 'standing'> & { type: 'group' | 'supergroup' }): StoredChat {
    // Ids of supergroups begin where those of groups end.
    const first = made.type === 'group' ? -1000 : -1_000_000_000_000
    const ids = this.state.chats.filter(({ type }) => type === made.type).map(({ id }) => id)
    const chat: StoredChat = { id: Math.min(first, ...ids) - 1, ...made, messages: [], nextMessageId: 1 }
    this.state.chats.push(chat)
    this.changed()
    return chat
  }

  person(id: number): User {
    const found = id === this.bot.id ? this.bot : this.state.people.find((person) => person.id === id)
    if (!found) throw bad('user not found')
    return found
  }

  chat(id: number | string): StoredChat {
    const found = this.state.chats.find((chat) => String(chat.id) === String(id))
    if (!found) throw bad('chat not found')
    return found
  }

  /** The chat, if the bot may speak there. */
  open(id: number | string): StoredChat {
    const chat = this.chat(id)
    const { upgradedTo } = chat
    if (upgradedTo !== undefined)
      throw new ApiFailure(400, 'group chat was upgraded to a supergroup chat', { migrate_to_chat_id: upgradedTo })
    const standing = chat.standing[this.bot.id]
    if (chat.type === 'private') {
      if (standing === undefined) throw forbidden("bot can't initiate conversation with a user")
      if (standing === 'kicked') throw forbidden('bot was blocked by the user')
    } else if (standing === 'kicked') throw forbidden(`bot was kicked from the ${chat.type} chat`)
    else if (standing === undefined || standing === 'left')
      throw forbidden(`bot is not a member of the ${chat.type} chat`)
    return chat
  }

  message(chat: StoredChat, id: number): StoredMessage | undefined {
    return chat.messages.find((message) => message.id === id)
  }

  /** The topic that a new message goes to. @throws ApiFailure for one that is none, or is closed */
  topicOf(chat: StoredChat, { thread, replyTo }: Pick<StoredMessage, 'thread' | 'replyTo'>): { thread?: number } {
    // An answer goes to where that is which it answers.
    const meant = thread ?? (replyTo === undefined ? undefined : this.message(chat, replyTo)?.thread)
    if (meant === undefined) return {}
    const topic = chat.topics?.[meant]
    if (!topic) throw bad('message thread not found')
    if (topic.closed) throw bad('TOPIC_CLOSED')
    return { thread: meant }
  }

  add(
    chat: StoredChat,
    from: number,
    said: Said & Pick<StoredMessage, 'replyTo' | 'thread' | 'topic' | 'migratedTo' | 'migratedFrom'>,
  ): StoredMessage {
    const id = chat.nextMessageId
    const message = { id, from, date: nowSeconds(), ...said, ...(said.topic !== undefined && { thread: id }) }
    chat.nextMessageId += 1
    chat.messages.push(message)
    if (chat.messages.length > MOST_MESSAGES) chat.messages.shift()
    // A message of the bot takes its draft's place.
    if (from === this.bot.id) this.#passing.delete(chat.id)
    this.changed()
    return message
  }

  passing(chat: StoredChat): Passing {
    const found = this.#passing.get(chat.id) ?? {}
    this.#passing.set(chat.id, found)
    if (found.draft && found.draft.until < Date.now()) delete found.draft
    return found
  }

  keepFile(name: string, type: string, content: Uint8Array): StoredFile {
    // No name that a message of an earlier run may still have.
    const count = `${Date.now().toString(36)}${this.#files.size + 1}`
    const extension = /\.\w{1,8}$/.exec(name)?.[0] ?? ''
    const file: StoredFile = {
      file_id: `BQACAgIAAx${Buffer.from(`${count} ${name}`).toString('base64url').slice(0, 60)}`,
      file_unique_id: `AgAD${count}`,
      file_name: name,
      mime_type: type,
      file_size: content.length,
      path: `documents/file_${count}${extension}`,
    }
    this.#files.set(file.file_id, { file, content })
    return file
  }

  file(by: { id: string } | { path: string }) {
    return 'id' in by ? this.#files.get(by.id) : [...this.#files.values()].find(({ file }) => file.path === by.path)
  }

  // As the Bot API shows them.

  shownChat(chat: StoredChat): Exclude<Chat, Chat.ChannelChat> {
    const { id, title = '' } = chat
    if (chat.type === 'group') return { id, type: 'group', title }
    if (chat.type === 'supergroup') return { id, type: 'supergroup', title, ...(chat.topics && { is_forum: true }) }
    const { first_name, username } = this.person(id)
    return { id, type: 'private', first_name, ...(username && { username }) }
  }

  shown(chat: StoredChat, stored: StoredMessage, depth = 0): Message & { from: User } {
    const { id, from, date, editedAt, replyTo, text, entities, caption, document, buttons, topic } = stored
    const { album, migratedTo, migratedFrom } = stored
    const answered = replyTo === undefined || depth > 0 ? undefined : this.message(chat, replyTo)
    const message = {
      message_id: id,
      from: this.person(from),
      chat: this.shownChat(chat),
      date,
      ...this.#threadOf(chat, stored),
      ...(migratedTo !== undefined && { migrate_to_chat_id: migratedTo }),
      ...(migratedFrom !== undefined && {
        migrate_from_chat_id: migratedFrom,
        from: anonymous,
        sender_chat: this.shownChat(chat),
      }),
      ...(topic !== undefined && { forum_topic_created: { name: topic, icon_color: 7_322_096 } }),
      ...(editedAt !== undefined && { edit_date: editedAt }),
      ...(answered && { reply_to_message: this.shown(chat, answered, depth + 1) }),
      ...(text !== undefined && { text }),
      ...(entities?.length && { entities }),
      ...(caption !== undefined && { caption }),
      ...(document && { document: withoutPath(document) }),
      ...(album !== undefined && { media_group_id: album }),
      ...(buttons && { reply_markup: buttons }),
    }
    // safe because the fields are those of the typings, which tell kinds of messages apart that are made in one way
    // here
    return message as unknown as Message & { from: User }
  }

  /** A topic of a forum; without topics the message that began the chain of answers, which no method takes back. */
  #threadOf(chat: StoredChat, { thread, replyTo }: StoredMessage): object {
    if (thread !== undefined) return { message_thread_id: thread, is_topic_message: true }
    if (chat.type === 'private' || replyTo === undefined) return {}
    let root = replyTo
    for (let before = this.message(chat, root); before?.replyTo !== undefined; before = this.message(chat, root))
      root = before.replyTo
    return { message_thread_id: root }
  }

  shownMember(chat: StoredChat, id: number): ChatMember {
    const status = chat.standing[id]
    if (status === undefined) throw bad('PARTICIPANT_ID_INVALID')
    // safe because nobody here reads the rights that an administrator has
    return { user: this.person(id), status } as ChatMember
  }
}

/** Telegram's own bot, which says in a supergroup what is said in the supergroup's name. */
const anonymous: User = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' }

/** Seconds since the epoch, as Telegram counts. */
export const nowSeconds = () => Math.floor(Date.now() / 1000)

const withoutPath = ({ path: _, ...file }: StoredFile) => file
