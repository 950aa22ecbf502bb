/** The bot, its application and its servers. */
import * as z from 'zod'
import { presentServer, presentUser } from '../present.ts'
import type { Server } from '../records.ts'
import { invalidForm, missingAccess, unknown } from './errors.ts'
import { type Discord, route } from './route.ts'

/** @throws ApiError 10004, 50001 */
function serverOf({ account }: Discord, id = ''): Server {
  const server = account.servers.get(id)
  if (!server) throw unknown.guild()
  if (!server.members.has(account.bot.id)) throw missingAccess()
  return server
}

const command = z.object({
  name: z.string().regex(/^[-_'\p{L}\p{N}]{1,32}$/u),
  type: z.int().min(1).max(4).optional(),
  description: z.string().min(1).max(100),
  options: z
    .array(z.looseObject({ type: z.int(), name: z.string(), description: z.string() }))
    .max(25)
    .optional(),
})

export const aboutRoutes = [
  route('GET', '/users/@me', ({ account }) => presentUser(account.bot)),
  route('GET', '/applications/@me', ({ application, account }) => ({
    ...application.present(),
    bot: presentUser(account.bot),
  })),
  route('PATCH', '/applications/@me', async ({ application, interactions }, { body }) => {
    const { interactions_endpoint_url: url } = body
    if (url === null || url === '') application.interactionsUrl = null
    else if (typeof url === 'string') {
      if (!(await interactions.verifies(url)))
        throw invalidForm(
          'interactions_endpoint_url',
          'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID',
          'The specified interactions endpoint URL could not be verified.',
        )
      application.interactionsUrl = url
    }
    return application.present()
  }),
  route('GET', '/applications/{application}/commands', ({ application }) => application.commands),
  route('PUT', '/applications/{application}/commands', ({ application }, { body }) => {
    const read = z.array(command).max(100).safeParse(body.list)
    if (!read.success) {
      const [issue] = read.error.issues
      throw invalidForm(issue?.path.join('.') ?? '', 'BASE_TYPE_INVALID', issue?.message ?? '')
    }
    return application.setCommands(read.data)
  }),
  route('GET', '/guilds/{guild}', (discord, { path }) => presentServer(serverOf(discord, path.guild))),
  route('GET', '/guilds/{guild}/channels', (discord, { path }) =>
    discord.account.channelsOf(serverOf(discord, path.guild).id).map((channel) => discord.presentChannel(channel)),
  ),
  route('GET', '/guilds/{guild}/members/{user}', (discord, { path }) => {
    const roles = serverOf(discord, path.guild).members.get(path.user ?? '')
    const user = discord.account.users.get(path.user ?? '')
    if (!roles || !user) throw unknown.member()
    return { user: presentUser(user), roles, joined_at: new Date(0).toISOString(), deaf: false, mute: false, flags: 0 }
  }),
  route('GET', '/gateway', (discord) => ({ url: discord.gatewayUrl() }), { asBot: false }),
  route('GET', '/gateway/bot', (discord) => ({
    url: discord.gatewayUrl(),
    shards: 1,
    session_start_limit: {
      total: 1_000,
      remaining: 1_000 - discord.identified(),
      reset_after: 86_400_000,
      max_concurrency: 1,
    },
  })),
]
