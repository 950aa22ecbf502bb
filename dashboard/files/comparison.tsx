import { useState } from 'react'
import { ComparisonView } from '../compare/comparison-view.tsx'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { shownName } from '../components/shown-name.ts'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showCount, showSize } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { done, readContent, textOf } from './volume.ts'
import { WorkerNote } from './worker-note.tsx'

/** Maximum of texts that are compared line by line, bytes. */
const maxCompared = 300_000

export function Comparison({ point }: { point: string }) {
  const { data, problem, reload } = useRead('compareRestorePoint', { id: point })
  const t = filesTexts
  if (!data)
    return (
      <>
        <WorkerNote busy={!problem} />
        <Loading problem={problem} retry={reload} />
      </>
    )
  const { added, changed, removed, changes, more } = data
  if (added + changed + removed === 0) return <p className="muted">{t.same}</p>
  return (
    <div className="comparison">
      <p role="status">
        {t.compared(showCount(added), showCount(changed), showCount(removed))} {more && t.firstNamed}
      </p>
      <ul className="rows">
        {changes.map((change) => (
          <ChangeRow key={change.path} point={point} change={change} />
        ))}
      </ul>
    </div>
  )
}

type Change = NonNullable<ReturnType<typeof useRead<'compareRestorePoint'>>['data']>['changes'][number]

function ChangeRow({ point, change: { path, change, before, now } }: { point: string; change: Change }) {
  const [isOpen, setIsOpen] = useState(false)
  const t = filesTexts
  const bring = useAction(async () => void (await done(berth.restoreFiles({ id: point, path }))))
  return (
    <li className="row file-row">
      <div className="row-text">
        <p className="row-name">
          <bdi>{shownName(path)}</bdi>
        </p>
        <p className="muted">
          {t.change[change]} ·{' '}
          {[before, now].flatMap((version) => (version ? [showSize(version.size)] : [])).join(' → ')}
        </p>
        {bring.problem && <Notice tone="bad">{bring.problem}</Notice>}
        {isOpen && <Differences point={point} path={path} has={{ before: before !== null, now: now !== null }} />}
      </div>
      <div className="buttons">
        <button type="button" className="button plain" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t.differences}
          <span className="visually-hidden"> {path}</span>
        </button>
        {before && (
          <Button of={path} busy={bring.busy} onClick={() => bring.run()}>
            {t.bringBack}
          </Button>
        )}
      </div>
    </li>
  )
}

function Differences({ point, path, has }: { point: string; path: string; has: { before: boolean; now: boolean } }) {
  const [both, setBoth] = useState<{ before: string; after: string } | 'none' | null>(null)
  const t = filesTexts
  const read = useAction(async () => {
    const [before, after] = await Promise.all([
      has.before ? readText(path, point) : '',
      has.now ? readText(path, null) : '',
    ])
    setBoth(before === null || after === null ? 'none' : { before, after })
  })
  if (both === null && !read.busy && !read.problem) void read.run()
  if (both === null) return <Loading problem={read.problem} retry={() => void read.run()} />
  if (both === 'none') return <p className="muted">{t.noText}</p>
  return <ComparisonView {...both} names={{ before: t.inThePoint, after: t.thereNow }} />
}

const readText = async (path: string, point: string | null): Promise<string | null> => {
  const { bytes } = await readContent(path, point)
  return bytes.length > maxCompared ? null : textOf(bytes)
}
