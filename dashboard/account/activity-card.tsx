import { Loading } from '../components/notice.tsx'
import { ShowOlder } from '../components/show-older.tsx'
import { usePages } from '../data/cache.ts'
import { showDayTime } from '../format.ts'
import { accountTexts } from '../texts/account.ts'
import { operationLabel } from './operation-label.ts'

const words = accountTexts.activity

/** Entries that are shown at first. */
export const activityInput = { limit: 15 }

export function ActivityCard() {
  const { items: entries, problem, reload, more, busy } = usePages('listAudit', 'entries', activityInput)
  return (
    <section aria-labelledby="activity-title">
      <h2 id="activity-title">{words.title}</h2>
      {!entries && <Loading problem={problem} retry={reload} />}
      {entries && (
        <ul className="card rows">
          {entries.map(({ id, operation, record, at, actor, reason }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">
                  {operationLabel(operation)} <code>{record.slice(0, 12)}…</code>
                </p>
                <p className="muted">
                  {showDayTime(at)}
                  {!operation.startsWith('verify') && ` · ${words.by(words.actors[actor.kind] ?? actor.kind)}`}
                </p>
                {reason && <p>{reason}</p>}
              </div>
            </li>
          ))}
        </ul>
      )}
      <ShowOlder reads more={more} busy={busy} />
    </section>
  )
}
