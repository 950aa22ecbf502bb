import type { Activity } from '../../domain/agent/activity.ts'

/** The latest are shown; what came before is a number. */
const shown = 6

/** What the agent does on its way to an answer. Not read out one by one: there may be many. */
export function ActivityList({ activities }: { activities: Activity[] }) {
  if (activities.length === 0) return null
  const before = activities.length - shown
  return (
    <ol className="activities" aria-label="What your agent does">
      {before > 0 && <li className="muted">{before} earlier</li>}
      {activities.slice(-shown).map(({ id, tool, state, target, durationMs, child }) => (
        <li key={id} className={`activity ${state}`}>
          <span className="activity-mark" aria-hidden="true">
            {marks[state]}
          </span>
          <span className="activity-tool">{child ? `${child}: ${tool}` : tool}</span>
          {target && <code className="activity-target">{target}</code>}
          <span className="activity-end">
            {state === 'failed' ? 'failed' : <span className="visually-hidden">{state}</span>}
            {durationMs !== undefined && ` ${showDuration(durationMs)}`}
          </span>
        </li>
      ))}
    </ol>
  )
}

const marks = { started: '…', finished: '✓', failed: '×' } as const

const showDuration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)
