import { type ReactNode, useEffect, useRef } from 'react'
import { useLive } from './account.tsx'
import { api } from './client.ts'
import { useConversation } from './conversation.ts'
import { AccountPage } from './pages/account.tsx'
import { BillingPage } from './pages/billing.tsx'
import { ChatPage } from './pages/chat.tsx'
import { FilesPage } from './pages/files.tsx'
import { InstancePage } from './pages/instance.tsx'
import { PersonasPage } from './pages/personas.tsx'
import { SkillsPage } from './pages/skills.tsx'
import { TokensPage } from './pages/tokens.tsx'
import { WalletPage } from './pages/wallet.tsx'
import { CheckoutNotice } from './parts/checkout-notice.tsx'
import {
  AccountIcon,
  Brand,
  ChatIcon,
  FilesIcon,
  InstanceIcon,
  SkillIcon,
  TokenIcon,
  WalletIcon,
} from './parts/icons.tsx'
import { showBalance } from './parts/money.tsx'
import { Notice } from './parts/notice.tsx'
import { StatePill } from './parts/state-pill.tsx'
import { useAction } from './parts/use-action.ts'
import { Link, usePath } from './route.tsx'
import { stateWords } from './words.ts'

const places = [
  { path: '/', name: 'Chat', Icon: ChatIcon },
  { path: '/wallet', name: 'Wallet', Icon: WalletIcon },
  { path: '/instance', name: 'Instance', Icon: InstanceIcon },
  { path: '/files', name: 'Files', Icon: FilesIcon },
  { path: '/skills', name: 'Skills', Icon: SkillIcon },
  { path: '/tokens', name: 'Tokens', Icon: TokenIcon },
]

/** Pages that are reached from others. */
const furtherPlaces = [
  { path: '/personas', name: 'Personas' },
  { path: '/account', name: 'Account' },
  { path: '/billing', name: 'Billing' },
]

/** The frame of every page for someone signed in: where to go, what there is to spend, how the instance is. */
export function Shell({ onSignedOut }: { onSignedOut: () => void }) {
  const path = usePath()
  const { status, problem, connected, reload } = useLive()
  const conversation = useConversation()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)
  const name = [...places, ...furtherPlaces].find((place) => place.path === path)?.name ?? 'Not found'

  useEffect(() => {
    document.title = `${name} · Berth`
  }, [name])

  // A reader that follows a link lands on the new page, not on a link that is gone.
  useEffect(() => {
    if (path === shown.current) return
    shown.current = path
    main.current?.focus()
    window.scrollTo(0, 0)
  }, [path])

  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link to="/" className="home" label="Berth, to the chat">
          <Brand />
        </Link>
        <nav aria-label="Pages">
          {places.map(({ path: to, name: label, Icon }) => (
            <Link key={to} to={to} current={to === path || (to === '/skills' && path === '/personas')}>
              <Icon />
              {label}
            </Link>
          ))}
        </nav>
        <div className="facts">
          {status && (
            <>
              <Link to="/instance" className="fact" label={`Instance: ${stateLabel(status.instance?.state)}`}>
                <StatePill state={status.instance?.state ?? null} />
              </Link>
              <Link to="/wallet" className="fact" label={`Balance: ${showBalance(status.wallet.balanceMicros)}`}>
                <span className={status.wallet.low && status.instance ? 'pill balance low' : 'pill balance'}>
                  {showBalance(status.wallet.balanceMicros)}
                </span>
              </Link>
            </>
          )}
          <AccountMenu onSignedOut={onSignedOut} />
        </div>
        <span className="unseen" role="status">
          {status?.instance ? `Instance ${stateLabel(status.instance.state)}` : ''}
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
        {pageAt(path, conversation)}
      </main>
    </div>
  )
}

const stateLabel = (state: keyof typeof stateWords | undefined) =>
  state ? stateWords[state].label.toLowerCase() : 'none yet'

function pageAt(path: string, conversation: ReturnType<typeof useConversation>): ReactNode {
  if (path === '/') return <ChatPage conversation={conversation} />
  if (path === '/wallet') return <WalletPage />
  if (path === '/instance') return <InstancePage />
  if (path === '/files') return <FilesPage />
  if (path === '/skills') return <SkillsPage />
  if (path === '/personas') return <PersonasPage />
  if (path === '/tokens') return <TokensPage />
  if (path === '/billing') return <BillingPage />
  if (path === '/account') return <AccountPage />
  return (
    <div className="empty">
      <h1>There is no such page</h1>
      <p className="muted">The address may be mistyped or old.</p>
      <Link to="/" className="button primary">
        Go to the chat
      </Link>
    </div>
  )
}

function AccountMenu({ onSignedOut }: { onSignedOut: () => void }) {
  const { account } = useLive()
  const path = usePath()
  const leave = useAction(async () => {
    await api.logout()
    onSignedOut()
  })
  return (
    <>
      <button type="button" className="round" popoverTarget="account-menu" aria-label="Account">
        <AccountIcon />
      </button>
      <div id="account-menu" popover="auto" className="menu">
        <p className="muted">Signed in as</p>
        <p className="menu-who">{account.email}</p>
        {leave.problem && <p className="field-problem">{leave.problem}</p>}
        <Link to="/account" className="button plain wide" current={path === '/account'}>
          Account settings
        </Link>
        <Link to="/billing" className="button plain wide" current={path === '/billing'}>
          Billing
        </Link>
        <button type="button" className="button plain wide" onClick={() => leave.run()}>
          Sign out
        </button>
      </div>
    </>
  )
}
