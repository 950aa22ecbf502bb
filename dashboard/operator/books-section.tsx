import type { BooksRun } from '../../clients/typescript/operations.ts'
import { Loading, Notice } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActButton } from './act-dialog.tsx'

/** Checks the books step by step; another operator can continue the check. */
export function BooksSection() {
  const { data, setData, problem, reload } = useRead('getBooks')
  if (!data) return <Loading problem={problem} retry={reload} />
  const { run } = data
  const underWay = run !== null && run.finishedAt === null

  async function checkAll(reason: string) {
    let anew = !underWay
    for (;;) {
      const { run: next } = await berth.checkBooks({ reason, anew })
      setData({ run: next })
      anew = false
      if (next.finishedAt !== null) return
    }
  }

  return (
    <>
      <p className="muted page-lead">{words.books.lead}</p>
      <section className="card" aria-label={words.sections.books}>
        {run ? <Result run={run} /> : <p>{words.books.never}</p>}
        <div className="buttons">
          <ActButton
            label={underWay ? words.books.goOn : words.books.check}
            title={words.books.check}
            variant="primary"
            upon="service"
            act={checkAll}
          >
            {underWay && <p role="status">{words.books.checking(run.checked)}</p>}
          </ActButton>
        </div>
      </section>
    </>
  )
}

const Result = ({ run }: { run: BooksRun }) => (
  <>
    <p role="status">
      {run.finishedAt === null
        ? words.books.checking(run.checked)
        : words.books.done(run.checked, showDayTime(run.finishedAt))}
    </p>
    {run.wrong === 0 ? <p>{words.books.fine}</p> : <Notice tone="bad">{words.books.wrong(run.wrong)}</Notice>}
    <ul>
      {run.differences.map(({ user, says }) => (
        <li key={user}>
          <code>{user}</code>: {says.join('; ')}
        </li>
      ))}
    </ul>
    {run.skipped.length > 0 && (
      <p>
        {words.books.skipped}: <code>{run.skipped.join(' ')}</code>
      </p>
    )}
  </>
)
