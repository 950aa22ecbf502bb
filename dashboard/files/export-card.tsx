import { useState } from 'react'
import type { FilesTask } from '../../domain/files/task-view.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { untilTaskEnds } from '../data/operations.ts'
import { showCount } from '../format.ts'
import { filesTexts } from '../texts/files.ts'

export function ExportCard({ served }: { served: boolean }) {
  const [done, setDone] = useState<FilesTask | null>(null)
  const make = useAction(async () => {
    setDone(null)
    setDone(await untilTaskEnds((await berth.createExport()).task.id))
  })
  return (
    <section className="card" aria-labelledby="export-title">
      <h2 id="export-title">{filesTexts.export}</h2>
      <p className="muted">{filesTexts.exportHint}</p>
      {(make.problem ?? done?.failure) && <Notice tone="bad">{make.problem ?? done?.failure}</Notice>}
      {done?.url ? (
        <p role="status">
          <a className="button primary" href={done.url} download>
            {filesTexts.exportDownload}
          </a>{' '}
          <span className="muted">{filesTexts.fileCount(showCount(done.summary?.files ?? 0))}</span>
        </p>
      ) : (
        <Button disabled={!served} busy={make.busy} onClick={() => make.run()}>
          {filesTexts.exportDo}
        </Button>
      )}
    </section>
  )
}
