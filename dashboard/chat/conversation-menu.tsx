import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Message } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { useServerEvents } from '../account-state.tsx'
import { usePages } from '../api/cache.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { DownIcon } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { showDay } from '../format.ts'
import { clean } from '../markdown/clean.ts'
import { go, Link } from '../router.tsx'
import { texts } from '../texts/index.ts'

type Listed = Awaited<ReturnType<typeof berth.listConversations>>['conversations'][number]

const MessageSearch = lazy(async () => ({ default: (await import('./message-search.tsx')).MessageSearch }))

const pathOf = (id: string): string => (id === mainConversation ? '/' : `/?conversation=${id}`)

/** Reads the other conversations only when the menu opens. */
export function ConversationMenu({ open }: { open: string }) {
  const unread = useUnread(open)
  const menu = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(false)
  const input = shown || open !== mainConversation ? { limit: 50 } : null
  const { items: listed, problem, reload, more } = usePages('listConversations', 'conversations', input)
  const current = listed?.find(({ id }) => id === open)

  // A conversation without a title gets one by its first message.
  useServerEvents('message.received', () => {
    if (current?.title === null) reload()
  })

  const start = useAction(async () => {
    const { conversation } = await berth.createConversation({})
    menu.current?.hidePopover()
    go(pathOf(conversation.id))
  })
  const leave = () => menu.current?.hidePopover()
  const active = (listed ?? []).filter(({ archived }) => !archived).sort(byLastMessage)
  const archived = (listed ?? []).filter(({ archived }) => archived)
  return (
    <div className="conversation-bar">
      <button type="button" className="button plain" data-reads popoverTarget="conversations">
        <span className="visually-hidden">{texts.chat.menu.label} </span>
        <span className="conversation-title">
          {open === mainConversation ? texts.chat.menu.main : titleOf(current)}
        </span>
        <DownIcon />
        {unread.size > 0 && <span className="unread">{texts.chat.menu.newElsewhere}</span>}
      </button>
      <div
        id="conversations"
        ref={menu}
        popover="auto"
        className="menu conversations"
        onToggle={({ newState }) => setShown(newState === 'open')}
      >
        <Button variant="primary" busy={start.busy} onClick={() => start.run()}>
          {texts.chat.menu.start}
        </Button>
        {shown && (
          <Suspense fallback={null}>
            <MessageSearch onLeave={leave} />
          </Suspense>
        )}
        {start.problem && <Notice tone="bad">{start.problem}</Notice>}
        {problem && <Notice tone="bad">{problem}</Notice>}
        <nav aria-label={texts.chat.menu.all}>
          <Line id={mainConversation} title={texts.chat.menu.main} open={open} unread={unread} follow={leave} />
          {active.map((conversation) => (
            <Line
              key={conversation.id}
              id={conversation.id}
              title={titleOf(conversation)}
              at={conversation.lastMessageAt}
              open={open}
              unread={unread}
              follow={leave}
            />
          ))}
          {archived.length > 0 && (
            <details>
              <summary>{texts.chat.menu.archived}</summary>
              {archived.map((conversation) => (
                <Line
                  key={conversation.id}
                  id={conversation.id}
                  title={titleOf(conversation)}
                  open={open}
                  unread={unread}
                  follow={leave}
                />
              ))}
            </details>
          )}
        </nav>
        {more && (
          <Button reads onClick={more}>
            {texts.chat.menu.older}
          </Button>
        )}
        {current && <Change key={current.id} conversation={current} changed={reload} />}
      </div>
    </div>
  )
}

const titleOf = (conversation: Listed | undefined): string => clean(conversation?.title ?? texts.chat.menu.untitled)

const byLastMessage = (a: Listed, b: Listed): number =>
  (b.lastMessageAt ?? b.createdAt) < (a.lastMessageAt ?? a.createdAt) ? -1 : 1

/** Conversations with messages of the agent since they were last open. */
function useUnread(open: string): ReadonlySet<string> {
  const [unread, setUnread] = useState<ReadonlySet<string>>(new Set())
  useServerEvents('message.sent', (event) => {
    // safe because the service writes these events with a Message in them
    const message = event?.data.message as Message | undefined
    if (message && message.conversation !== open) setUnread((before) => new Set([...before, message.conversation]))
  })
  useEffect(() => setUnread((before) => new Set([...before].filter((id) => id !== open))), [open])
  return unread
}

interface LineProps {
  id: string
  title: string
  at?: string | null
  open: string
  unread: ReadonlySet<string>
  follow: () => void
}

const Line = ({ id, title, at, open, unread, follow }: LineProps) => (
  <Link to={pathOf(id)} className="conversation-line" current={id === open} onFollow={follow}>
    <bdi className="conversation-title">{title}</bdi>
    {unread.has(id) ? (
      <span className="unread">{texts.chat.menu.new}</span>
    ) : (
      at && <span className="muted">{showDay(at)}</span>
    )}
  </Link>
)

function Change({ conversation, changed }: { conversation: Listed; changed: () => void }) {
  const { id, archived } = conversation
  const [title, setTitle] = useState(conversation.title ?? '')
  const change = useAction(async (to: { title: string } | { archived: boolean }) => {
    await berth.updateConversation({ id, ...to })
    changed()
  })
  return (
    <Form className="conversation-change" noValidate={false} onSubmit={() => change.run({ title: title.trim() })}>
      <TextField label={texts.chat.menu.title} value={title} maxLength={120} required onText={setTitle} />
      <div className="conversation-actions">
        <Button submit busy={change.busy} disabled={title.trim() === '' || title === conversation.title}>
          {texts.chat.menu.rename}
        </Button>
        <Button busy={change.busy} onClick={() => change.run({ archived: !archived })}>
          {archived ? texts.chat.menu.bringBack : texts.chat.menu.archive}
        </Button>
      </div>
      {change.problem && <Notice tone="bad">{change.problem}</Notice>}
    </Form>
  )
}
