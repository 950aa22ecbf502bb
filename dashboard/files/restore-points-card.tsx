import { useState } from 'react'
import type { PointReason, RestorePoint } from '../../domain/files/restore-point.ts'
import { useServerEvents } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { untilTaskEnds } from '../api/operations.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showCount, showDayTime, showSize } from '../format.ts'
import { FileBrowser } from './file-browser.tsx'

/** The volume as it was: taken daily and before risky changes, or when asked for here. */
export function RestorePointsCard({
  served,
  asleep,
  onRestored,
}: {
  served: boolean
  asleep: boolean
  onRestored: () => void
}) {
  const { data, problem, reload } = useData(berth.listRestorePoints)
  const points = data?.restorePoints
  const [open, setOpen] = useState<string | null>(null)
  const [sure, setSure] = useState<string | null>(null)
  const [outcome, setOutcome] = useState<string | null>(null)

  useServerEvents('files.', reload)

  const keep = useAction(async () => {
    await berth.createRestorePoint()
    reload()
  })
  const restore = useAction(async (id: string) => {
    setSure(null)
    const task = await untilTaskEnds((await berth.restoreFiles({ id })).task.id)
    setOutcome(task.state === 'done' ? `${showCount(task.files ?? 0)} files are back.` : (task.failure ?? 'It failed.'))
    reload()
    onRestored()
  })

  return (
    <section className="card" aria-labelledby="points-title">
      <div className="card-head">
        <h2 id="points-title">Restore points</h2>
        <Button disabled={!served} busy={keep.busy} onClick={() => keep.run()}>
          Keep one now
        </Button>
      </div>
      <p className="hint">
        {asleep
          ? 'Your agent is paused and stays so: a volume worker, a machine without your agent, takes a restore point or goes back to one. In the cloud it needs up to a minute to start.'
          : 'Taken between two turns of your agent, once a day by itself. Only what changed is stored anew.'}
      </p>
      {(keep.problem ?? restore.problem) && <Notice tone="bad">{keep.problem ?? restore.problem}</Notice>}
      {outcome && (
        <p className="muted" role="status">
          {outcome}
        </p>
      )}
      {!points && <Loading problem={problem} retry={reload} />}
      {points?.length === 0 && <p className="muted">None yet.</p>}
      {points && points.length > 0 && (
        <ul className="rows">
          {points.map((point) => (
            <li key={point.id} className={point.state === 'failed' ? 'row inactive' : 'row'}>
              <div className="row-text">
                <p className="row-name">{showDayTime(point.createdAt)}</p>
                <p className="muted">{describePoint(point)}</p>
              </div>
              {point.state === 'ready' && (
                <div className="buttons">
                  <button
                    type="button"
                    className="button plain"
                    aria-expanded={open === point.id}
                    onClick={() => setOpen(open === point.id ? null : point.id)}
                  >
                    {open === point.id ? 'Close' : 'Browse'}
                    <span className="visually-hidden"> {showDayTime(point.createdAt)}</span>
                  </button>
                  <Button
                    variant={sure === point.id ? 'danger' : 'plain'}
                    disabled={!served}
                    busy={restore.busy && sure === null}
                    onClick={() => (sure === point.id ? restore.run(point.id) : setSure(point.id))}
                  >
                    {sure === point.id ? 'Replace everything' : 'Go back'}
                  </Button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {open && <FileBrowser key={open} point={open} />}
    </section>
  )
}

const reasonLabels: Record<PointReason, string> = {
  demand: 'Asked for',
  daily: 'Daily',
  refresh: 'Before a refresh',
  upgrade: 'Before an upgrade',
  runtime: 'Before another program',
  persona: 'Before a persona change',
  restore: 'Before going back',
}

function describePoint({ state, reason, summary, failure }: RestorePoint): string {
  if (state === 'making') return `${reasonLabels[reason]} · being made…`
  if (state === 'failed') return `${reasonLabels[reason]} · ${failure ?? 'failed'}`
  return `${reasonLabels[reason]} · ${showCount(summary?.files ?? 0)} files, ${showSize(summary?.bytes ?? 0)}`
}
