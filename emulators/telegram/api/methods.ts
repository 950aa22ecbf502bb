/** The methods of the Bot API, as documented at version 10; those that are not here answer 404, as unknown ones do. */
import type { ApiMethods } from '@grammyjs/types'
import * as z from 'zod'
import { bad } from '../errors.ts'
import type { FloodControl } from '../limits.ts'
import { checkText, entities } from '../text.ts'
import type { Webhook } from '../webhook.ts'
import { nowSeconds, type Said, type World } from '../world.ts'

export interface MethodContext {
  world: World
  webhook: Webhook
  limits: FloodControl
  /** Presses of buttons that no method has answered yet: the query's id → who hears the answer. */
  queries: Map<string, (text: string | undefined) => void>
  /** The lists of commands by their scope and language. */
  commandLists: Map<string, { command: string; description: string }[]>
}

/** Milliseconds that what is not a message is shown. */
const TYPING_MS = 5_000
const DRAFT_MS = 30_000
const MOST_DOWNLOADED = 20 * 1024 * 1024
/** Bytes of what a button sends back, characters of a caption. */
const MOST_DATA = 64
const MOST_CAPTION = 1024
const MOST_UPLOADED = 50 * 1024 * 1024

/** In a form, an object is written as JSON. */
const object = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' ? parsed(value) : value), schema)
const id = z.union([z.int(), z.string().min(1)]).transform(String)
const count = z.coerce.number().int()
const flag = z.union([z.boolean(), z.stringbool()])

const keyboard = object(
  z.object({
    inline_keyboard: z.array(
      z.array(
        z.looseObject({
          text: z.string().optional(),
          callback_data: z.string().optional(),
          url: z.string().optional(),
        }),
      ),
    ),
  }),
).optional()
const where = z.object({
  chat_id: id,
  message_thread_id: count.optional(),
  reply_parameters: object(
    z.object({ message_id: count, allow_sending_without_reply: flag.default(false) }),
  ).optional(),
  reply_markup: keyboard,
})
const said = z.object({ text: z.string(), entities: object(entities).optional(), parse_mode: z.string().optional() })
const scoped = z.object({
  scope: object(z.looseObject({ type: z.string() })).default({ type: 'default' }),
  language_code: z.string().default(''),
})
const commands = scoped.extend({
  commands: object(z.array(z.object({ command: z.string(), description: z.string() }))),
})

/** As a Bot API server that runs with `--local`: a program on this machine has no certificate. */
const mayGetUpdates = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))

export type Method = (context: MethodContext, input: unknown) => unknown

/** Each by its name; all throw an ApiFailure for what Telegram refuses. */
export const methods = {
  getMe: ({ world: { bot } }) => ({
    ...bot,
    is_bot: true,
    username: bot.username ?? '',
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_guest_queries: false,
    supports_join_request_queries: false,
  }),

  setWebhook({ webhook }, input) {
    const { url, secret_token, allowed_updates, drop_pending_updates } = read(
      z.object({
        url: z.string(),
        secret_token: z.string().optional(),
        allowed_updates: object(z.array(z.string())).optional(),
        drop_pending_updates: flag.optional(),
      }),
      input,
    )
    if (url && !URL.canParse(url)) throw bad('bad webhook: invalid URL')
    if (url && !mayGetUpdates(new URL(url))) throw bad('bad webhook: An HTTPS URL must be provided for webhook')
    if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(secret_token))
      throw bad('secret token contains unallowed characters')
    const allowedUpdates = allowed_updates ?? webhook.settings.allowedUpdates
    webhook.settings = { url, secretToken: secret_token, allowedUpdates }
    if (drop_pending_updates) webhook.forget()
    return true
  },
  deleteWebhook({ webhook }, input) {
    webhook.settings = { url: '', secretToken: undefined, allowedUpdates: undefined }
    if (read(z.object({ drop_pending_updates: flag.optional() }), input).drop_pending_updates) webhook.forget()
    return true
  },
  getWebhookInfo: ({ webhook }) => webhook.info(),

  setMyCommands({ commandLists }, input) {
    const { commands: list, ...scope } = read(commands, input)
    if (list.length > 100) throw bad('BOT_COMMANDS_TOO_MUCH')
    if (list.some(({ command }) => !/^[a-z0-9_]{1,32}$/.test(command))) throw bad('BOT_COMMAND_INVALID')
    if (list.some(({ description: { length } }) => length < 1 || length > 256))
      throw bad('BOT_COMMAND_DESCRIPTION_INVALID')
    commandLists.set(JSON.stringify(scope), list)
    return true
  },
  getMyCommands: ({ commandLists }, input) => commandLists.get(JSON.stringify(read(scoped, input))) ?? [],
  deleteMyCommands({ commandLists }, input) {
    commandLists.delete(JSON.stringify(read(scoped, input)))
    return true
  },

  sendMessage({ world, limits }, input) {
    const { chat, more } = placed(world, input)
    const text = textOf(input)
    limits.count(chat)
    return world.shown(chat, world.add(chat, world.bot.id, { ...text, ...more }))
  },
  sendMessageDraft({ world }, input) {
    const { draft_id, can_stop } = read(z.object({ draft_id: count, can_stop: flag.default(false) }), input)
    const { chat } = placed(world, input)
    if (chat.type !== 'private') throw bad('TEXTDRAFT_PEER_INVALID')
    if (draft_id === 0) throw bad('RANDOM_ID_INVALID')
    const { text } = textOf({ text: '', ...Object(input) }, true)
    world.passing(chat).draft = { id: draft_id, text, canStop: can_stop, until: Date.now() + DRAFT_MS }
    world.changed()
    return true
  },
  editMessageText({ world, limits }, input) {
    const { chat_id, message_id, reply_markup } = read(
      z.object({ chat_id: id, message_id: count, reply_markup: keyboard }),
      input,
    )
    const chat = world.open(chat_id)
    const message = world.message(chat, message_id)
    if (!message) throw bad('message to edit not found')
    if (message.from !== world.bot.id || message.text === undefined) throw bad("message can't be edited")
    const changed = { ...textOf(input), ...buttonsOf(reply_markup) }
    limits.count(chat)
    if (look(message) === look(changed))
      throw bad(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      )
    delete message.buttons
    Object.assign(message, changed, { editedAt: nowSeconds() })
    world.changed()
    return world.shown(chat, message)
  },
  deleteMessage({ world }, input) {
    const { chat_id, message_id } = read(z.object({ chat_id: id, message_id: count }), input)
    const chat = world.open(chat_id)
    if (!world.message(chat, message_id)) throw bad('message to delete not found')
    chat.messages = chat.messages.filter((message) => message.id !== message_id)
    world.changed()
    return true
  },
  sendChatAction({ world }, input) {
    const { action } = read(z.object({ action: z.string() }), input)
    const { chat } = placed(world, input)
    if (action === 'typing') world.passing(chat).typingUntil = Date.now() + TYPING_MS
    world.changed()
    return true
  },

  async sendDocument({ world, limits }, input) {
    const { document, caption } = read(
      z.object({ document: z.union([z.instanceof(File), z.string()]), caption: z.string().optional() }),
      input,
    )
    if ((caption ?? '').length > MOST_CAPTION) throw bad('message caption is too long')
    const kept = typeof document === 'string' ? world.file({ id: document })?.file : await keep(world, document)
    if (!kept) throw bad('wrong file identifier/HTTP URL specified')
    const { chat, more } = placed(world, input)
    limits.count(chat)
    return world.shown(chat, world.add(chat, world.bot.id, { document: kept, ...(caption && { caption }), ...more }))
  },
  getFile({ world }, input) {
    const found = world.file({ id: read(z.object({ file_id: z.string() }), input).file_id })
    if (!found) throw bad('wrong file_id or the file is temporarily unavailable')
    if (found.file.file_size > MOST_DOWNLOADED) throw bad('file is too big')
    const { file_id, file_unique_id, file_size, path } = found.file
    return { file_id, file_unique_id, file_size, file_path: path }
  },

  answerCallbackQuery({ queries }, input) {
    const { callback_query_id, text } = read(
      z.object({ callback_query_id: z.string(), text: z.string().max(200).optional() }),
      input,
    )
    const heard = queries.get(callback_query_id)
    if (!heard) throw bad('query is too old and response timeout expired or query ID is invalid')
    queries.delete(callback_query_id)
    heard(text)
    return true
  },
  getChat: ({ world }, input) => world.shownChat(world.open(read(z.object({ chat_id: id }), input).chat_id)),
  getChatMember({ world }, input) {
    const { chat_id, user_id } = read(z.object({ chat_id: id, user_id: count }), input)
    return world.shownMember(world.open(chat_id), user_id)
  },
  leaveChat({ world }, input) {
    const chat = world.open(read(z.object({ chat_id: id }), input).chat_id)
    chat.standing[world.bot.id] = 'left'
    world.changed()
    return true
  },
} satisfies { [M in keyof ApiMethods<Blob>]?: Method }

/** The place of a new message. */
function placed(world: World, input: unknown) {
  const { chat_id, message_thread_id, reply_parameters, reply_markup } = read(where, input)
  const chat = world.open(chat_id)
  if (reply_parameters && !world.message(chat, reply_parameters.message_id)) {
    if (!reply_parameters.allow_sending_without_reply) throw bad('message to be replied not found')
  }
  const asked = {
    ...(message_thread_id !== undefined && { thread: message_thread_id }),
    ...(reply_parameters && { replyTo: reply_parameters.message_id }),
  }
  return {
    chat,
    more: { ...asked, ...world.topicOf(chat, asked), ...buttonsOf(reply_markup) },
  }
}

function textOf(input: unknown, empty = false) {
  const { text, entities: given, parse_mode } = read(said, input)
  if (parse_mode !== undefined) throw bad('unsupported parse_mode')
  return checkText(text, given, { empty })
}

async function keep(world: World, document: File) {
  if (document.size === 0) throw bad('file must be non-empty')
  if (document.size > MOST_UPLOADED) throw bad('file is too big')
  const content = new Uint8Array(await document.arrayBuffer())
  return world.keepFile(document.name, document.type || 'application/octet-stream', content)
}

/** The parts of a message that decide whether an edit changes it. */
const look = ({ text, entities: looks = [], buttons }: Said): string => JSON.stringify([text, looks, buttons])

function buttonsOf(markup: z.infer<typeof keyboard>) {
  if (!markup) return {}
  for (const { text, callback_data, url } of markup.inline_keyboard.flat()) {
    if (text === undefined) throw bad('can\'t parse inline keyboard button: Can\'t find field "text"')
    if (!callback_data && !url)
      throw bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    if (Buffer.byteLength(callback_data ?? '') > MOST_DATA) throw bad('BUTTON_DATA_INVALID')
  }
  // safe because each button has its text, and an address or data
  return { buttons: markup as never }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw bad("can't parse JSON of a parameter")
  }
}

function read<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw bad(`parameter "${issue?.path.join('.')}" is not as it should be: ${issue?.message}`)
}
