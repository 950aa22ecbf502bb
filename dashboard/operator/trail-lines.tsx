import type { AuditEntry } from '../../domain/account/audit.ts'
import { showDayTime } from '../format.ts'
import { Link } from '../router.tsx'
import { operatorTexts as words } from '../texts/operator.ts'
import { actText } from '../texts/operator-acts.ts'

interface TrailLinesProps {
  lines: readonly AuditEntry[]
  none: string
  /** The user whose page shows the lines. */
  owner?: string
}

export function TrailLines({ lines, none, owner }: TrailLinesProps) {
  if (lines.length === 0) return <p className="muted">{none}</p>
  return (
    <ul className="card rows">
      {lines.map(({ id, at, operation, record, actor, reason, user }) => (
        <li key={id} className="row">
          <div className="row-text">
            <p className="row-name">{actText(operation)}</p>
            {reason && <p>{reason}</p>}
            <p className="muted">
              {showDayTime(at)} · {words.trail.by(words.trail.actors[actor.kind], actor.id)}
              {user && (
                <>
                  {' · '}
                  <Link to={`/operator?query=${encodeURIComponent(user)}`}>{user}</Link>
                </>
              )}
              {![user, owner, actor.id].includes(record) && (
                <>
                  {' · '}
                  <code>{record}</code>
                </>
              )}
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}
