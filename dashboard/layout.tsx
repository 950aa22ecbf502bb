import { lazy, type RefObject, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { mainConversation } from '../domain/chat/names.ts'
import { useAccount, useServerEvents } from './account-state.tsx'
import { useConversation } from './chat/conversation.ts'
import './chat/fetch-after-composer.ts'
import { Boundary } from './components/boundary.tsx'
import { CheckoutNotice } from './components/checkout-notice.tsx'
import { NotFreshNote } from './components/not-fresh-note.tsx'
import { Loading, Notice } from './components/notice.tsx'
import { ServiceNotices } from './components/service-notices.tsx'
import { leaveConversation } from './conversations/leave.ts'
import { followConversations } from './conversations/list.ts'
import { Header } from './header.tsx'
import { pages } from './navigation.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { cameBack, Link, usePath, useSearchParameter } from './router.tsx'
import { texts } from './texts/index.ts'
import { viewing } from './viewing.ts'

const CommandPalette = lazy(async () => ({
  default: (await import('./palette/command-palette.tsx')).CommandPalette,
}))

const KeysDialog = lazy(async () => ({ default: (await import('./palette/keys-dialog.tsx')).KeysDialog }))

export function Layout({ onSignedOut }: { onSignedOut: () => void }) {
  const path = usePath()
  const { account, status, problem, connected, reload } = useAccount()
  const open = useSearchParameter('conversation')
  const [chatOpened, setChatOpened] = useState(path === '/')
  if (path === '/' && !chatOpened) setChatOpened(true)
  const conversation = useConversation(open ?? mainConversation, chatOpened)
  const main = useRef<HTMLElement>(null)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [areKeysShown, setKeysShown] = useState(false)
  const { name, Page, className } = pages.find((page) => page.path === path) ?? {
    name: texts.layout.pages.notFound,
    Page: NotFoundPage,
    className: 'page',
  }

  useEffect(() => {
    document.title = `${name} · Berth`
  }, [name])

  useServerEvents('conversation. message.', (event) => event && followConversations(event))
  useServerEvents('conversation.deleted', (event) => {
    if (event) leaveConversation(account.id, String(event.data.conversationId))
  })
  useFocus(main, path)
  useKey(isPaletteKey, () => setPaletteOpen(!isPaletteOpen))
  useKey(isHelpKey, () => setKeysShown(true))

  return (
    <div className="layout">
      <a className="skip" href="#main">
        {texts.layout.skip}
      </a>
      <Header path={path} onSearch={() => setPaletteOpen(true)} onSignedOut={onSignedOut} />
      <main id="main" ref={main} tabIndex={-1} className={className}>
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
            <CommandPalette
              onClose={() => setPaletteOpen(false)}
              onSignedOut={onSignedOut}
              onKeys={() => setKeysShown(true)}
            />
          </Suspense>
        </Boundary>
      )}
      {areKeysShown && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <KeysDialog onClose={() => setKeysShown(false)} />
          </Suspense>
        </Boundary>
      )}
    </div>
  )
}

/** Moves a screen reader to the new page, because the followed link is gone. */
function useFocus(main: RefObject<HTMLElement | null>, path: string): void {
  const lastPath = useRef(path)
  useEffect(() => {
    if (path === lastPath.current) return
    lastPath.current = path
    main.current?.focus({ preventScroll: true })
    if (!cameBack()) window.scrollTo(0, 0)
  }, [main, path])
}

const isPaletteKey = ({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !shiftKey && !altKey

/** Not where a question mark may be typed, and not above a dialog. */
const isHelpKey = ({ key, target, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean =>
  key === '?' &&
  !(metaKey || ctrlKey || altKey) &&
  !(target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog'))

function useKey(fits: (event: KeyboardEvent) => boolean, act: () => void): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (viewing || !fits(event)) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
