import type { AuditEntry } from '../../domain/account/audit.ts'
import { showDayTime } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'

/** Shown as stored: operators know the operations. */
export function TrailLines({ lines, none }: { lines: readonly AuditEntry[]; none: string }) {
  if (lines.length === 0) return <p className="muted">{none}</p>
  return (
    <ul className="card rows">
      {lines.map(({ id, at, operation, record, actor, reason, user }) => (
        <li key={id} className="row">
          <div className="row-text">
            <p className="row-name">
              {operation} <code>{record}</code>
            </p>
            <p className="muted">
              {showDayTime(at)} · {words.trail.by(`${actor.kind} ${actor.id ?? ''}`.trim())}
              {user && user !== record && ` · ${user}`}
            </p>
            {reason && <p>{reason}</p>}
          </div>
        </li>
      ))}
    </ul>
  )
}
