import { lazy, Suspense, useEffect, useState } from 'react'
import { BerthError } from '../clients/typescript/client.ts'
import type { Account } from '../domain/account/user.ts'
import { AccountProvider } from './account-state.tsx'
import { Brand } from './components/icons.tsx'
import { Loading } from './components/notice.tsx'
import { cache, refresh, useRead } from './data/cache.ts'
import { session } from './data/client.ts'
import { noteSignedIn } from './data/early.ts'
import { Layout } from './layout.tsx'
import { usePath } from './router.tsx'
import { StepUpHost } from './step-up/host.tsx'
import { texts } from './texts/index.ts'
import { viewing } from './viewing.ts'

const SignInPage = lazy(async () => ({ default: (await import('./pages/sign-in.tsx')).SignInPage }))
const WelcomePage = lazy(async () => ({ default: (await import('./pages/welcome.tsx')).WelcomePage }))
const AuthorizePage = lazy(async () => ({ default: (await import('./pages/authorize.tsx')).AuthorizePage }))
const DoctorPage = lazy(async () => ({ default: (await import('./pages/doctor.tsx')).DoctorPage }))

const ViewPage = lazy(async () => ({ default: (await import('./pages/view.tsx')).ViewPage }))
const UnsubscribePage = lazy(async () => ({ default: (await import('./pages/unsubscribe.tsx')).UnsubscribePage }))
const OperatorPage = lazy(async () => ({ default: (await import('./pages/operator.tsx')).OperatorPage }))

export const App = () => (
  <Suspense fallback={<Waiting problem={null} retry={() => {}} />}>{viewing ? <ViewPage /> : <Visited />}</Suspense>
)

function Visited() {
  const path = usePath()
  const { data, error, problem, reload } = useRead('getSession')
  /** Shown on the sign-in page after the session has ended. */
  const [ended, setEnded] = useState<string | null>(null)

  useEffect(() => {
    const over = () => setEnded((before) => before ?? texts.common.sessionEnded)
    session.addEventListener('signed-out', over)
    return () => session.removeEventListener('signed-out', over)
  }, [])

  const isOut = error instanceof BerthError && error.code === 'unauthorized'
  useEffect(() => {
    if (data) noteSignedIn(true)
    else if (isOut) noteSignedIn(false)
  }, [data, isOut])

  const signedIn = (account: Account) => {
    cache.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'getSession' })
    cache.setQueryData(['getSession', {}], { account })
    refresh('getSession')
    setEnded(null)
  }

  if (path === '/connect/doctor') return <DoctorPage />
  if (path === '/unsubscribe') return <UnsubscribePage />
  if (ended === null && isOut && path === '/') return <WelcomePage onSignedIn={signedIn} />
  if (ended !== null || isOut) return <SignInPage because={ended ?? undefined} onSignedIn={signedIn} />
  if (!data) return <Waiting problem={problem} retry={reload} />
  return (
    <>
      <SignedIn account={data.account} path={path} onSignedOut={() => setEnded(texts.common.signedOut)} />
      <StepUpHost account={data.account} />
    </>
  )
}

function SignedIn({ account, path, onSignedOut }: { account: Account; path: string; onSignedOut: () => void }) {
  if (path === '/operator') return <OperatorPage key={account.id} />
  if (path === '/authorize') return <AuthorizePage account={account} />
  return (
    <AccountProvider key={account.id} account={account}>
      <Layout onSignedOut={onSignedOut} />
    </AccountProvider>
  )
}

const Waiting = (props: { problem: string | null; retry: () => void }) => (
  <main className="sign-in late">
    <Brand />
    <Loading {...props} />
  </main>
)
