import { useEffect, useRef } from 'react'
import { mainConversation } from '../domain/chat/names.ts'
import type { ShownState } from '../domain/instance/instance.ts'
import { useAccount } from './account-state.tsx'
import { berth } from './api/client.ts'
import { useConversation } from './chat/conversation.ts'
import { Boundary } from './components/boundary.tsx'
import { CheckoutNotice } from './components/checkout-notice.tsx'
import { AccountIcon, Brand } from './components/icons.tsx'
import { Notice } from './components/notice.tsx'
import { StatePill } from './components/state-pill.tsx'
import { useAction } from './components/use-action.ts'
import { showBalance } from './format.ts'
import { stateLabel } from './labels.ts'
import { Navigation, pages } from './navigation.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { Link, usePath, useSearchParameter } from './router.tsx'

/** What is around every page of a signed-in user: navigation, the state of the instance, the balance, the account menu. */
export function Layout({ onSignedOut }: { onSignedOut: () => void }) {
  const path = usePath()
  const { status, problem, connected, reload } = useAccount()
  const open = useSearchParameter('conversation')
  const conversation = useConversation(open ?? mainConversation)
  const main = useRef<HTMLElement>(null)
  const lastPath = useRef(path)
  const { name, Page } = pages.find((page) => page.path === path) ?? { name: 'Not found', Page: NotFoundPage }

  useEffect(() => {
    document.title = `${name} · Berth`
  }, [name])

  // A reader that follows a link lands on the new page, not on a link that is gone.
  useEffect(() => {
    if (path === lastPath.current) return
    lastPath.current = path
    main.current?.focus()
    window.scrollTo(0, 0)
  }, [path])

  return (
    <div className="layout">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="header">
        <Link to="/" className="home" label="Berth, to the chat">
          <Brand />
        </Link>
        <Navigation current={path} />
        <div className="header-status">
          {status && (
            <>
              <Link to="/instance" className="header-link" label={`Instance: ${stateName(status.instance?.state)}`}>
                <StatePill state={status.instance?.state ?? null} />
              </Link>
              <Link to="/wallet" className="header-link" label={`Balance: ${showBalance(status.wallet.balanceMicros)}`}>
                <span className={status.wallet.low && status.instance ? 'pill balance low' : 'pill balance'}>
                  {showBalance(status.wallet.balanceMicros)}
                </span>
              </Link>
            </>
          )}
          <AccountMenu onSignedOut={onSignedOut} />
        </div>
        <span className="visually-hidden" role="status">
          {status?.instance ? `Instance ${stateName(status.instance.state)}` : ''}
        </span>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={path === '/' ? 'page chat-page' : 'page'}>
        {problem && !connected && (
          <Notice tone="bad" action={{ label: 'Try again', run: reload }}>
            {problem}
          </Notice>
        )}
        {status?.subscription.status === 'past_due' && path !== '/billing' && (
          <Notice tone="bad">
            Your last payment did not go through. <Link to="/billing">Check your card</Link>
          </Notice>
        )}
        <CheckoutNotice key={path} />
        <Boundary key={`page ${path}`} fallback={<Broken />}>
          <Page conversation={conversation} />
        </Boundary>
      </main>
    </div>
  )
}

const stateName = (state: ShownState | undefined) => (state ? stateLabel(state).label.toLowerCase() : 'none yet')

function Broken() {
  return (
    <Notice tone="bad" action={{ label: 'Reload', run: () => window.location.reload() }}>
      This page could not be shown. The others are not affected.
    </Notice>
  )
}

function AccountMenu({ onSignedOut }: { onSignedOut: () => void }) {
  const { account } = useAccount()
  const path = usePath()
  const signOut = useAction(async () => {
    await berth.logout()
    onSignedOut()
  })
  return (
    <>
      <button type="button" className="icon-button" popoverTarget="account-menu" aria-label="Account">
        <AccountIcon />
      </button>
      <div id="account-menu" popover="auto" className="menu">
        <p className="muted">Signed in as</p>
        <p className="menu-email">{account.email}</p>
        {signOut.problem && <p className="field-problem">{signOut.problem}</p>}
        <Link to="/account" className="button plain wide" current={path === '/account'}>
          Account settings
        </Link>
        <Link to="/billing" className="button plain wide" current={path === '/billing'}>
          Billing
        </Link>
        <button type="button" className="button plain wide" onClick={() => signOut.run()}>
          Sign out
        </button>
      </div>
    </>
  )
}
