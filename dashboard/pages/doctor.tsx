import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Brand } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { goToConsent, hopsAfter, hopsBefore, readReturn, type Walked, walk } from '../connect/doctor.ts'

const returned = readReturn()

/** Walks the way by which a program connects itself, and names the hop that fails. Anybody may open it. */
export function DoctorPage() {
  const [walked, setWalked] = useState<Walked[]>(returned?.walked ?? [])
  const [stage, setStage] = useState<'new' | 'walking' | 'failed' | 'consent' | 'done'>(returned ? 'walking' : 'new')
  const [known, setKnown] = useState<Parameters<typeof goToConsent>[0]>({})
  const started = useRef(false)
  const tell = (each: Walked) => setWalked((before) => [...before, each])

  const start = async () => {
    setWalked([])
    setStage('walking')
    const found = await walk(hopsBefore, {}, tell)
    setKnown(found ?? {})
    setStage(found ? 'consent' : 'failed')
  }
  useEffect(() => {
    document.title = 'Check the connection · Berth'
    if (!returned || started.current) return
    started.current = true
    walk(hopsAfter(returned.answer), returned.known, tell).then((found) => setStage(found ? 'done' : 'failed'))
  }, [])

  const failed = walked.find(({ ok }) => !ok)
  const report = walked.map(({ hop, ok, found }) => `${ok ? 'ok' : 'FAILED'}  ${hop.name}: ${found}`).join('\n')
  return (
    <main className="sign-in">
      <Brand />
      <section className="card authorize-card doctor">
        <h1>Check the connection</h1>
        <p>
          When a program cannot connect to your account, this page finds out where it stops: it goes the same way, hop
          by hop. It connects itself for a moment, sees your balance and ends the connection again.
        </p>
        {walked.length > 0 && (
          <ol className="doctor-hops">
            {walked.map(({ hop, ok, found }) => (
              <li key={hop.name} className={ok ? 'good' : 'bad'}>
                <strong>
                  <span aria-hidden="true">{ok ? '✓' : '✗'}</span> {hop.name}
                  <span className="visually-hidden">{ok ? ': works' : ': fails'}</span>
                </strong>
                <span className="muted">{hop.what}</span>
                <code>{found}</code>
              </li>
            ))}
          </ol>
        )}
        {stage === 'walking' && (
          <p className="loading muted" role="status">
            <span className="spinner" aria-hidden="true" /> Walking…
          </p>
        )}
        {stage === 'consent' && (
          <Notice tone="info">
            So far all is well. Next you sign in, if you are not, and let this page see your balance.
          </Notice>
        )}
        {stage === 'done' && (
          <Notice tone="good">
            Every hop works. If a program still cannot connect, it may not follow this way: give it a token, and the
            address <code>/api/mcp-token</code>.
          </Notice>
        )}
        {failed && (
          <Notice tone="bad">
            It stops at “{failed.hop.name}”. Send the lines below to whoever runs this service.
          </Notice>
        )}
        {(failed || stage === 'done') && <CopyLine label="Report" text={report} />}
        <div className="buttons end">
          {stage === 'consent' ? (
            <Button variant="primary" onClick={() => goToConsent(known, walked)}>
              Go to the consent page
            </Button>
          ) : (
            <Button variant={stage === 'new' ? 'primary' : 'plain'} busy={stage === 'walking'} onClick={start}>
              {stage === 'new' ? 'Start' : 'Start again'}
            </Button>
          )}
        </div>
        <a href="/tokens">Tokens and connected apps</a>
      </section>
    </main>
  )
}
