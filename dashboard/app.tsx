import { useCallback, useEffect, useState } from 'react'
import { BerthError } from '../clients/typescript/client.ts'
import type { Account } from '../domain/account/user.ts'
import { AccountProvider } from './account-state.tsx'
import { berth, errorText, session } from './api/client.ts'
import { Brand } from './components/icons.tsx'
import { Notice } from './components/notice.tsx'
import { Layout } from './layout.tsx'
import { AuthorizePage } from './pages/authorize.tsx'
import { DoctorPage } from './pages/doctor.tsx'
import { SignInPage } from './pages/sign-in.tsx'

type Who =
  | { is: 'unknown' }
  | { is: 'unreachable'; why: string }
  | { is: 'nobody'; because?: string }
  | { is: 'user'; account: Account }

export function App() {
  const [who, setWho] = useState<Who>({ is: 'unknown' })

  const ask = useCallback(() => {
    berth.getSession().then(
      ({ account }) => setWho({ is: 'user', account }),
      (thrown) => {
        const signedOut = thrown instanceof BerthError && thrown.code === 'unauthorized'
        setWho(signedOut ? { is: 'nobody' } : { is: 'unreachable', why: errorText(thrown) })
      },
    )
  }, [])

  useEffect(() => {
    ask()
    const over = () => setWho({ is: 'nobody', because: 'Your session has ended. Sign in to go on.' })
    session.addEventListener('signed-out', over)
    return () => session.removeEventListener('signed-out', over)
  }, [ask])

  if (window.location.pathname === '/connect/doctor') return <DoctorPage />
  if (who.is === 'user' && window.location.pathname === '/authorize') return <AuthorizePage account={who.account} />
  if (who.is === 'user') {
    return (
      <AccountProvider key={who.account.id} account={who.account}>
        <Layout onSignedOut={() => setWho({ is: 'nobody', because: 'You are signed out.' })} />
      </AccountProvider>
    )
  }
  if (who.is === 'nobody') {
    return <SignInPage because={who.because} onSignedIn={(account) => setWho({ is: 'user', account })} />
  }
  return (
    <main className="sign-in">
      <Brand />
      {who.is === 'unreachable' ? (
        <Notice tone="bad" action={{ label: 'Try again', run: ask }}>
          {who.why}
        </Notice>
      ) : (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
    </main>
  )
}
