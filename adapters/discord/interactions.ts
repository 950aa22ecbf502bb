/** Commands and buttons. Discord sends these to the webhook and requires an answer within three seconds. */

import type { InteractionResponseType, InteractionType } from 'discord-api-types/v10'
import type { WebhookReading } from '../../app/ports/chat-platform.ts'
import { askCommand } from '../../domain/channels/discord-commands.ts'
import type { Chat, Happening, Inbound } from '../../domain/channels/inbound.ts'
import { cut } from '../../domain/text.ts'
import { iso } from '../../domain/time.ts'
import { fileOf, personOf } from './people-and-files.ts'
import { padded, snowflakeMs } from './snowflake.ts'
import { attachment, commandData, componentData, type Interaction, interaction } from './wire.ts'

type Reading = Extract<WebhookReading, { kind: 'inbound' }>

const types = { ping: 1, command: 2, component: 3, completion: 4 } satisfies Record<
  string,
  `${InteractionType}` extends `${infer N extends number}` ? N : never
>
/** `deferred` shows "thinking" until the first reply; `seen` shows nothing. */
const answers = { pong: 1, deferred: 5, seen: 6, completions: 8 } satisfies Record<
  string,
  `${InteractionResponseType}` extends `${infer N extends number}` ? N : never
>

const nothing = (answer: Reading['answer'] = null): Reading => ({ kind: 'inbound', inbound: [], answer })

/** Reads an interaction, or an event of Discord's webhooks, which needs no work here. */
export function readInteraction(json: unknown, applicationId: string): WebhookReading {
  const given = typeof json === 'object' && json !== null ? json : {}
  const { application_id: meant, type } = given as { application_id?: unknown; type?: unknown } // safe because both are unknown
  if (meant !== applicationId) return { kind: 'refused', why: 'it is for another application' }
  if ('event' in given || type === 0) return nothing()
  if (type === types.ping) return nothing({ type: answers.pong })
  if (type === types.completion) return nothing({ type: answers.completions, data: { choices: [] } })
  const read = interaction.safeParse(json)
  if (!read.success) return nothing()
  if (type === types.command)
    return inboundOf(read.data, commandOf(read.data), { type: answers.deferred }, { deferred: 'yes' })
  if (type === types.component) return inboundOf(read.data, buttonOf(read.data), { type: answers.seen }, {})
  return nothing()
}

function inboundOf(
  given: Interaction,
  what: Happening | null,
  answer: { type: number },
  more: Record<string, string>,
): Reading {
  const user = given.member?.user ?? given.user
  if (!what || !user) return nothing()
  const inbound: Inbound = {
    id: padded(given.id),
    chat: chatOf(given),
    person: personOf(user),
    context: { interaction: given.id, token: given.token, ...more },
    at: iso(snowflakeMs(given.id)),
    what,
  }
  return { kind: 'inbound', inbound: [inbound], answer }
}

/** A chat in a server or with other people is a group. */
function chatOf({ channel_id, channel, guild_id, context }: Interaction): Chat {
  const direct = guild_id === undefined && context !== 0 && context !== 2
  const title = channel?.name ? cut(`#${channel.name}`, 200) : undefined
  return { platform: 'discord', id: channel_id, kind: direct ? 'direct' : 'group', ...(!direct && title && { title }) }
}

function commandOf({ data }: Interaction): Happening | null {
  const read = commandData.safeParse(data)
  if (!read.success) return null
  const { name, options, resolved } = read.data
  if (name === askCommand.name) {
    const files = Object.values(resolved.attachments).flatMap((each) => {
      const file = attachment.safeParse(each)
      return file.success ? [fileOf(file.data)] : []
    })
    const given = options.find((option) => option.name === askCommand.text)?.value
    return { kind: 'message', text: String(given ?? ''), files: files.slice(0, 20), addressed: true }
  }
  const values = options.flatMap((each) => [each, ...each.options.flatMap((inner) => [inner, ...inner.options])])
  const words = values.flatMap(({ value }) => (value === undefined ? [] : [String(value)]))
  return { kind: 'command', name, argument: cut(words.join(' '), 4000) }
}

function buttonOf({ data, message }: Interaction): Happening | null {
  const read = componentData.safeParse(data)
  return read.success && message ? { kind: 'button', data: read.data.custom_id, messageId: message.id } : null
}
