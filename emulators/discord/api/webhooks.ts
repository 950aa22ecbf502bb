/** Replies to an interaction, by its token. */
import type { Interaction } from '../interactions.ts'
import { type Message, messageFlags } from '../records.ts'
import { unknown } from './errors.ts'
import { readMessageBody, saidBy } from './message-body.ts'
import { type ApiRequest, type Discord, route } from './route.ts'

const limit = { requests: 5, windowMs: 2_000 }
const byToken = { asBot: false, limit }

/** @throws ApiError 10015 once the token is over, or before the interaction was answered */
function interactionOf(discord: Discord, { path }: ApiRequest): Interaction {
  const found = path.application === discord.application.id ? discord.interactions.byToken(path.token ?? '') : null
  if (!found) throw unknown.webhook()
  return found
}

function replyOf(discord: Discord, request: ApiRequest): Message {
  const { original, channel } = interactionOf(discord, request)
  const id = request.path.message === '@original' ? original?.id : request.path.message
  const found = channel.messages.find((message) => message.id === id && message.webhook_id !== undefined)
  if (!found) throw unknown.message()
  return found
}

function change(discord: Discord, message: Message, request: ApiRequest): object {
  const body = readMessageBody(request)
  const said = saidBy({ ...body, content: body.content ?? message.content }, [...message.attachments, ...request.files])
  const { content, components, flags, mayMention } = said
  discord.account.edit(message, { content, flags, mayMention, ...(body.components && { components }) })
  return discord.present(message)
}

export const webhookRoutes = [
  route(
    'POST',
    '/webhooks/{application}/{token}',
    (discord, request) => {
      const interaction = interactionOf(discord, request)
      const { original, channel } = interaction
      if (original && original.flags & messageFlags.loading) return change(discord, original, request)
      const said = saidBy(readMessageBody(request), request.files)
      const about = { webhook_id: discord.application.id, interaction: interaction.about }
      return discord.present(discord.account.say(channel, discord.account.bot, { ...said, ...about }))
    },
    byToken,
  ),
  route(
    'GET',
    '/webhooks/{application}/{token}/messages/{message}',
    (discord, request) => discord.present(replyOf(discord, request)),
    byToken,
  ),
  route(
    'PATCH',
    '/webhooks/{application}/{token}/messages/{message}',
    (discord, request) => change(discord, replyOf(discord, request), request),
    byToken,
  ),
  route(
    'DELETE',
    '/webhooks/{application}/{token}/messages/{message}',
    (discord, request) => {
      discord.account.delete(replyOf(discord, request))
      return null
    },
    byToken,
  ),
]
