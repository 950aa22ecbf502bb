import { useState } from 'react'
import { cut } from '../../domain/text.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { shownName } from '../components/shown-name.ts'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showCount, showDayTime } from '../format.ts'
import { useSearchState } from '../router.tsx'
import { filesTexts } from '../texts/files.ts'
import { texts } from '../texts/index.ts'
import { done } from './volume.ts'
import { WorkerNote } from './worker-note.tsx'

/** Undoes the changes of a reply; `?undo=` is the id of the answered message. */
export function UndoCard() {
  const [messageId, choose] = useSearchState<string>('undo', '')
  const [isChoosing, setIsChoosing] = useState(false)
  const t = filesTexts
  return (
    <section className="card" aria-labelledby="undo-title">
      <h2 id="undo-title">{t.undo}</h2>
      <p className="hint">{t.undoHint}</p>
      {messageId === '' && !isChoosing && <Button onClick={() => setIsChoosing(true)}>{t.chooseReply}</Button>}
      {messageId === '' && isChoosing && <Replies onChoose={choose} />}
      {messageId !== '' && <ReplyChanges key={messageId} messageId={messageId} onClose={() => choose('')} />}
    </section>
  )
}

function Replies({ onChoose }: { onChoose: (messageId: string) => void }) {
  const { data, problem, reload } = useRead('listMessages', { limit: 40 })
  if (!data) return <Loading problem={problem} retry={reload} />
  const replies = data.messages.filter(({ role, inReplyTo }) => role === 'agent' && inReplyTo).reverse()
  if (replies.length === 0) return <p className="muted">{filesTexts.noReplies}</p>
  return (
    <ul className="rows">
      {replies.slice(0, 20).map(({ id, text, at, inReplyTo = '' }) => (
        <li key={id} className="row file-row">
          <button type="button" className="link-button reply-choice" onClick={() => onChoose(inReplyTo)}>
            <bdi>{cut(text, 120)}</bdi>
          </button>
          <span className="muted">{showDayTime(at)}</span>
        </li>
      ))}
    </ul>
  )
}

function ReplyChanges({ messageId, onClose }: { messageId: string; onClose: () => void }) {
  const { data, problem, reload } = useRead('getReplyChanges', { id: messageId })
  const [taken, setTaken] = useState<number | null>(null)
  const undo = useAction(async () => {
    setTaken((await done(berth.undoReply({ id: messageId }))).files ?? 0)
  })
  const t = filesTexts
  const states = new Set(data?.changes.map(({ state }) => state))
  const isPossible = data && !data.problem && states.has('kept') && !states.has('changed-since')
  return (
    <>
      <h3>{t.undoTitle}</h3>
      {!data && <Loading problem={problem} retry={reload} />}
      {data?.problem && <Notice tone="info">{data.problem}</Notice>}
      {data && data.promptIds.length > 1 && <p className="muted">{t.undoTogether}</p>}
      {data && !data.problem && data.changes.length === 0 && <p className="muted">{t.undoNothing}</p>}
      <WorkerNote busy={undo.busy || (!data && !problem)} />
      {undo.problem && <Notice tone="bad">{undo.problem}</Notice>}
      {taken !== null && <Notice tone="good">{t.takenBack(showCount(taken))}</Notice>}
      {data && data.changes.length > 0 && (
        <ul className="rows">
          {data.changes.map(({ path, change, state }) => (
            <li key={path} className="row file-row">
              <div className="row-text">
                <p className="row-name">
                  <bdi>{shownName(path)}</bdi>
                </p>
                <p className="muted">
                  {t.change[change]} · {t.undoState[state]}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <div className="buttons">
        {isPossible && (
          <Button variant="danger" busy={undo.busy} onClick={() => undo.run()}>
            {t.takeBack}
          </Button>
        )}
        <Button onClick={onClose}>{texts.common.close}</Button>
      </div>
    </>
  )
}
