import { useState } from 'react'
import type { DeadLetter } from '../../clients/typescript/operations.ts'
import { refresh, useRead } from '../api/cache.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { showDayTime } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActDialog } from './act-dialog.tsx'

export function LettersSection() {
  const { data, problem, reload } = useRead('listDeadLetters', {})
  return (
    <>
      <p className="muted page-lead">{words.letters.lead}</p>
      {data ? (
        <Letters letters={data.letters} none={words.letters.none} />
      ) : (
        <Loading problem={problem} retry={reload} />
      )}
    </>
  )
}

export function Letters({ letters, none }: { letters: readonly DeadLetter[]; none: string }) {
  const [open, setOpen] = useState<DeadLetter | null>(null)
  const close = (done: boolean) => {
    setOpen(null)
    if (done) refresh('listDeadLetters', 'getUser')
  }
  if (letters.length === 0) return <p className="muted">{none}</p>
  return (
    <>
      <ul className="card rows">
        {letters.map((letter) => (
          <li key={`${letter.kind} ${letter.endpoint} ${letter.id}`} className="row">
            <div className="row-text">
              <p className="row-name">
                {letter.what} <code>{letter.user}</code>
              </p>
              <p className="muted">
                {showDayTime(letter.at)}
                {letter.why && ` · ${letter.why}`}
                {letter.nextTryAt && ` · ${words.letters.next(showDayTime(letter.nextTryAt))}`}
              </p>
            </div>
            <Button of={letter.id} onClick={() => setOpen(letter)}>
              {words.letters.replay}
            </Button>
          </li>
        ))}
      </ul>
      {open && (
        <ActDialog
          title={words.letters.title(open.what, open.user)}
          act={(reason) =>
            berth.replayDeadLetter({
              user: open.user,
              kind: open.kind,
              letter: open.id,
              ...(open.endpoint !== null && { endpoint: open.endpoint }),
              reason,
            })
          }
          onClose={close}
        />
      )}
    </>
  )
}
