import { useEffect, useRef } from 'react'
import { mainConversation } from '../../domain/chat/names.ts'
import { Button } from '../components/button.tsx'
import { MoreIcon, PinIcon } from '../components/icons.tsx'
import { Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showAgo, showDay } from '../format.ts'
import { Link } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { type Changes, type Listed, pathOf, setUnread, shownTitle, updateConversation } from './list.ts'

/** The question of a dialog about a conversation. */
export interface Asked {
  conversation: Listed
  about: 'title' | 'deletion'
}

export interface RowMenuTarget {
  conversation: Listed
  button: HTMLElement
}

interface RowProps {
  conversation: Listed
  isOpen: boolean
  onFollow: (() => void) | undefined
  onMenu: (target: RowMenuTarget) => void
}

const New = () => <span className="unread">{texts.chat.menu.new}</span>

export const MainRow = ({
  isOpen,
  isUnread,
  onFollow,
}: {
  isOpen: boolean
  isUnread: boolean
  onFollow: (() => void) | undefined
}) => (
  <li className="conversation-row">
    <Link to={pathOf(mainConversation)} className="conversation-line" current={isOpen} onFollow={onFollow}>
      <span className="conversation-title">{texts.chat.menu.main}</span>
      {isUnread && !isOpen && <New />}
    </Link>
  </li>
)

export function Row({ conversation, isOpen, onFollow, onMenu }: RowProps) {
  const { id, lastMessageAt, unread } = conversation
  const title = shownTitle(conversation)
  return (
    <li className="conversation-row">
      <Link to={pathOf(id)} className="conversation-line" current={isOpen} onFollow={onFollow}>
        <bdi className="conversation-title" title={title}>
          {title}
        </bdi>
        {unread && !isOpen ? <New /> : lastMessageAt && <span className="muted">{shortTime(lastMessageAt)}</span>}
      </Link>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.chat.menu.actions(title)}
        aria-haspopup="true"
        onClick={({ currentTarget }) => onMenu({ conversation, button: currentTarget })}
      >
        {conversation.pinned && !conversation.archived ? <PinIcon /> : <MoreIcon />}
      </button>
    </li>
  )
}

const dayMs = 86_400_000

/** The time since a message of this week, otherwise its day. */
const shortTime = (at: string): string =>
  Date.now() - Date.parse(at) < 7 * dayMs ? showAgo(at, Date.now()) : showDay(at)

interface RowMenuProps {
  target: RowMenuTarget
  isOpen: boolean
  ask: (asked: Asked) => void
  onClose: () => void
}

/** One menu for all rows, at the button of its row. */
export function RowMenu({ target: { conversation, button }, isOpen, ask, onClose }: RowMenuProps) {
  const { id, pinned, archived, unread } = conversation
  const words = texts.chat.menu
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = menu
    if (!current) return
    current.showPopover()
    place(current, button)
    current.querySelector('button')?.focus()
  }, [button])
  const change = useAction(async (work: () => Promise<void>) => {
    await work()
    menu.current?.hidePopover()
  })
  const set = (attributes: Changes) => change.run(() => updateConversation(id, attributes))
  return (
    <div
      ref={menu}
      popover="auto"
      className="menu row-menu"
      onToggle={(event) => {
        event.stopPropagation()
        if (event.newState === 'closed') onClose()
      }}
    >
      <Button onClick={() => ask({ conversation, about: 'title' })}>{words.rename}</Button>
      {!archived && <Button onClick={() => set({ pinned: !pinned })}>{pinned ? words.unpin : words.pin}</Button>}
      {!isOpen && (
        <Button onClick={() => change.run(() => setUnread(id, !unread))}>
          {unread ? words.markRead : words.markUnread}
        </Button>
      )}
      <Button onClick={() => set({ archived: !archived })}>{archived ? words.restore : words.archive}</Button>
      <Button onClick={() => ask({ conversation, about: 'deletion' })}>{words.delete}</Button>
      <Problem text={change.problem} />
    </div>
  )
}

/** Below the button, or above it where there is no room. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const { offsetHeight: height, offsetWidth: width } = menu
  const top = at.bottom + height < window.innerHeight ? at.bottom : Math.max(at.top - height, 0)
  menu.style.inset = `${top}px auto auto ${Math.max(Math.min(at.left, window.innerWidth - width - 8), 8)}px`
}
