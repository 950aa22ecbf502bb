/** The reply that a command was promised: the place where Discord shows that the bot is thinking. */
import type { RESTPostAPIChannelMessageJSONBody } from 'discord-api-types/v10'
import * as z from 'zod'
import { type Destination, PlatformError } from '../../app/channels/platform-port.ts'
import type { ReplyContext } from '../../domain/channels/inbound.ts'
import { minuteMs, secondMs } from '../../domain/time.ts'
import type { Call } from './api.ts'
import { snowflake, snowflakeMs } from './snowflake.ts'

/** An interaction's token lasts 15 minutes; the last one is left for the way there. */
const tokenMs = 14 * minuteMs

/** Discord waits this long for the answer that promises a reply; before that there may be no place for it yet. */
const answerMs = 3 * secondMs
const retryMs = 500

/** Set in the flags of the promised message while nothing has taken its place. */
const loading = 1 << 7

const original = z.object({ id: snowflake, content: z.string().catch(''), flags: z.int().catch(0) })

/** Whether the interaction that this answers can still be replied to by its token. */
export const isLive = (context: ReplyContext): boolean =>
  snowflake.safeParse(context.interaction).success && context.token !== undefined && ageMs(context) < tokenMs

const ageMs = ({ interaction = '' }: ReplyContext): number => Date.now() - snowflakeMs(interaction)

export const repliesOf = (applicationId: string, { token = '' }: ReplyContext): string =>
  `/webhooks/${encodeURIComponent(applicationId)}/${encodeURIComponent(token)}`

/**
 * Puts this in the promised place; gives the message's id, or null where there is none, or something else has taken it.
 * Existing entries count as created, so a repetition posts nothing twice: Discord has no keys here.
 */
export async function answerDeferred(
  call: Call,
  applicationId: string,
  { context }: Destination,
  body: RESTPostAPIChannelMessageJSONBody,
): Promise<string | null> {
  if (context.deferred === undefined || !isLive(context)) return null
  const path = `${repliesOf(applicationId, context)}/messages/@original`
  try {
    const found = await call({ method: 'GET', path }, original)
    if (found.flags & loading) return (await call({ method: 'PATCH', path, body }, original)).id
    return found.content.trim() === body.content?.trim() ? found.id : null
  } catch (problem) {
    if (!(problem instanceof PlatformError) || (problem.reason !== 'refused' && problem.reason !== 'gone'))
      throw problem
    // We can be faster than our own answer, which makes the place.
    if (ageMs(context) < answerMs) throw new PlatformError('unavailable', problem.message, retryMs)
    return null
  }
}
