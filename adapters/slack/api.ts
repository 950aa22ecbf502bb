/** Slack's Web API with a workspace's token. It never retries, and its errors contain no token and no text. */

import {
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api'
import type { SlackTeams } from '../../app/ports/channels.ts'
import { PlatformError } from '../../app/ports/chat-platform.ts'
import type { SlackSecret } from './secret.ts'

export const timeoutMs = 10_000

const silent = () => {}
const noLogger: NonNullable<WebClientOptions['logger']> = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  setLevel: silent,
  setName: silent,
  getLevel: () => LogLevel.ERROR,
}

export const originOf = ({ apiBase }: Pick<SlackSecret, 'apiBase'>): string =>
  new URL(apiBase ?? 'https://slack.com').origin

/** Slack's client; without a token, only for an installation. */
export const webClient = (secret: Pick<SlackSecret, 'apiBase'>, token?: string): WebClient =>
  new WebClient(token, {
    slackApiUrl: `${originOf(secret)}/api/`,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    logger: noLogger,
    allowAbsoluteUrls: false,
  })

const tokenFreshMs = 5 * 60_000

export interface SlackApi {
  /** @throws PlatformError */
  call<T>(team: string, run: (client: WebClient, token: string) => Promise<T>): Promise<T>
}

export function slackApi(readSecret: () => Promise<SlackSecret>, teams: Pick<SlackTeams, 'find'>): SlackApi {
  const tokens = new Map<string, { token: string; atMs: number }>()

  const tokenOf = async (team: string): Promise<string> => {
    const known = tokens.get(team)
    if (known && Date.now() - known.atMs < tokenFreshMs) return known.token
    const found = await teams.find(team)
    tokens.delete(team)
    if (!found) throw new PlatformError('gone', 'The workspace has uninstalled us.')
    if (tokens.size >= 1_000) tokens.clear()
    tokens.set(team, { token: found.token, atMs: Date.now() })
    return found.token
  }

  return {
    async call(team, run) {
      const attempt = async (token: string) => run(webClient(await readSecret(), token), token)
      const token = await tokenOf(team)
      try {
        return await attempt(token)
      } catch (error) {
        if (!isOfToken(error)) throw platformError(error)
        // A new installation may have changed the token.
        tokens.delete(team)
        const other = await tokenOf(team)
        if (other === token) throw platformError(error)
        return await attempt(other).catch((second: unknown) => {
          throw platformError(second)
        })
      }
    },
  }
}

const ofToken = ['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']
const isOfToken = (error: unknown): boolean => ofToken.includes(codeOf(error))

/** Slack's error codes. With all others, the message can never be sent. */
const reasons: Readonly<Record<string, PlatformError['reason']>> = {
  ...Object.fromEntries(
    [
      ...ofToken,
      'app_access_restricted',
      'channel_not_found',
      'is_archived',
      'is_inactive',
      'not_in_channel',
      'team_access_not_granted',
      'team_not_found',
    ].map((code) => [code, 'gone' as const]),
  ),
  ...Object.fromEntries(
    [
      'external_channel_migrating',
      'fatal_error',
      'internal_error',
      'messaging_processing_failed',
      'request_timeout',
      'service_unavailable',
      'team_added_to_org',
      'update_failed',
    ].map((code) => [code, 'unavailable' as const]),
  ),
  message_limit_exceeded: 'rate-limited',
  rate_limited: 'rate-limited',
  ratelimited: 'rate-limited',
}

/** Slack's error code, such as `channel_not_found`; empty for other errors. */
export function codeOf(error: unknown): string {
  if (error instanceof PlatformError) return codeOf(error.cause)
  const code = error instanceof WebAPIPlatformError ? error.data.error : ''
  return typeof code === 'string' && /^[a-z0-9_]{1,80}$/.test(code) ? code : ''
}

/** Converts Slack's errors, and timeouts, to the port's error. */
export function platformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  const made = (reason: PlatformError['reason'], message: string, retryAfterMs: number | null = null) =>
    Object.assign(new PlatformError(reason, message, retryAfterMs), { cause: error })
  if (error instanceof WebAPIRateLimitedError)
    return made('rate-limited', 'Slack asks us to wait.', error.retryAfter * 1000)
  if (error instanceof WebAPIHTTPError)
    return made(
      error.statusCode >= 500 ? 'unavailable' : 'refused',
      `Slack answered with the status ${error.statusCode}.`,
    )
  const code = codeOf(error)
  if (code !== '') return made(reasons[code] ?? 'refused', `Slack refused: ${code}.`)
  return made('unavailable', 'Slack did not answer.')
}
