import { useState } from 'react'
import type { RestorePoint } from '../../domain/files/restore-point.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { refresh, useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { untilTaskEnds } from '../data/operations.ts'
import { showCount, showDayTime, showSize } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { Comparison } from './comparison.tsx'
import { FileBrowser } from './file-browser.tsx'

export function RestorePointsCard({ served, asleep }: { served: boolean; asleep: boolean }) {
  const { data, problem, reload } = useRead('listRestorePoints')
  const points = data?.restorePoints
  const t = filesTexts
  const [open, setOpen] = useState<{ id: string; as: 'browse' | 'compare'; path: string } | null>(null)
  const toggle = (id: string, as: 'browse' | 'compare') =>
    setOpen(open?.id === id && open.as === as ? null : { id, as, path: '' })
  const [sure, setSure] = useState<string | null>(null)
  const [outcome, setOutcome] = useState<string | null>(null)

  const keep = useAction(async () => {
    await berth.createRestorePoint()
    reload()
  })
  const restore = useAction(async (id: string) => {
    setSure(null)
    const task = await untilTaskEnds((await berth.restoreFiles({ id })).task.id)
    setOutcome(task.state === 'done' ? t.filesBack(showCount(task.files ?? 0)) : (task.failure ?? t.failed))
    reload()
    refresh('listFiles', 'searchFiles', 'compareRestorePoint', 'getFile')
  })

  return (
    <section className="card" aria-labelledby="points-title">
      <div className="card-head">
        <h2 id="points-title">{t.points}</h2>
        <Button disabled={!served} busy={keep.busy} onClick={() => keep.run()}>
          {t.keepOne}
        </Button>
      </div>
      <p className="hint">{asleep ? t.pointsPaused : t.pointsHint}</p>
      {(keep.problem ?? restore.problem) && <Notice tone="bad">{keep.problem ?? restore.problem}</Notice>}
      {outcome && (
        <p className="muted" role="status">
          {outcome}
        </p>
      )}
      {!points && <Loading problem={problem} retry={reload} />}
      {points?.length === 0 && <p className="muted">{t.noPoints}</p>}
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
                  {(['browse', 'compare'] as const).map((as) => (
                    <button
                      key={as}
                      type="button"
                      className="button plain"
                      aria-expanded={open?.id === point.id && open.as === as}
                      onClick={() => toggle(point.id, as)}
                    >
                      {t[as]}
                      <span className="visually-hidden"> {showDayTime(point.createdAt)}</span>
                    </button>
                  ))}
                  <Button
                    variant={sure === point.id ? 'danger' : 'plain'}
                    disabled={!served}
                    busy={restore.busy && sure === null}
                    onClick={() => (sure === point.id ? restore.run(point.id) : setSure(point.id))}
                  >
                    {sure === point.id ? t.replaceAll : t.goBack}
                  </Button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {open?.as === 'compare' && <Comparison key={open.id} point={open.id} />}
      {open?.as === 'browse' && (
        <FileBrowser key={open.id} point={open.id} path={open.path} onFolder={(path) => setOpen({ ...open, path })} />
      )}
    </section>
  )
}

function describePoint({ state, reason, summary, failure }: RestorePoint): string {
  if (state === 'making') return `${filesTexts.reason[reason]} · ${filesTexts.making}`
  if (state === 'failed') return `${filesTexts.reason[reason]} · ${failure ?? filesTexts.failed}`
  return `${filesTexts.reason[reason]} · ${filesTexts.inAll(showCount(summary?.files ?? 0), showSize(summary?.bytes ?? 0))}`
}
