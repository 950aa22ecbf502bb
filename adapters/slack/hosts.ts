import { originOf } from './api.ts'
import type { SlackSecret } from './secret.ts'

/** Whether a token may be sent to an address: `https` at `slack.com` or below, or the origin of the emulator. */
export function isSlacks(address: string, secret: Pick<SlackSecret, 'apiBase'>): boolean {
  const url = URL.parse(address)
  if (url?.username !== '' || url.password !== '') return false
  if (secret.apiBase) return url.origin === originOf(secret)
  return url.protocol === 'https:' && url.port === '' && /(^|\.)slack\.com$/.test(url.hostname)
}
