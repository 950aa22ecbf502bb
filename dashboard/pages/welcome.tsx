import { useEffect, useState } from 'react'
import type { Account } from '../../domain/account/user.ts'
import { Brand } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { trialTexts } from '../texts/trial.ts'
import { welcomeTexts as words } from '../texts/welcome.ts'
import { TrialCard } from '../trial/trial-card.tsx'
import { Prices } from '../welcome/prices.tsx'
import { SampleConversation } from '../welcome/sample.tsx'
import { SignInCard } from './sign-in.tsx'

export function WelcomePage({ onSignedIn }: { onSignedIn: (account: Account) => void }) {
  useEffect(() => {
    document.title = words.documentTitle
  }, [])
  return (
    <main className="welcome-page">
      <Brand />
      <div className="welcome-top">
        <div className="welcome-claim">
          <h1>{words.claim}</h1>
          <p className="lead">{words.lead}</p>
        </div>
        <WayIn onSignedIn={onSignedIn} />
        <SampleConversation sample={words.sample} />
      </div>
      <ul className="promises">
        {words.promises.map(({ title, text }) => (
          <li key={title} className="card">
            <h2>{title}</h2>
            <p className="muted">{text}</p>
          </li>
        ))}
      </ul>
      <Prices words={words} />
      <p className="muted">
        {words.developers} <a href="/docs">{words.apiDocs}</a>
      </p>
    </main>
  )
}

/** Offers the trial first, if available. */
function WayIn({ onSignedIn }: { onSignedIn: (account: Account) => void }) {
  const { data, problem } = useRead('listPlans')
  const [hasAccount, setHasAccount] = useState(false)
  if (!data && !problem) return <section className="card sign-in-card waiting" aria-busy="true" />
  const trial = data?.trial ?? null
  if (trial?.open && !hasAccount)
    return <TrialCard offer={trial} onSignedIn={onSignedIn} onHaveAccount={() => setHasAccount(true)} />
  return (
    <div className="way-in">
      {trial && !trial.open && <Notice tone="info">{trialTexts.usedUp}</Notice>}
      <SignInCard because={undefined} onSignedIn={onSignedIn} heading="h2" />
      {trial?.open && (
        <button type="button" className="link-button" onClick={() => setHasAccount(false)}>
          {trialTexts.back}
        </button>
      )}
    </div>
  )
}
