import { createHash } from 'node:crypto'
import type { RESTPatchAPIChannelMessageJSONBody, RESTPostAPIChannelMessageJSONBody } from 'discord-api-types/v10'
import * as z from 'zod'
import { type ChatPlatform, type Content, type Destination, PlatformError } from '../../app/ports/chat-platform.ts'
import { parseJson } from '../../domain/json.ts'
import { cut } from '../../domain/text.ts'
import type { Env } from '../env.ts'
import type { KeptReader } from '../memoize.ts'
import { type Call, callDiscord } from './api.ts'
import { fetchAttachment } from './attachments.ts'
import { answerDeferred, isLive, repliesOf } from './deferred.ts'
import { readHandedOn } from './gateway-events.ts'
import { readInteraction } from './interactions.ts'
import { toDiscord } from './markdown.ts'
import { ownsServer } from './owners.ts'
import { type DiscordSecret, discordSecretReader } from './secret.ts'
import { senderOf } from './sender.ts'
import { snowflake } from './snowflake.ts'

/** Notifies nobody, and shows no previews of links. */
const quiet = { allowed_mentions: { parse: [] }, flags: 4 } satisfies RESTPatchAPIChannelMessageJSONBody
const made = z.object({ id: snowflake })
const anything = z.unknown()

export const discord = (env: Env): ChatPlatform => discordPlatform(discordSecretReader(env))

/** Discord's API. Commands come from its webhook, plain messages from our listener. */
export function discordPlatform(readSecret: KeptReader<DiscordSecret>): ChatPlatform {
  const call: Call = async (request, answer) => callDiscord(await readSecret(), request, answer)

  /** A new message by the bot; where it may not write, another reply to the interaction. */
  async function create(to: Destination, body: object, file?: File): Promise<{ messageId: string }> {
    const request = { method: 'POST' as const, body: withFile(body, file) }
    const own = call({ ...request, path: `/channels/${encodeURIComponent(to.chat.id)}/messages` }, made)
    const { id } = await own.catch(async (problem: unknown) => {
      const { applicationId } = await readSecret()
      if (!isClosed(problem) || !isLive(to.context)) throw problem
      return call({ ...request, path: repliesOf(applicationId, to.context) }, made)
    })
    return { messageId: id }
  }

  return {
    async about() {
      const { applicationId, startUrl } = await readSecret()
      const invite = `https://discord.com/oauth2/authorize?client_id=${applicationId}`
      return applicationId ? { name: 'our Discord app', startUrl: startUrl ?? invite } : null
    },

    async read({ headers, rawBody }, nowMs) {
      const secret = await readSecret()
      const { applicationId } = secret
      if (applicationId === '') return { kind: 'refused', why: 'this stage has no Discord application' }
      const sender = senderOf(headers, rawBody, secret, nowMs)
      if (sender.kind === 'refused') return sender
      const json = parseJson(rawBody)
      return sender.kind === 'discord' ? readInteraction(json, applicationId) : readHandedOn(json, applicationId)
    },

    async send(to, content, key) {
      const body = bodyOf(content)
      const answered = await answerDeferred(call, (await readSecret()).applicationId, to, body)
      return answered ? { messageId: answered } : create(to, { ...body, ...under(key), ...answering(to) })
    },

    async edit(to, messageId, content) {
      const [chat, message] = [encodeURIComponent(to.chat.id), encodeURIComponent(messageId)]
      const request = { method: 'PATCH' as const, body: { components: [], ...bodyOf(content) } }
      const own = call({ ...request, path: `/channels/${chat}/messages/${message}` }, anything)
      await own.catch(async (problem: unknown) => {
        const { applicationId } = await readSecret()
        if (!isClosed(problem) || !isLive(to.context)) throw problem
        await call({ ...request, path: `${repliesOf(applicationId, to.context)}/messages/${message}` }, anything)
      })
    },

    async typing({ chat }) {
      await call({ method: 'POST', path: `/channels/${encodeURIComponent(chat.id)}/typing` }, anything)
    },

    sendFile: (to, { name, type, content }, key) =>
      create(to, { ...quiet, ...under(key), ...answering(to) }, new File([Buffer.from(content)], name, { type })),

    fetchFile: async (_, file, maxBytes) => fetchAttachment(file.ref, (await readSecret()).apiBase ?? null, maxBytes),
    ownsChat: (chat, personId) => ownsServer(call, chat, personId),
  }
}

function bodyOf({ text, buttons = [] }: Content): RESTPostAPIChannelMessageJSONBody {
  const rows = Array.from({ length: Math.ceil(buttons.length / 5) }, (_, row) => buttons.slice(row * 5, row * 5 + 5))
  const components = rows.map((row) => ({
    type: 1 as const,
    components: row.map(({ data, label }) => ({
      type: 2 as const,
      style: 2 as const,
      custom_id: data,
      label: cut(label, 80),
    })),
  }))
  return { content: toDiscord(text), ...quiet, ...(components.length > 0 && { components }) }
}

/** For some minutes, Discord returns the existing message for the same nonce of at most 25 characters. */
const under = (key: string) => ({
  nonce: createHash('sha256').update(key).digest('base64url').slice(0, 25),
  enforce_nonce: true,
})

/** In a group, a reply refers to its message. */
const answering = ({ chat, context }: Destination) =>
  chat.kind === 'group' && context.message
    ? { message_reference: { message_id: context.message, fail_if_not_exists: false } }
    : {}

function withFile(body: object, file: File | undefined): object | FormData {
  if (!file) return body
  const form = new FormData()
  form.set('payload_json', JSON.stringify({ ...body, attachments: [{ id: 0, filename: file.name }] }))
  form.set('files[0]', file)
  return form
}

const isClosed = (problem: unknown): boolean =>
  problem instanceof PlatformError && (problem.reason === 'gone' || problem.reason === 'refused')
