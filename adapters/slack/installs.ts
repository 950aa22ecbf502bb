/** OAuth with Slack: a state for one user and ten minutes, then the code for a token. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { OauthV2AccessResponse } from '@slack/web-api'
import type { SlackInstalls } from '../../app/ports/channels.ts'
import { conflict, invalid, providerError } from '../../domain/errors.ts'
import { cut } from '../../domain/text.ts'
import { iso, minuteMs } from '../../domain/time.ts'
import { originOf, platformError, webClient } from './api.ts'
import { teamId, userId } from './fields.ts'
import { botScopes } from './manifest.ts'
import type { SlackSecret } from './secret.ts'

const stateLifeMs = 10 * minuteMs

/** @param redirectUri our page for the return from Slack */
export function slackInstallations(readSecret: () => Promise<SlackSecret>, redirectUri: string): SlackInstalls {
  return {
    async begin(ownerId, nowMs) {
      const secret = await readSecret()
      if (secret.clientId === '' || secret.clientSecret === '') throw conflict('Slack is not set up here.')
      const url = new URL('/oauth/v2/authorize', originOf(secret))
      url.search = new URLSearchParams({
        client_id: secret.clientId,
        scope: botScopes.join(','),
        redirect_uri: redirectUri,
        state: stateOf(secret, ownerId, nowMs + stateLifeMs),
      }).toString()
      return { url: url.href }
    },
    async finish({ code, state }, ownerId, nowMs) {
      const secret = await readSecret()
      if (secret.clientSecret === '') throw conflict('Slack is not set up here.')
      const until = Number(state.split('.')[0])
      const holds = Number.isSafeInteger(until) && until > nowMs && same(state, stateOf(secret, ownerId, until))
      if (!holds) throw invalid('state', 'it is not yours, or older than ten minutes. Begin again.')
      const answer = await exchange(secret, code, redirectUri)
      return installed(answer, nowMs)
    },
  }
}

const stateOf = ({ clientSecret }: SlackSecret, ownerId: string, untilMs: number): string => {
  const proof = createHmac('sha256', clientSecret).update(JSON.stringify(['slack install 1', ownerId, untilMs]))
  return `${untilMs}.${proof.digest('base64url')}`
}

const same = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))

async function exchange(secret: SlackSecret, code: string, redirect_uri: string): Promise<OauthV2AccessResponse> {
  const { clientId: client_id, clientSecret: client_secret } = secret
  try {
    return await webClient(secret).oauth.v2.access({ client_id, client_secret, code, redirect_uri })
  } catch (error) {
    if (platformError(error).reason === 'refused') throw invalid('code', 'Slack does not take it. Begin again.')
    throw providerError('Slack failed. Retry in 4, 8, 16, then 32 seconds.')
  }
}

/** An organization-wide installation has no workspace, so it is refused. */
function installed(answer: OauthV2AccessResponse, nowMs: number) {
  const { access_token: token, bot_user_id, team, authed_user, is_enterprise_install } = answer
  const botUser = userId.safeParse(bot_user_id)
  const workspace = teamId.safeParse(team?.id)
  const installer = userId.safeParse(authed_user?.id)
  if (is_enterprise_install || !token || !botUser.success || !workspace.success || !installer.success)
    throw invalid('code', 'it is for no single workspace. Install it in one.')
  const names = { name: cut(team?.name ?? workspace.data, 200), installedAt: iso(nowMs) }
  return { team: { teamId: workspace.data, botUserId: botUser.data, installerId: installer.data, ...names }, token }
}
