import type { DeadLetter } from '../../clients/typescript/operations.ts'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActButton } from './act-dialog.tsx'

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
  if (letters.length === 0) return <p className="muted">{none}</p>
  return (
    <ul className="card rows">
      {letters.map(({ user, kind, endpoint, id, what, at, why, nextTryAt }) => (
        <li key={`${kind} ${endpoint} ${id}`} className="row">
          <div className="row-text">
            <p className="row-name">
              {what} <code>{user}</code>
            </p>
            <p className="muted">
              {showDayTime(at)}
              {why && ` · ${why}`}
              {nextTryAt && ` · ${words.letters.next(showDayTime(nextTryAt))}`}
            </p>
          </div>
          <ActButton
            label={words.letters.replay}
            of={id}
            title={words.letters.title(what, user)}
            act={(reason) =>
              berth.replayDeadLetter({ user, kind, letter: id, ...(endpoint !== null && { endpoint }), reason })
            }
          />
        </li>
      ))}
    </ul>
  )
}
