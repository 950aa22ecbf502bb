import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { mainConversation } from '../domain/chat/names.ts'
import type { ShownState } from '../domain/instance/instance.ts'
import { useAccount } from './account-state.tsx'
import { useConversation } from './chat/conversation.ts'
import './chat/fetch-history.ts'
import { AccountMenu } from './components/account-menu.tsx'
import { Bell } from './components/bell.tsx'
import { Boundary } from './components/boundary.tsx'
import { CheckoutNotice } from './components/checkout-notice.tsx'
import { Brand, SearchIcon } from './components/icons.tsx'
import { NotFreshNote } from './components/not-fresh-note.tsx'
import { Loading, Notice } from './components/notice.tsx'
import { ServiceNotices } from './components/service-notices.tsx'
import { StatePill } from './components/state-pill.tsx'
import { showBalance } from './format.ts'
import { stateLabel } from './labels.ts'
import { Navigation, pages } from './navigation.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { cameBack, Link, usePath, useSearchParameter } from './router.tsx'
import { texts } from './texts/index.ts'
import { viewing } from './viewing.ts'

const CommandPalette = lazy(async () => ({
  default: (await import('./palette/command-palette.tsx')).CommandPalette,
}))

export function Layout({ onSignedOut }: { onSignedOut: () => void }) {
  const path = usePath()
  const { status, problem, connected, reload } = useAccount()
  const open = useSearchParameter('conversation')
  const [chatOpened, setChatOpened] = useState(path === '/')
  if (path === '/' && !chatOpened) setChatOpened(true)
  const conversation = useConversation(open ?? mainConversation, chatOpened)
  const main = useRef<HTMLElement>(null)
  const lastPath = useRef(path)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const { name, Page } = pages.find((page) => page.path === path) ?? {
    name: texts.layout.pages.notFound,
    Page: NotFoundPage,
  }

  useEffect(() => {
    document.title = `${name} · Berth`
  }, [name])

  // Moves a screen reader to the new page, because the followed link is gone.
  useEffect(() => {
    if (path === lastPath.current) return
    lastPath.current = path
    main.current?.focus({ preventScroll: true })
    if (!cameBack()) window.scrollTo(0, 0)
  }, [path])

  const openByKey = useEffectEvent((event: KeyboardEvent) => {
    if (
      viewing ||
      event.key.toLowerCase() !== 'k' ||
      !(event.metaKey || event.ctrlKey) ||
      event.shiftKey ||
      event.altKey
    )
      return
    event.preventDefault()
    setPaletteOpen(!isPaletteOpen)
  })
  useEffect(() => {
    const handle = (event: KeyboardEvent) => openByKey(event)
    window.addEventListener('keydown', handle)
    return () => window.removeEventListener('keydown', handle)
  }, [])

  return (
    <div className="layout">
      <a className="skip" href="#main">
        {texts.layout.skip}
      </a>
      <header className="header">
        <Link to="/" className="home" label={texts.layout.home}>
          <Brand />
        </Link>
        <Navigation current={path} />
        <div className="header-status">
          {status && (
            <>
              <Link
                to="/instance"
                className="header-link"
                label={texts.layout.instanceLink(stateName(status.instance?.state))}
              >
                <StatePill state={status.instance?.state ?? null} />
              </Link>
              <Link
                to="/wallet"
                className="header-link"
                label={texts.layout.balanceLink(showBalance(status.wallet.balanceMicros))}
              >
                <span
                  className={
                    status.wallet.low && status.subscription.status !== 'none' ? 'pill balance low' : 'pill balance'
                  }
                >
                  {showBalance(status.wallet.balanceMicros)}
                </span>
              </Link>
            </>
          )}
          <button
            type="button"
            className="icon-button"
            aria-label={texts.layout.search}
            aria-keyshortcuts="Control+K Meta+K"
            onClick={() => setPaletteOpen(true)}
          >
            <SearchIcon />
          </button>
          <Bell />
          <AccountMenu onSignedOut={onSignedOut} />
        </div>
        <span className="visually-hidden" role="status">
          {status?.instance ? texts.layout.instanceNow(stateName(status.instance.state)) : ''}
        </span>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={path === '/' ? 'page chat-page' : 'page'}>
        {problem && !connected && !status && (
          <Notice tone="bad" action={{ label: texts.common.tryAgain, run: reload }}>
            {problem}
          </Notice>
        )}
        <NotFreshNote />
        <ServiceNotices />
        {status?.subscription.status === 'past_due' && path !== '/billing' && (
          <Notice tone="bad">
            {texts.layout.pastDue} <Link to="/billing">{texts.layout.checkCard}</Link>
          </Notice>
        )}
        <CheckoutNotice key={path} />
        <Boundary key={`page ${path}`}>
          <Suspense fallback={<Loading problem={null} retry={() => {}} />}>
            <Page conversation={conversation} />
          </Suspense>
        </Boundary>
      </main>
      {isPaletteOpen && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <CommandPalette onClose={() => setPaletteOpen(false)} onSignedOut={onSignedOut} />
          </Suspense>
        </Boundary>
      )}
    </div>
  )
}

const stateName = (state: ShownState | undefined) =>
  state ? stateLabel(state).label.toLowerCase() : texts.layout.noInstance.toLowerCase()
