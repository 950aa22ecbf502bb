import { useEffect } from 'react'
import type { View } from '../../clients/typescript/operations.ts'
import { minuteMs, secondMs } from '../../domain/time.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { useNow } from '../components/use-now.ts'
import { refreshAll } from '../data/stale-reads.ts'
import { operatorTexts as words } from '../texts/operator.ts'

/** A viewed user gets no events: pages poll at this interval, ms. */
const againMs = 30 * secondMs

export const reasonId = 'view-reason'

/** Shows on every page who is viewed, why and for how long; cannot be dismissed. */
export function ViewBanner({ view, person, end }: { view: View; person: string; end: () => Promise<void> }) {
  const leftMs = Math.max(0, Date.parse(view.endsAt) - useNow())
  const ending = useAction(end)
  useEffect(() => {
    const timer = setInterval(refreshAll, againMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <aside className="view-banner" aria-label={words.view.label}>
      <p>
        <strong>{words.view.seen(person)}</strong>{' '}
        <span id={reasonId}>{view.messages ? words.view.readOnlyWithMessages : words.view.readOnly}</span>
      </p>
      <p>
        {words.view.because(view.reason)} · {words.view.left(Math.floor(leftMs / minuteMs))}
      </p>
      {ending.problem && <p role="alert">{ending.problem}</p>}
      <Button variant="primary" busy={ending.busy} onClick={() => void ending.run()}>
        {words.view.end}
      </Button>
    </aside>
  )
}
