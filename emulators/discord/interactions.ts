/** People's use of commands and buttons: signed requests to the application, each sent once. */
import { sign } from 'node:crypto'
import type { Account } from './account.ts'
import type { Application } from './application.ts'
import { newId } from './ids.ts'
import { presentAttachment, presentChannel, presentMessage, presentUser } from './present.ts'
import { type Attachment, type Channel, channelTypes, type Message, messageFlags, type User } from './records.ts'

/** Discord waits this long for an answer; the token of what was answered lasts that long, ms. */
const answerMs = 3_000
const tokenMs = 15 * 60_000

export interface Interaction {
  about: { id: string; name: string; user: User }
  channel: Channel
  /** The reply that takes the place of the command; null for a button that was pressed. */
  original: Message | null
  untilMs: number
}

/** The application's result: success, or the message that the person sees. */
export type Outcome = { answered: true; type: number } | { answered: false; notice: string }

interface CommandGiven {
  name: string
  /** By the option's name. */
  options: Record<string, string>
  file?: { option: string; attachment: Attachment }
}

export class Interactions {
  readonly #account: Account
  readonly #application: Application
  readonly #origin: () => string
  readonly #byToken = new Map<string, Interaction>()

  constructor(account: Account, application: Application, origin: () => string) {
    this.#account = account
    this.#application = application
    this.#origin = origin
  }

  /** Null once the token is over, and while the application has not answered. */
  byToken(token: string): Interaction | null {
    const found = this.#byToken.get(token)
    return found && found.untilMs > Date.now() ? found : null
  }

  /** As if fifteen minutes were over. */
  expireTokens(): void {
    this.#byToken.clear()
  }

  command(user: User, channel: Channel, { name, options, file }: CommandGiven): Promise<Outcome> {
    const data = {
      id: this.#application.commands.find((command) => command.name === name)?.id ?? newId(),
      name,
      type: 1,
      options: [
        ...Object.entries(options).map(([name, value]) => ({ type: 3, name, value })),
        ...(file ? [{ type: 11, name: file.option, value: file.attachment.id }] : []),
      ],
      ...(file && {
        resolved: {
          attachments: { [file.attachment.id]: presentAttachment(channel, file.attachment, this.#origin()) },
        },
      }),
    }
    if (file) this.#account.attachments.set(file.attachment.id, file.attachment)
    return this.#give(user, channel, name, { type: 2, data })
  }

  press(user: User, message: Message, customId: string): Promise<Outcome> {
    const data = { custom_id: customId, component_type: 2 }
    const shown = presentMessage(message, this.#origin())
    return this.#give(user, message.channel, 'button', { type: 3, data, message: shown })
  }

  /** Discord's check of an endpoint address: a ping must be answered, and one with a wrong signature refused. */
  async verifies(url: string): Promise<boolean> {
    const ping = JSON.stringify({ ...this.#common(newId(), 'ping'), type: 1 })
    const [right, wrong] = await Promise.all([this.#post(url, ping), this.#post(url, ping, '0'.repeat(128))])
    const body = Object(right?.json) as { type?: unknown } // safe because type is unknown
    return right?.status === 200 && body.type === 1 && wrong?.status === 401
  }

  /** The very request, to be sent again or changed by a test. */
  signed(body: string, seconds = Math.floor(Date.now() / 1000)): Record<string, string> {
    return {
      'content-type': 'application/json',
      'user-agent': 'Discord-Interactions/1.0 (+https://discord.com)',
      'x-signature-timestamp': String(seconds),
      'x-signature-ed25519': sign(null, Buffer.from(`${seconds}${body}`), this.#application.privateKey).toString('hex'),
    }
  }

  async #give(user: User, channel: Channel, name: string, what: object): Promise<Outcome> {
    const url = this.#application.interactionsUrl
    if (!url) return failed
    const id = newId()
    const token = Buffer.from(`interaction:${id}:${newId()}`).toString('base64url')
    const body = JSON.stringify({ ...this.#common(id, token), ...this.#where(user, channel), ...what })
    const answer = await this.#post(url, body)
    const { type } = Object(answer?.json) as { type?: unknown } // safe because type is unknown
    if (answer?.status !== 200 || typeof type !== 'number') return failed
    const about = { id, name, user }
    const promised = type === 5 || type === 4
    const original = promised
      ? this.#account.say(channel, this.#account.bot, {
          content: type === 4 ? contentOf(answer.json) : '',
          flags: type === 5 ? messageFlags.loading : 0,
          webhook_id: this.#application.id,
          interaction: about,
        })
      : null
    this.#byToken.set(token, { about, channel, original, untilMs: Date.now() + tokenMs })
    return { answered: true, type }
  }

  #common(id: string, token: string) {
    return {
      id,
      application_id: this.#application.id,
      token,
      version: 1,
      entitlements: [],
      attachment_size_limit: 10_485_760,
    }
  }

  #where(user: User, channel: Channel) {
    const shown = presentChannel(this.#account, channel)
    const common = { channel_id: channel.id, channel: shown, locale: 'en-US', app_permissions: '2048' }
    if (channel.type === channelTypes.direct) return { ...common, context: 1, user: presentUser(user) }
    const roles = this.#account.servers.get(channel.guild_id ?? '')?.members.get(user.id) ?? []
    return {
      ...common,
      context: 0,
      guild_id: channel.guild_id,
      guild: { id: channel.guild_id, locale: 'en-US', features: [] },
      member: { user: presentUser(user), roles, permissions: '2048', joined_at: new Date(0).toISOString() },
    }
  }

  /** Null when there was no answer in time. */
  async #post(url: string, body: string, signature?: string): Promise<{ status: number; json: unknown } | null> {
    try {
      const headers = { ...this.signed(body), ...(signature && { 'x-signature-ed25519': signature }) }
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(answerMs),
      })
      return { status: answer.status, json: await answer.json().catch(() => null) }
    } catch {
      return null
    }
  }
}

const failed = { answered: false as const, notice: 'The application did not respond' }

function contentOf(json: unknown): string {
  const { data } = Object(json) as { data?: unknown } // safe because data is unknown
  const { content } = Object(data) as { content?: unknown } // safe because content is unknown
  return typeof content === 'string' ? content : ''
}
