import { lazy, Suspense, useCallback, useRef, useState, useSyncExternalStore } from 'react'
import { mainConversation } from '../../domain/chat/names.ts'
import { useAccount } from '../account-state.tsx'
import { fetchAfterComposer } from '../chat/fetch-after-composer.ts'
import { Boundary } from '../components/boundary.tsx'
import { DownIcon } from '../components/icons.tsx'
import { texts } from '../texts/index.ts'
import { focusPage, leaveConversation } from './leave.ts'
import { type ConversationList, shownTitle, useConversationList, useMarkRead } from './list.ts'
import type { Asked } from './row.tsx'

const Navigation = lazy(async () => ({ default: (await fetchAfterComposer()).ConversationNavigation }))
const AskedDialog = lazy(async () => ({ default: (await import('./dialogs.tsx')).ConversationDialog }))

/** From this width on, the list is next to the chat. The style sheet names the same width. */
const wide = window.matchMedia('(width >= 64rem)')

const useIsWide = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      wide.addEventListener('change', changed)
      return () => wide.removeEventListener('change', changed)
    },
    () => wide.matches,
  )

interface ListProps {
  open: string
  list: ConversationList | null
  problem: string | null
  reload: () => void
  ask: (asked: Asked) => void
}

/** Next to the chat where there is room, otherwise in a menu above it. */
export function Conversations({ open }: { open: string }) {
  const { list, problem, reload } = useConversationList()
  const [asked, setAsked] = useState<Asked | null>(null)
  const { account } = useAccount()
  useMarkRead(open, list)
  const props = { open, list, problem, reload, ask: setAsked }
  return (
    <>
      {useIsWide() ? (
        <div className="sidebar">
          <Boundary>
            <Suspense fallback={null}>
              <Navigation {...props} />
            </Suspense>
          </Boundary>
        </div>
      ) : (
        <ConversationMenu {...props} />
      )}
      {asked && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <AskedDialog
              key={asked.conversation.id}
              {...asked}
              onClose={() => setAsked(null)}
              onDeleted={(id) => {
                leaveConversation(account.id, id)
                focusPage()
              }}
            />
          </Suspense>
        </Boundary>
      )}
    </>
  )
}

function ConversationMenu({ open, list, ask, ...props }: ListProps) {
  const menu = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(false)
  const leave = useCallback(() => menu.current?.hidePopover(), [])
  const current = list?.conversations.find(({ id }) => id === open)
  const isNewElsewhere =
    list !== null &&
    ((list.main.unread && open !== mainConversation) ||
      list.conversations.some(({ id, unread }) => unread && id !== open))
  return (
    <div className="conversation-bar">
      <button type="button" className="button plain" data-reads popoverTarget="conversations">
        <span className="visually-hidden">{texts.chat.menu.label} </span>
        <bdi className="conversation-title">
          {open === mainConversation ? texts.chat.menu.main : shownTitle(current)}
        </bdi>
        <DownIcon />
        {isNewElsewhere && <span className="unread">{texts.chat.menu.newElsewhere}</span>}
      </button>
      <div
        id="conversations"
        ref={menu}
        popover="auto"
        className="menu conversations"
        onToggle={({ target, currentTarget, newState }) => target === currentTarget && setShown(newState === 'open')}
      >
        {shown && (
          <Boundary>
            <Suspense fallback={null}>
              <Navigation
                {...props}
                open={open}
                list={list}
                onLeave={leave}
                ask={(asked) => {
                  // A dialog below the menu would close with it.
                  leave()
                  ask(asked)
                }}
              />
            </Suspense>
          </Boundary>
        )}
      </div>
    </div>
  )
}
