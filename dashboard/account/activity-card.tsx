import { usePages } from '../api/cache.ts'
import { Loading } from '../components/notice.tsx'
import { ShowOlder } from '../components/show-older.tsx'
import { showDayTime } from '../format.ts'
import { accountTexts } from '../texts/account.ts'

const words = accountTexts.activity
const operations = new Map(Object.entries(accountTexts.operations))

/** An operation without a text is shown by its id: `pauseInstance` is "Pause instance". */
const operationLabel = (id: string): string => {
  const known = operations.get(id)
  if (known) return known
  const name = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

export function ActivityCard() {
  const { items: entries, problem, reload, more, busy } = usePages('listAudit', 'entries', { limit: 15 })
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
