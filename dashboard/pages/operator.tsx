import { type ReactNode, useEffect } from 'react'
import { Boundary } from '../components/boundary.tsx'
import { Button } from '../components/button.tsx'
import { Brand } from '../components/icons.tsx'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { refreshAll } from '../data/stale-reads.ts'
import { BooksSection } from '../operator/books-section.tsx'
import { FleetSection } from '../operator/fleet-section.tsx'
import { LettersSection } from '../operator/letters.tsx'
import { NoticesSection } from '../operator/notices-section.tsx'
import { RolloutSection } from '../operator/rollout-section.tsx'
import { TrailSection } from '../operator/trail-section.tsx'
import { TrialsSection } from '../operator/trials-section.tsx'
import { UsersSection } from '../operator/users-section.tsx'
import { StandingView } from '../operator/view-acts.tsx'
import { Link, useSearchState } from '../router.tsx'
import { askToSignIn } from '../step-up/ask.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import '../styles/operator.css'

type Section = keyof typeof words.sections
const sections = Object.keys(words.sections) as Section[] // safe because they are its own keys

async function signInAgain(): Promise<void> {
  if (await askToSignIn('passkey')) refreshAll()
}

/** For the operators in the stage's configuration. */
export function OperatorPage() {
  const [section] = useSearchState<Section>('section', 'users')
  const { data, problem, reload } = useRead('getOperator')
  useEffect(() => {
    document.title = `${words.title} · Berth`
  }, [])
  const shown: Record<Section, () => ReactNode> = {
    users: () => <UsersSection maxCents={data ? Math.min(data.maxCents, data.maxDayCents - data.movedCents) : 0} />,
    fleet: () => <FleetSection />,
    books: () => <BooksSection />,
    letters: () => <LettersSection />,
    rollout: () => <RolloutSection />,
    trials: () => <TrialsSection />,
    notices: () => <NoticesSection />,
    trail: () => <TrailSection />,
  }
  return (
    <div className="layout operator-page">
      <header className="operator-header">
        <Link to="/" className="home" label={words.back}>
          <Brand />
        </Link>
        <p className="muted">{data?.email}</p>
        <Button onClick={() => void signInAgain()}>{words.signInAgain}</Button>
      </header>
      <main id="main" className="page">
        <h1>{words.title}</h1>
        {!data && (
          <>
            <Loading problem={problem} retry={reload} />
            {problem && <p className="muted">{words.signInWhy}</p>}
          </>
        )}
        {data && (
          <>
            <nav className="tabs operator-tabs" aria-label={words.sectionsLabel}>
              {sections.map((name) => (
                <Link
                  key={name}
                  to={name === 'users' ? '/operator' : `/operator?section=${name}`}
                  current={name === section}
                >
                  {words.sections[name]}
                </Link>
              ))}
            </nav>
            <StandingView />
            <Boundary key={section}>{(shown[section] ?? shown.users)()}</Boundary>
          </>
        )}
      </main>
    </div>
  )
}
