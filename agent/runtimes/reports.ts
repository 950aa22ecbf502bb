import type { Activity } from '../../domain/agent/activity.ts'
import type { AgentContext } from '../../domain/agent/turn.ts'
import type { Loopback } from './loopback.ts'

/** The growing text is told at most this often, and less often while it is refused, ms. */
const progressMs = 100
const refusedMs = 5_000
/** The lease is prolonged this often even when there is nothing new to tell, ms. */
const renewMs = 30_000
/** Activities are told at most this often, and so many of them at once, ms. */
const activityMs = 300
const maxActivitiesAtOnce = 20

/** Tells what a turn shows on its way to the reply: the text as it grows, and what is done. `end` tells the last of it. */
export function startReports(loopback: Loopback, { prompt, limits }: AgentContext) {
  const progress = growingText((from, text) => loopback.progress(prompt.id, from, text), limits)
  let activities: Activity[] = []
  let telling: Promise<void> = Promise.resolve()
  const tellActivities = (): Promise<void> => {
    telling = telling.then(async () => {
      const next = activities.slice(0, maxActivitiesAtOnce)
      if (next.length === 0) return
      activities = activities.slice(next.length)
      // What is lost is not told again: it only shows what is done.
      await loopback.observe({ kind: 'activity', promptId: prompt.id, activities: next }).catch(() => {})
    })
    return telling
  }
  const timer = setInterval(tellActivities, activityMs)
  return {
    show: progress.show,
    activity(activity: Activity): void {
      const { id, tool, target } = activity
      activities.push({
        ...activity,
        id: id.slice(0, 64),
        tool: tool.slice(0, 64),
        ...(target !== undefined && { target: target.slice(0, 200) }),
      })
    },
    async end(): Promise<void> {
      progress.end()
      clearInterval(timer)
      while (activities.length > 0) await tellActivities()
      await telling
    },
  }
}

type Limits = Pick<AgentContext['limits'], 'replyCharacters' | 'progressCharacters'>

/** Tells a text from where it was told on, and anew when it is not how it was. */
function growingText(tell: (from: number, text: string) => Promise<unknown>, limits: Limits) {
  let text = ''
  let shown = ''
  let shownMs = Date.now()
  let waitMs = 0
  let busy = false
  const timer = setInterval(async () => {
    const sinceMs = Date.now() - shownMs
    if (busy || sinceMs < waitMs || (text === shown && sinceMs < renewMs)) return
    busy = true
    const from = text.startsWith(shown) ? shown.length : 0
    const next = text.slice(0, from + limits.progressCharacters)
    shownMs = Date.now()
    const accepted = await tell(from, next.slice(from)).then(
      () => true,
      () => false,
    )
    // Of a report that is lost nothing is known, so the next one is from the beginning.
    shown = accepted ? next : ''
    waitMs = accepted ? 0 : refusedMs
    busy = false
  }, progressMs)
  return {
    show(next: string): void {
      text = next.slice(0, limits.replyCharacters)
    },
    end: () => clearInterval(timer),
  }
}
