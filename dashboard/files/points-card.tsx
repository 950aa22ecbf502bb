import { useCallback, useEffect, useState } from 'react'
import type { PointReason, RestorePoint } from '../../domain/files/point.ts'
import { useChanges } from '../account.tsx'
import { wordsOf } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Loading, Notice } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'
import { showCount, showDayTime } from '../words.ts'
import { Browser } from './browser.tsx'
import { filesApi, showSize, untilDone } from './files-api.ts'

/** The volume as it was: taken daily and before risky changes, or when asked for here. */
export function PointsCard({
  served,
  asleep,
  onRestored,
}: {
  served: boolean
  asleep: boolean
  onRestored: () => void
}) {
  const [points, setPoints] = useState<RestorePoint[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [open, setOpen] = useState<string | null>(null)
  const [sure, setSure] = useState<string | null>(null)
  const [told, setTold] = useState<string | null>(null)

  const read = useCallback(() => {
    filesApi.points().then(
      ({ restorePoints }) => {
        setPoints(restorePoints)
        setProblem(null)
      },
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [])
  useEffect(read, [read])
  useChanges('files.', read)

  const keep = useAction(async () => {
    await filesApi.keep()
    read()
  })
  const restore = useAction(async (id: string) => {
    setSure(null)
    const task = await untilDone((await filesApi.restore(id)).task.id)
    setTold(task.state === 'done' ? `${showCount(task.files ?? 0)} files are back.` : (task.failure ?? 'It failed.'))
    read()
    onRestored()
  })

  return (
    <section className="card" aria-labelledby="points-title">
      <div className="card-head">
        <h2 id="points-title">Restore points</h2>
        <Button disabled={!served} busy={keep.busy} onPress={() => keep.run()}>
          Keep one now
        </Button>
      </div>
      <p className="hint">
        {asleep
          ? 'Your agent is paused and stays so: a keeper, a machine without it, takes a restore point or goes back to one. In the cloud it needs up to a minute to start.'
          : 'Taken between two turns of your agent, once a day by itself. Only what changed is stored anew.'}
      </p>
      {(keep.problem ?? restore.problem) && <Notice tone="bad">{keep.problem ?? restore.problem}</Notice>}
      {told && (
        <p className="muted" role="status">
          {told}
        </p>
      )}
      {!points && <Loading problem={problem} retry={read} />}
      {points?.length === 0 && <p className="muted">None yet.</p>}
      {points && points.length > 0 && (
        <ul className="rows">
          {points.map((point) => (
            <li key={point.id} className={point.state === 'failed' ? 'row gone' : 'row'}>
              <div className="row-what">
                <p className="row-name">{showDayTime(point.createdAt)}</p>
                <p className="muted">{pointWords(point)}</p>
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
                    <span className="unseen"> {showDayTime(point.createdAt)}</span>
                  </button>
                  <Button
                    look={sure === point.id ? 'danger' : 'plain'}
                    disabled={!served}
                    busy={restore.busy && sure === null}
                    onPress={() => (sure === point.id ? restore.run(point.id) : setSure(point.id))}
                  >
                    {sure === point.id ? 'Replace everything' : 'Go back'}
                  </Button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {open && <Browser key={open} point={open} />}
    </section>
  )
}

const reasonWords: Record<PointReason, string> = {
  demand: 'Asked for',
  daily: 'Daily',
  refresh: 'Before a refresh',
  upgrade: 'Before an upgrade',
  persona: 'Before a persona change',
  restore: 'Before going back',
}

function pointWords({ state, reason, census, failure }: RestorePoint): string {
  if (state === 'making') return `${reasonWords[reason]} · being made…`
  if (state === 'failed') return `${reasonWords[reason]} · ${failure ?? 'failed'}`
  return `${reasonWords[reason]} · ${showCount(census?.files ?? 0)} files, ${showSize(census?.bytes ?? 0)}`
}
