import * as z from 'zod'
import { PlatformError } from '../../app/ports/chat-platform.ts'
import type { Chat } from '../../domain/channels/inbound.ts'
import type { Call } from './api.ts'
import { snowflake } from './snowflake.ts'

/** Administrator, and manage server: these people count as owners. */
const governing = (1n << 3n) | (1n << 5n)

const channel = z.object({
  guild_id: snowflake.optional(),
  recipients: z.array(z.object({ id: snowflake })).optional(),
})
const server = z.object({
  owner_id: snowflake,
  roles: z.array(z.object({ id: snowflake, permissions: z.string().regex(/^\d+$/) })),
})
const member = z.object({ roles: z.array(snowflake) })

/** Whether this person owns or administers the channel's server. A direct chat belongs to its person. */
export async function ownsServer(call: Call, chat: Chat, personId: string): Promise<boolean> {
  if (!snowflake.safeParse(personId).success) return false
  const { guild_id, recipients } = await call(
    { method: 'GET', path: `/channels/${encodeURIComponent(chat.id)}` },
    channel,
  )
  if (guild_id === undefined) return recipients?.some(({ id }) => id === personId) ?? false
  const { owner_id, roles } = await call({ method: 'GET', path: `/guilds/${guild_id}` }, server)
  if (owner_id === personId) return true
  const held = await rolesOf(call, guild_id, personId)
  // The id of the role `@everyone` is the server's id.
  return roles.some(
    ({ id, permissions }) => (id === guild_id || held.includes(id)) && (BigInt(permissions) & governing) !== 0n,
  )
}

/** Empty for a person who is no member. */
async function rolesOf(call: Call, guildId: string, personId: string): Promise<string[]> {
  try {
    return (await call({ method: 'GET', path: `/guilds/${guildId}/members/${personId}` }, member)).roles
  } catch (problem) {
    if (problem instanceof PlatformError && problem.reason === 'refused') return []
    throw problem
  }
}
