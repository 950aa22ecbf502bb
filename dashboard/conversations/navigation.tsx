import { useState } from 'react'
import { mainConversation } from '../../domain/chat/names.ts'
import { MessageSearch } from '../chat/message-search.tsx'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { go } from '../router.tsx'
import { texts } from '../texts/index.ts'
import {
  byLastMessage,
  type ConversationList,
  type Listed,
  pathOf,
  shownTitle,
  startConversation,
  titleFits,
} from './list.ts'
import { type Asked, MainRow, Row, RowMenu, type RowMenuTarget } from './row.tsx'

interface NavigationProps {
  open: string
  list: ConversationList | null
  problem: string | null
  reload: () => void
  ask: (asked: Asked) => void
  onLeave?: () => void
}

/** Lines at first and with each press of the button, so that a keyboard passes them quickly. */
const shownAtOnce = 50

/** The list with its search, in the sidebar and in the menu. */
export function ConversationNavigation({ open, list, problem, reload, ask, onLeave }: NavigationProps) {
  const words = texts.chat.menu
  const [typed, setTyped] = useState('')
  const [most, setMost] = useState(shownAtOnce)
  const [target, setTarget] = useState<RowMenuTarget | null>(null)
  const start = useAction(async () => {
    const id = await startConversation()
    onLeave?.()
    go(pathOf(id))
  })
  const { pinned, others, archived } = groupsOf(list?.conversations ?? [], typed)
  const row = (conversation: Listed) => (
    <Row
      key={conversation.id}
      conversation={conversation}
      isOpen={conversation.id === open}
      onFollow={onLeave}
      onMenu={setTarget}
    />
  )
  return (
    <>
      <Button variant="primary" busy={start.busy} onClick={() => start.run()}>
        {words.start}
      </Button>
      <MessageSearch onText={setTyped} onLeave={() => onLeave?.()} />
      {start.problem && <Notice tone="bad">{start.problem}</Notice>}
      {problem && (
        <Notice tone="bad" action={{ label: texts.common.tryAgain, run: reload }}>
          {problem}
        </Notice>
      )}
      <nav aria-label={words.all}>
        {titleFits(words.main, typed) && (
          <ul>
            <MainRow isOpen={open === mainConversation} isUnread={list?.main.unread === true} onFollow={onLeave} />
          </ul>
        )}
        {pinned.length > 0 && (
          <>
            <p id="pinned-conversations" className="conversation-group">
              {words.pinned}
            </p>
            <ul aria-labelledby="pinned-conversations">{pinned.map(row)}</ul>
          </>
        )}
        {pinned.length > 0 && others.length > 0 && <p className="conversation-group">{words.others}</p>}
        {others.length > 0 && <ul>{others.slice(0, most).map(row)}</ul>}
        {others.length > most && (
          <Button reads onClick={() => setMost(most + shownAtOnce)}>
            {words.older}
          </Button>
        )}
        {archived.length > 0 && (
          <details>
            <summary>{words.archived}</summary>
            <ul>{archived.slice(0, most).map(row)}</ul>
          </details>
        )}
        {typed !== '' && pinned.length + others.length + archived.length === 0 && (
          <p className="conversation-group">{words.noTitle}</p>
        )}
      </nav>
      {target && (
        <RowMenu
          key={target.conversation.id}
          target={target}
          isOpen={target.conversation.id === open}
          ask={ask}
          onClose={() => setTarget(null)}
        />
      )}
    </>
  )
}

function groupsOf(conversations: readonly Listed[], typed: string) {
  const fitting = conversations.filter((each) => titleFits(shownTitle(each), typed)).sort(byLastMessage)
  const active = fitting.filter(({ archived }) => !archived)
  return {
    pinned: active.filter(({ pinned }) => pinned),
    others: active.filter(({ pinned }) => !pinned),
    archived: fitting.filter(({ archived }) => archived),
  }
}
