import { useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { Loading } from '../components/notice.tsx'
import { ExportCard } from '../files/export-card.tsx'
import { FileBrowser } from '../files/file-browser.tsx'
import { RestorePointsCard } from '../files/restore-points-card.tsx'

/** What is on the machine's volume, now and at each restore point. */
export function FilesPage() {
  const { status, problem, reload } = useAccount()
  const [restored, setRestored] = useState(0)
  const instance = status?.instance
  const asleep = instance?.state === 'paused'
  const served = asleep || instance?.state === 'running'
  return (
    <>
      <h1>Files</h1>
      {!status && <Loading problem={problem} retry={reload} />}
      {status && !instance && (
        <div className="card empty">
          <p>There are no files yet.</p>
          <p className="muted">Choose a plan on the instance page; your machine comes with a volume of its own.</p>
        </div>
      )}
      {instance && (
        <>
          <FileBrowser key={`${instance.state}-${restored}`} asleep={asleep} />
          <RestorePointsCard served={served} asleep={asleep} onRestored={() => setRestored((count) => count + 1)} />
          <ExportCard served={served} />
        </>
      )}
    </>
  )
}
