import { PlatformError } from '../ports/chat-platform.ts'

/** ms since 1970; null for no further attempt. */
export function nextTryMs(error: unknown, delaysMs: readonly number[], failures: number, nowMs: number): number | null {
  const platform = error instanceof PlatformError ? error : null
  if (platform?.reason === 'gone' || platform?.reason === 'refused') return null
  const delay = delaysMs[failures]
  return delay === undefined ? null : nowMs + Math.max(delay, platform?.retryAfterMs ?? 0)
}
