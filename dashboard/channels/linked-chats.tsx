import { useRef, useState } from 'react'
import type { ChannelLink } from '../../clients/typescript/operations.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { Button } from '../components/button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Empty } from '../components/empty.tsx'
import { PlatformIcon } from '../components/icons.tsx'
import { Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showDay } from '../format.ts'
import { platformLabel } from '../labels.ts'
import { Link } from '../router.tsx'
import { channelTexts } from '../texts/channels.ts'
import { chatName } from './chat-name.ts'

const { linked: words, unlink: unlinkWords } = channelTexts

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
        {words.title}
      </h2>
      {channels.length === 0 ? (
        <Empty text={words.none} hint={words.noneHint} />
      ) : (
        <>
          <p className="muted">{words.lead}</p>
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
          <Problem text={move.problem} />
        </>
      )}
      {unlinking && (
        <ConfirmDialog
          title={unlinkWords.title(chatName(unlinking))}
          hint={unlinkWords.words(unlinking.kind === 'direct')}
          keep={unlinkWords.keep}
          confirm={unlinkWords.unlink}
          act={() => berth.deleteChannel({ id: unlinking.id })}
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
  return (
    <li className="row channel-row">
      <PlatformIcon platform={platform} />
      <div className="row-text">
        <p className="row-name">
          {chatName(channel)} {state === 'lost' && <span className="pill bad">{words.lost}</span>}
        </p>
        <p className="muted">
          {kind === 'direct' ? words.direct : words.group(platformLabel(platform), person)} · {words.since}{' '}
          <time dateTime={createdAt}>{showDay(createdAt)}</time>
          {conversation !== mainConversation && (
            <>
              {' · '}
              <Link to={`/?conversation=${conversation}`}>{words.conversation}</Link>
            </>
          )}
        </p>
        {state === 'lost' && <p>{words.lostHint}</p>}
      </div>
      {state === 'linked' && (
        <label className="home-choice">
          <input
            type="radio"
            name="home-chat"
            checked={home}
            onChange={onHome}
            aria-label={words.homeOf(chatName(channel))}
          />
          {words.home}
        </label>
      )}
      <Button of={chatName(channel)} onClick={onUnlink}>
        {words.unlink}
      </Button>
    </li>
  )
}
