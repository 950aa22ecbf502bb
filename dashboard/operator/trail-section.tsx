import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { usePages } from '../data/cache.ts'
import { texts } from '../texts/index.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { TrailLines } from './trail-lines.tsx'

export function TrailSection() {
  const { items, problem, reload, more, busy } = usePages('listOperatorsTrail', 'entries', { limit: 25 })
  return (
    <>
      <p className="muted page-lead">{words.trail.lead}</p>
      {items ? <TrailLines lines={items} none={words.trail.none} /> : <Loading problem={problem} retry={reload} />}
      {more && (
        <Button busy={busy} onClick={more}>
          {texts.common.showOlder}
        </Button>
      )}
    </>
  )
}
