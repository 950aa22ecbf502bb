/** Requests of an operator's commands to Slack and to our webhook. */
import { codeOf, timeoutMs, webClient } from './api.ts'
import { botScopes, manifest } from './manifest.ts'
import type { SlackSecret } from './secret.ts'
import { signatureOf } from './signature.ts'

/** The page for creating the app by hand; the address contains the manifest. */
export function newAppUrl(webhookUrl: string, publicOrigin: string): string {
  const url = new URL('https://api.slack.com/apps?new_app=1')
  url.searchParams.set('manifest_json', manifestJson(webhookUrl, publicOrigin))
  return url.href
}

export const manifestJson = (webhookUrl: string, publicOrigin: string): string =>
  JSON.stringify(manifest(webhookUrl, publicOrigin), null, 2)

interface Place {
  webhookUrl: string
  publicOrigin: string
}

/**
 * Creates the app, or updates the existing app's manifest.
 * @param token an app configuration token, `xoxe.…`
 * @throws Error with Slack's code
 */
export async function saveApp(
  secret: SlackSecret,
  token: string,
  { webhookUrl, publicOrigin }: Place,
): Promise<SlackSecret> {
  const { apps } = webClient(secret, token)
  const wanted = manifest(webhookUrl, publicOrigin)
  try {
    if (secret.appId !== '') {
      await apps.manifest.update({ app_id: secret.appId, manifest: wanted })
      return secret
    }
    const { app_id: appId = '', credentials } = await apps.manifest.create({ manifest: wanted })
    const {
      client_id: clientId = '',
      client_secret: clientSecret = '',
      signing_secret: signingSecret = '',
    } = credentials ?? {}
    return { ...secret, appId, clientId, clientSecret, signingSecret }
  } catch (error) {
    throw new Error(`Slack refused the manifest: ${codeOf(error) || 'it did not answer'}.`)
  }
}

/** Whether our webhook returns Slack's challenge. */
export async function answersChallenge(webhookUrl: string, signingSecret: string, nowMs: number): Promise<boolean> {
  const challenge = String(nowMs)
  const body = JSON.stringify({ type: 'url_verification', challenge })
  const second = String(Math.floor(nowMs / 1000))
  const signature = `v0=${signatureOf(body, signingSecret, second).toString('hex')}`
  const headers = { 'x-slack-request-timestamp': second, 'x-slack-signature': signature }
  try {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return response.ok && (await response.text()).includes(challenge)
  } catch {
    return false
  }
}

/** A token's workspace, and the rights that it lacks. @throws Error with Slack's code */
export async function whoSpeaks(secret: SlackSecret, token: string): Promise<{ team: string; lacks: string[] }> {
  try {
    const { team, team_id, response_metadata } = await webClient(secret, token).auth.test()
    const has: readonly string[] | undefined = response_metadata?.scopes
    return { team: `${team} (${team_id})`, lacks: has ? botScopes.filter((scope) => !has.includes(scope)) : [] }
  } catch (error) {
    throw new Error(`Slack refused the token: ${codeOf(error) || 'it did not answer'}.`)
  }
}

/** @throws Error with Slack's code */
export async function say(secret: SlackSecret, token: string, channel: string, text: string): Promise<void> {
  try {
    await webClient(secret, token).chat.postMessage({ channel, markdown_text: text })
  } catch (error) {
    throw new Error(`Slack refused the message: ${codeOf(error) || 'it did not answer'}.`)
  }
}
