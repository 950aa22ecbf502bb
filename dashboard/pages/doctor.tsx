import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Brand } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { goToConsent, hopsAfter, hopsBefore, readReturn, type Walked, walk } from '../connect/doctor.ts'
import { doctorTexts as words } from '../texts/doctor.ts'
import '../styles/doctor.css'

const returned = readReturn()

/** Checks each step by which a program connects, and names the one that fails. Open to anybody. */
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
    document.title = `${words.title} · Berth`
    if (!returned || started.current) return
    started.current = true
    walk(hopsAfter(returned.answer), returned.known, tell).then((found) => setStage(found ? 'done' : 'failed'))
  }, [])

  const failed = walked.find(({ ok }) => !ok)
  const report = walked
    .map(({ hop, ok, found }) => `${ok ? words.reported.ok : words.reported.failed}  ${hop.name}: ${found}`)
    .join('\n')
  return (
    <main className="sign-in doctor-page">
      <Brand />
      <section className="card authorize-card doctor">
        <h1>{words.title}</h1>
        <p>{words.lead}</p>
        {walked.length > 0 && (
          <ol className="doctor-hops">
            {walked.map(({ hop, ok, found }) => (
              <li key={hop.name} className={ok ? 'good' : 'bad'}>
                <strong>
                  <span aria-hidden="true">{ok ? '✓' : '✗'}</span> {hop.name}
                  <span className="visually-hidden">: {ok ? words.works : words.fails}</span>
                </strong>
                <span className="muted">{hop.what}</span>
                <code>{found}</code>
              </li>
            ))}
          </ol>
        )}
        {stage === 'walking' && (
          <p className="loading muted" role="status">
            <span className="spinner" aria-hidden="true" /> {words.walking}
          </p>
        )}
        {stage === 'consent' && <Notice tone="info">{words.consentNext}</Notice>}
        {stage === 'done' && <Notice tone="good">{words.allWorks(<code>/api/mcp-token</code>)}</Notice>}
        {failed && <Notice tone="bad">{words.stopsAt(failed.hop.name)}</Notice>}
        {(failed || stage === 'done') && <CopyLine label={words.report} text={report} />}
        <div className="buttons end">
          {stage === 'consent' ? (
            <Button variant="primary" onClick={() => goToConsent(known, walked)}>
              {words.toConsent}
            </Button>
          ) : (
            <Button variant={stage === 'new' ? 'primary' : 'plain'} busy={stage === 'walking'} onClick={start}>
              {stage === 'new' ? words.start : words.startAgain}
            </Button>
          )}
        </div>
        <a href="/tokens">{words.tokens}</a>
      </section>
    </main>
  )
}
