import { minuteMs } from '../../domain/time.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { useNow } from '../components/use-now.ts'
import { showAgo, showDayTime } from '../format.ts'
import { connectTexts } from '../texts/connect.ts'

/** An app's grant is used once to make its first token, which is no call. */
export const hasCalled = ({ lastUsedAt, createdAt, app }: Pick<Pat, 'lastUsedAt' | 'createdAt' | 'app'>): boolean =>
  lastUsedAt !== null && !(app && lastUsedAt === createdAt)

/** The client's own name is isolated from our text direction. */
export function LastCall({ token }: { token: Pat }) {
  const words = connectTexts.state
  const at = token.lastUsedAt
  const fresh = at !== null && Date.now() - Date.parse(at) < 2 * minuteMs
  const nowMs = useNow(fresh ? 1_000 : minuteMs / 2)
  if (at === null || !hasCalled(token)) return words.noCall
  const ago = (
    <time dateTime={at} title={showDayTime(at)}>
      {showAgo(at, nowMs)}
    </time>
  )
  const by = token.lastClient ?? token.app?.host
  return by ? words.lastCall(ago, <bdi>{by}</bdi>) : words.lastCallOf(ago)
}
