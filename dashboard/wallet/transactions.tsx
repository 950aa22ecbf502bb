import { useCallback, useEffect, useState } from 'react'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { useServerEvents } from '../account-state.tsx'
import { berth, errorText } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Money } from '../components/money.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showDayTime } from '../format.ts'
import { transactionLabels } from '../labels.ts'
import { Receipt } from './receipt.tsx'

type Kind = Transaction['type'] | null

const kinds: readonly [Kind, string][] = [
  [null, 'Everything'],
  ['topup', 'Top-ups'],
  ['subscription_credit', 'Plan credits'],
  ['usage', 'Model calls'],
  ['refund', 'Refunds'],
  ['dispute', 'Disputes'],
  ['adjustment', 'Adjustments'],
]

/** The ledger, newest first, in all or by what made its lines. */
export function Transactions() {
  const [kind, setKind] = useState<Kind>(null)
  return (
    <section aria-labelledby="transactions-title">
      <div className="section-head">
        <h2 id="transactions-title">Transactions</h2>
        <label className="inline-choice">
          Show{' '}
          <select
            value={kind ?? ''}
            onChange={({ target }) => setKind(kinds.find(([of]) => of === target.value)?.[0] ?? null)}
          >
            {kinds.map(([of, label]) => (
              <option key={label} value={of ?? ''}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Lines key={kind} kind={kind} />
    </section>
  )
}

function Lines({ kind }: { kind: Kind }) {
  const [lines, setLines] = useState<Transaction[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)

  const readNewest = useCallback(() => {
    berth.listTransactions({ type: kind ?? undefined, limit: 25 }).then(
      ({ transactions, nextCursor }) => {
        setLines((before) => {
          if (!before) setCursor(nextCursor)
          return merge(before ?? [], transactions)
        })
        setProblem(null)
      },
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [kind])
  useEffect(readNewest, [readNewest])
  useServerEvents('wallet. prompt.', readNewest)

  const more = useAction(async () => {
    const { transactions, nextCursor } = await berth.listTransactions({
      cursor: cursor ?? undefined,
      type: kind ?? undefined,
      limit: 25,
    })
    setLines((before) => merge(before ?? [], transactions))
    setCursor(nextCursor)
  })
  return (
    <>
      {!lines && <Loading problem={problem} retry={readNewest} />}
      {lines?.length === 0 && (
        <div className="card empty">
          <p>{cursor ? 'None of these among the newest.' : kind ? 'None of these yet.' : 'Nothing yet.'}</p>
          <p className="muted">
            Top-ups, plan credits and every model call will be listed here, each with its receipt.
          </p>
        </div>
      )}
      {lines && lines.length > 0 && (
        <ol className="card ledger">
          {lines.map((line) => (
            <li key={line.id}>
              <details>
                <summary>
                  <span className={`ledger-kind ${line.amountMicros < 0 ? 'out' : 'in'}`} aria-hidden="true" />
                  <span className="ledger-text">
                    <span>{line.description || transactionLabels[line.type]}</span>
                    <span className="muted">
                      {line.description !== transactionLabels[line.type] && `${transactionLabels[line.type]} · `}
                      <time dateTime={line.at}>{showDayTime(line.at)}</time>
                    </span>
                  </span>
                  <span className={line.amountMicros < 0 ? 'ledger-amount' : 'ledger-amount credit'}>
                    <Money micros={line.amountMicros} signed />
                  </span>
                </summary>
                <Receipt line={line} />
              </details>
            </li>
          ))}
        </ol>
      )}
      {more.problem && <Notice tone="bad">{more.problem}</Notice>}
      {cursor && (
        <p className="more">
          <Button busy={more.busy} onClick={() => more.run()}>
            Show older
          </Button>
        </p>
      )}
    </>
  )
}

/** Ids sort by time; newest first. */
function merge(before: Transaction[], more: Transaction[]): Transaction[] {
  const byId = new Map([...before, ...more].map((line) => [line.id, line]))
  return [...byId.values()].sort((a, b) => (a.id > b.id ? -1 : 1))
}
