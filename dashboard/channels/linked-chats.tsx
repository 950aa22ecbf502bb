import { useRef, useState } from 'react'
import type { ChannelLink } from '../../clients/typescript/operations.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { PlatformIcon } from '../components/icons.tsx'
import { useAction } from '../components/use-action.ts'
import { showDay } from '../format.ts'
import { platformLabel } from '../labels.ts'
import { Link } from '../router.tsx'
import { chatName } from './chat-name.ts'
import { UnlinkDialog } from './unlink-dialog.tsx'

/** The chats in which the agent answers, and which of them is its home. */
export function LinkedChats({ channels, reload }: { channels: ChannelLink[]; reload: () => void }) {
  const [unlinking, setUnlinking] = useState<ChannelLink | null>(null)
  const [homeId, setHomeId] = useState<string | null>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const move = useAction(async (id: string) => {
    setHomeId(id)
    try {
      await berth.updateChannel({ id, home: true })
    } finally {
      setHomeId(null)
      reload()
    }
  })
  return (
    <section aria-labelledby="linked-title">
      <h2 id="linked-title" ref={title} tabIndex={-1}>
        Linked chats
      </h2>
      {channels.length === 0 ? (
        <div className="card empty">
          <p>No chat is linked yet.</p>
          <p className="muted">Three steps above, and your agent answers there.</p>
        </div>
      ) : (
        <>
          <p className="muted">
            Your agent answers where you ask. What nobody asked for goes to its home chat: what its schedules bring,
            what it says of its own accord, what it has to ask you.
          </p>
          <ul className="card rows">
            {channels.map((channel) => (
              <ChatRow
                key={channel.id}
                channel={channel}
                home={homeId === null ? channel.home : channel.id === homeId}
                onHome={() => move.run(channel.id)}
                onUnlink={() => setUnlinking(channel)}
              />
            ))}
          </ul>
          <p className="field-problem" role="alert">
            {move.problem}
          </p>
        </>
      )}
      {unlinking && (
        <UnlinkDialog
          channel={unlinking}
          onClose={(unlinked) => {
            setUnlinking(null)
            if (!unlinked) return
            reload()
            title.current?.focus()
          }}
        />
      )}
    </section>
  )
}

interface RowProps {
  channel: ChannelLink
  home: boolean
  onHome: () => void
  onUnlink: () => void
}

function ChatRow({ channel, home, onHome, onUnlink }: RowProps) {
  const { platform, kind, person, state, createdAt, conversation } = channel
  const label = platformLabel(platform)
  return (
    <li className="row channel-row">
      <PlatformIcon platform={platform} />
      <div className="row-text">
        <p className="row-name">
          {chatName(channel)} {state === 'lost' && <span className="pill bad">Lost</span>}
        </p>
        <p className="muted">
          {kind === 'direct' ? 'Direct chat' : `Group on ${label}, as ${person}`} · linked{' '}
          <time dateTime={createdAt}>{showDay(createdAt)}</time>
          {conversation !== mainConversation && (
            <>
              {' · '}
              <Link to={`/?conversation=${conversation}`}>its conversation</Link>
            </>
          )}
        </p>
        {state === 'lost' && (
          <p>
            Your agent cannot write there any more: the chat is gone, or our place in it was taken away. Let it in again
            and write there, and it is linked again. Or unlink it.
          </p>
        )}
      </div>
      {state === 'linked' && (
        <label className="home-choice">
          <input
            type="radio"
            name="home-chat"
            checked={home}
            onChange={onHome}
            aria-label={`Home chat: ${chatName(channel)}`}
          />
          Home chat
        </label>
      )}
      <Button onClick={onUnlink}>
        Unlink<span className="visually-hidden"> {chatName(channel)}</span>
      </Button>
    </li>
  )
}
