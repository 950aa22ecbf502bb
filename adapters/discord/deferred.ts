/** The deferred reply to a command: Discord shows "thinking" there until it arrives. */

import type { RESTPostAPIChannelMessageJSONBody } from 'discord-api-types/v10'
import * as z from 'zod'
import { type Destination, PlatformError } from '../../app/ports/chat-platform.ts'
import type { ReplyContext } from '../../domain/channels/inbound.ts'
import { minuteMs, secondMs } from '../../domain/time.ts'
import type { Call } from './api.ts'
import { snowflake, snowflakeMs } from './snowflake.ts'

/** An interaction's token lasts 15 minutes; the last one is a margin. */
const tokenMs = 14 * minuteMs

/** Time limit of the deferring answer. Until then Discord may not have the placeholder. */
const answerMs = 3 * secondMs
const retryMs = 500

/** The flag of a placeholder message that nothing has replaced. */
const loading = 1 << 7

const original = z.object({ id: snowflake, content: z.string().catch(''), flags: z.int().catch(0) })

export const isLive = (context: ReplyContext): boolean =>
  snowflake.safeParse(context.interaction).success && context.token !== undefined && ageMs(context) < tokenMs

const ageMs = ({ interaction = '' }: ReplyContext): number => Date.now() - snowflakeMs(interaction)

export const repliesOf = (applicationId: string, { token = '' }: ReplyContext): string =>
  `/webhooks/${encodeURIComponent(applicationId)}/${encodeURIComponent(token)}`

/**
 * Replaces the placeholder. Returns the message's id, or null if there is no placeholder, or other content replaced it.
 * Existing content counts as success, because Discord has no idempotency keys here.
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
    // The reply may overtake our own answer, which makes the placeholder.
    if (ageMs(context) < answerMs) throw new PlatformError('unavailable', problem.message, retryMs)
    return null
  }
}
