import { useState } from 'react'
import type { Activity } from '../../domain/agent/activity.ts'
import { showCount, showSize } from '../format.ts'
import { clean } from '../markdown/clean.ts'
import { texts } from '../texts/index.ts'

const shown = 6

/** Not announced to screen readers: there may be many steps. */
export function ActivityList({ activities }: { activities: Activity[] }) {
  const [all, setAll] = useState(false)
  if (activities.length === 0) return null
  const before = all ? 0 : Math.max(activities.length - shown, 0)
  return (
    <ol className="activities" aria-label={texts.chat.whatAgentDoes}>
      {before > 0 && (
        <li>
          <button type="button" className="link-button" data-reads onClick={() => setAll(true)}>
            {texts.chat.earlierSteps(showCount(before))}
          </button>
        </li>
      )}
      {activities.slice(before).map(({ id, tool, state, target, durationMs, bytes, child }) => (
        <li key={id} className={`activity ${state}`}>
          <span className="activity-mark" aria-hidden="true">
            {marks[state]}
          </span>
          <span className="activity-tool">{clean(child ? `${child}: ${tool}` : tool)}</span>
          {target && <code className="activity-target">{clean(target)}</code>}
          <span className="activity-end">
            <span className={state === 'failed' ? undefined : 'visually-hidden'}>{texts.chat.stepStates[state]}</span>
            {durationMs !== undefined && ` ${showDuration(durationMs)}`}
            {bytes !== undefined && `, ${showSize(bytes)}`}
          </span>
        </li>
      ))}
    </ol>
  )
}

const marks = { started: '…', finished: '✓', failed: '×' } as const

const showDuration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)
