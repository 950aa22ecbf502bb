/** The answer to a command, visible only to its sender. Its address is valid for half an hour. */

import type { KnownBlock } from '@slack/types'
import { type Destination, PlatformError } from '../../app/ports/chat-platform.ts'
import { timeoutMs } from './api.ts'
import { isSlacks } from './hosts.ts'
import type { SlackSecret } from './secret.ts'

/** Slack gives such an answer no id, so only the last one can be edited. */
export const responseId = 'response'

export type Respond = (to: Destination, blocks: KnownBlock[], again: boolean) => Promise<{ messageId: string }>

/** @throws PlatformError */
export const responder =
  (readSecret: () => Promise<SlackSecret>): Respond =>
  async ({ context }, blocks, again) => {
    const url = context.responseUrl ?? ''
    if (!isSlacks(url, await readSecret()))
      throw new PlatformError('refused', 'The address to answer at is not Slack’s.')
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ response_type: 'ephemeral', replace_original: again, blocks }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return { messageId: responseId }
    if (!response || response.status >= 500) throw new PlatformError('unavailable', 'Slack did not answer.')
    if (response.status !== 429)
      throw new PlatformError('refused', `Slack answered with the status ${response.status}.`)
    const seconds = Number(response.headers.get('retry-after')) || 1
    throw new PlatformError('rate-limited', 'Slack asks us to wait.', seconds * 1000)
  }
