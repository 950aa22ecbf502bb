import type { Activity } from '../../domain/agent/activity.ts'
import type { AgentContext } from '../../domain/agent/turn.ts'
import { maxActivitiesAtOnce } from '../kit/limits.ts'
import { codePointEnd, cut } from '../kit/text.ts'
import type { Service } from './service.ts'

/** Minimum interval of text reports, and the interval after a refusal, ms. */
const progressMs = 100
const refusedMs = 5_000
/** Maximum interval, which keeps the lease, ms. */
const renewMs = 30_000
/** Minimum interval of activity reports, ms. */
const activityMs = 250

/**
 * Reports a turn's text and activities; lost reports are not repeated. @param stopped the user has stopped the reply
 */
export function startReports(
  service: Pick<Service, 'progress' | 'activity'>,
  { prompt, limits }: Pick<AgentContext, 'limits'> & { prompt: Pick<AgentContext['prompt'], 'id'> },
  stopped: () => void,
) {
  let text = ''
  let shown = ''
  let shownMs = Date.now()
  let waitMs = 0
  let busy = false
  const progress = setInterval(async () => {
    const sinceMs = Date.now() - shownMs
    if (busy || sinceMs < waitMs || (text === shown && sinceMs < renewMs)) return
    busy = true
    // Text that no longer begins with the shown text has started over.
    const from = text.startsWith(shown) ? shown.length : 0
    const next = text.slice(0, codePointEnd(text, from + limits.progressCharacters))
    shownMs = Date.now()
    const accepted = await service.progress(prompt.id, from, next.slice(from)).then(
      (isStopped) => {
        if (isStopped) stopped()
        return true
      },
      () => false,
    )
    // The effect of a lost report is unknown, so the next one starts at the beginning.
    shown = accepted ? next : ''
    waitMs = accepted ? 0 : refusedMs
    busy = false
  }, progressMs)

  let waiting: Activity[] = []
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    for (; waiting.length > 0; waiting = waiting.slice(maxActivitiesAtOnce)) {
      const next = waiting.slice(0, maxActivitiesAtOnce)
      telling = telling.then(() => service.activity(prompt.id, next)).catch(() => {})
    }
    return telling
  }
  return {
    get text(): string {
      return text
    },
    show(next: string): void {
      text = next.slice(0, codePointEnd(next, limits.replyCharacters))
    },
    activity({ id, tool, target, ...rest }: Activity): void {
      const shown = target === undefined ? {} : { target: cut(target, 200) }
      waiting.push({ ...rest, id: cut(id, 64), tool: cut(tool, 64), ...shown })
      timer ??= setTimeout(flush, activityMs)
    },
    /** Stops text reports. Resolves when all activities are reported. */
    end(): Promise<void> {
      clearInterval(progress)
      return flush()
    },
  }
}
