/** How a workspace comes to have the app, and to lose it. No token is needed here: the app shows its own secret. */
import { findById } from '../../kit/records.ts'
import type { Arguments } from '../api/arguments.ts'
import { optional, required } from '../api/arguments.ts'
import { SlackError } from '../api/error.ts'
import { type Store, secret } from '../store.ts'
import { install } from '../world.ts'
import type { App, Context } from './method.ts'

const codeLifeMs = 10 * 60_000

/** The code that a person who consents brings back to the app. */
export function makeCode({ value, now, save }: Store, teamId: string, user: string, redirectUri: string): string {
  const code = secret()
  value.codes[code] = { teamId, user, redirectUri, untilMs: now() + codeLifeMs }
  save()
  return code
}

/** As a form, or as the user and password of a request. */
function checkClient(given: Arguments, authorization: string | undefined, { clientId, clientSecret }: App): void {
  const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1]
  const [id, password] = basic
    ? Buffer.from(basic, 'base64').toString().split(':')
    : [optional(given, 'client_id'), optional(given, 'client_secret')]
  if (id !== clientId) throw new SlackError('invalid_client_id')
  if (password !== clientSecret) throw new SlackError('bad_client_secret')
}

export function access(given: Arguments, authorization: string | undefined, { store, app }: Context): object {
  checkClient(given, authorization, app)
  const code = required(given, 'code')
  const found = findById(store.value.codes, code)
  // A code is good once, whatever comes of it.
  delete store.value.codes[code]
  const team = found && findById(store.value.teams, found.teamId)
  if (!found || !team || found.untilMs < store.now()) throw new SlackError('invalid_code')
  if (found.redirectUri !== (optional(given, 'redirect_uri') ?? found.redirectUri))
    throw new SlackError('bad_redirect_uri')
  const access_token = install(store, team)
  store.save()
  return {
    access_token,
    token_type: 'bot',
    scope: app.scopes.join(','),
    bot_user_id: team.botUserId,
    app_id: app.appId,
    team: { name: team.name, id: team.id },
    enterprise: null,
    is_enterprise_install: false,
    authed_user: { id: found.user },
  }
}
