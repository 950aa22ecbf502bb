import { useEffect, useState } from 'react'
import type { Group } from '../../domain/notifications/kinds.ts'
import { Button } from '../components/button.tsx'
import { Brand } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { notificationTexts as words } from '../texts/notifications.ts'

const { unsubscribe } = words

const token = location.hash.slice(1)
const group = token.split('.')[1]
const about = words.groups[group as Group]?.[0] // safe because what is no group has no words

/** Turns off the e-mails of an unsubscribe link, without a sign-in. */
export function UnsubscribePage() {
  const [state, setState] = useState<'asking' | 'busy' | 'done' | 'failed'>(about ? 'asking' : 'failed')
  useEffect(() => {
    document.title = `${unsubscribe.title} · Berth`
  }, [])
  const off = async () => {
    setState('busy')
    const answer = await fetch(`/api/notifications/unsubscribe/${token}`, { method: 'POST' }).catch(() => null)
    setState(answer?.ok ? 'done' : 'failed')
  }
  return (
    <main className="sign-in">
      <Brand />
      <section className="card authorize-card">
        <h1>{unsubscribe.title}</h1>
        {state === 'failed' && <Notice tone="bad">{unsubscribe.wrong}</Notice>}
        {state === 'done' && about && (
          <>
            <Notice tone="good">{unsubscribe.done(about)}</Notice>
            <p>
              <a href="/notifications?tab=settings">{unsubscribe.settings}</a>
            </p>
          </>
        )}
        {(state === 'asking' || state === 'busy') && about && (
          <>
            <p>{unsubscribe.ask(about)}</p>
            <Button variant="primary" busy={state === 'busy'} onClick={off}>
              {unsubscribe.off}
            </Button>
          </>
        )}
      </section>
    </main>
  )
}
