import { useState } from 'react'
import type { FilesTask } from '../../domain/files/task-view.ts'
import { berth } from '../api/client.ts'
import { untilTaskEnds } from '../api/operations.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showCount } from '../format.ts'

/** Everything on the volume as one archive. */
export function ExportCard({ served }: { served: boolean }) {
  const [done, setDone] = useState<FilesTask | null>(null)
  const make = useAction(async () => {
    setDone(null)
    setDone(await untilTaskEnds((await berth.createExport()).task.id))
  })
  return (
    <section className="card" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <p className="muted">All files in one .tar.gz archive. The link works for a few minutes.</p>
      {(make.problem ?? done?.failure) && <Notice tone="bad">{make.problem ?? done?.failure}</Notice>}
      {done?.url ? (
        <p role="status">
          <a className="button primary" href={done.url} download>
            Download the archive
          </a>{' '}
          <span className="muted">{showCount(done.summary?.files ?? 0)} files</span>
        </p>
      ) : (
        <Button disabled={!served} busy={make.busy} onClick={() => make.run()}>
          Make an archive
        </Button>
      )}
    </section>
  )
}
