/** Apps are made and changed by their manifest. The token is one that configures apps, `xoxe…`. */
import * as z from 'zod'
import type { Arguments } from '../api/arguments.ts'
import { required, structured } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import type { Context } from './method.ts'

const address = z.url().refine((url) => /^https?:/.test(url))
const manifest = z.object({
  display_information: z.object({ name: z.string().min(1).max(35), description: z.string().max(140).optional() }),
  features: z.object({
    bot_user: z.object({ display_name: z.string().min(1).max(80) }),
    slash_commands: z
      .array(
        z.object({
          command: z.string().regex(/^\/[^\s/]{1,31}$/),
          url: address,
          description: z.string().min(1).max(2000),
        }),
      )
      .max(50),
  }),
  oauth_config: z.object({
    redirect_urls: z.array(address).max(1000),
    scopes: z.object({ bot: z.array(z.string()).min(1).max(255) }),
  }),
  settings: z.object({
    event_subscriptions: z.object({ request_url: address, bot_events: z.array(z.string()).max(100) }),
    interactivity: z.object({ is_enabled: z.boolean(), request_url: address }),
  }),
})

/** Scopes that the events ask for. */
const wanted: Readonly<Record<string, string>> = {
  app_mention: 'app_mentions:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
}

export function saveManifest(method: string, given: Arguments, { app }: Context): object {
  const found = structured(given, 'manifest', manifest, 'invalid_manifest')
  if (!found) throw new SlackError('invalid_arguments', '[ERROR] missing required field: manifest')
  const { bot } = found.oauth_config.scopes
  const lacking = found.settings.event_subscriptions.bot_events.filter(
    (event) => wanted[event] && !bot.includes(wanted[event]),
  )
  if (lacking.length > 0) throw new SlackError('invalid_manifest', `[ERROR] no scope for ${lacking.join(', ')}`)
  if (method === 'apps.manifest.update') {
    if (required(given, 'app_id') !== app.appId) throw new SlackError('invalid_app_id')
    return { app_id: app.appId, permissions_updated: false }
  }
  const { clientId: client_id, clientSecret: client_secret, signingSecret: signing_secret } = app
  const credentials = { client_id, client_secret, signing_secret, verification_token: 'verification-token-of-old' }
  return { app_id: app.appId, credentials }
}
