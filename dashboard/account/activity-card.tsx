import { useEffect, useState } from 'react'
import type { AuditEntry } from '../../domain/account/audit.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showDayTime } from '../format.ts'

const actorLabels: Record<AuditEntry['actor']['kind'], string> = {
  session: 'you, in a browser',
  pat: 'a token',
  machine: 'your agent',
  anonymous: 'somebody not signed in',
  service: 'Berth',
  channel: 'a linked chat',
  operator: 'Support',
}

const operationLabels: Record<string, string> = {
  verify: 'Signed in with a mailed code',
  verifyPasskey: 'Signed in with a passkey',
  logout: 'Signed out',
  endSession: 'Signed out a device',
  mintToken: 'Made a token',
  rerollToken: 'Replaced a token',
  reportLeakedToken: 'Reported a token as leaked',
  updateAccount: 'Changed the e-mail address',
  exportAccount: 'Downloaded the account’s data',
  createExport: 'Asked for an archive of the files',
  getFilesTask: 'Fetched an archive of the files',
  restoreFiles: 'Brought back files of',
  setInstanceEnv: 'Changed variables',
}

/** What was done; an operation without words of its own by its id: `pauseInstance` is "Pause instance". */
const operationLabel = (id: string): string => {
  if (operationLabels[id]) return operationLabels[id]
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function ActivityCard() {
  const [entries, setEntries] = useState<AuditEntry[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const read = useAction(async (after: string | null) => {
    const page = await berth.listAudit({ limit: 15, cursor: after ?? undefined })
    setEntries((before) => [...(after ? (before ?? []) : []), ...page.entries])
    setCursor(page.nextCursor)
  })
  useEffect(() => {
    read.run(null)
  }, [])
  return (
    <section aria-labelledby="activity-title">
      <h2 id="activity-title">What was done</h2>
      {!entries && <Loading problem={read.problem} retry={() => read.run(null)} />}
      {entries && (
        <ul className="card rows">
          {entries.map(({ id, operation, record, at, actor }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">
                  {operationLabel(operation)} <code>{record.slice(0, 12)}…</code>
                </p>
                <p className="muted">
                  {showDayTime(at)}
                  {!operation.startsWith('verify') && ` · by ${actorLabels[actor.kind] ?? actor.kind}`}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {cursor && (
        <p className="more">
          <Button busy={read.busy} onClick={() => read.run(cursor)}>
            Show older
          </Button>
        </p>
      )}
    </section>
  )
}
