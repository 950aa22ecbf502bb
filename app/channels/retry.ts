import { retryDelaysMs } from '../../domain/channels/delivery.ts'
import { PlatformError } from './platform-port.ts'

/** When to try again what failed for so many times before, ms since 1970; null when that is of no use. */
export function nextTryMs(error: unknown, failures: number, nowMs: number): number | null {
  const platform = error instanceof PlatformError ? error : null
  if (platform?.reason === 'gone' || platform?.reason === 'refused') return null
  const delay = retryDelaysMs[failures]
  return delay === undefined ? null : nowMs + Math.max(delay, platform?.retryAfterMs ?? 0)
}
