import { useCallback, useEffect, useState } from 'react'
import type { Invoice } from '../../domain/billing/invoice.ts'
import { useChanges } from '../account.tsx'
import { api, wordsOf } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Loading, Notice } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'
import { showCents, showDay } from '../words.ts'

const statusWords: Record<Invoice['status'], string> = {
  draft: 'Being made',
  open: 'Due',
  paid: 'Paid',
  void: 'Called off',
  uncollectible: 'Not paid',
}

export function Invoices() {
  const [invoices, setInvoices] = useState<Invoice[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const read = useCallback(() => {
    api.invoices(null).then(
      (page) => {
        setInvoices(page.invoices)
        setCursor(page.nextCursor)
        setProblem(null)
      },
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [])
  useEffect(read, [read])
  useChanges('subscription. wallet.credited', read)
  const more = useAction(async () => {
    const page = await api.invoices(cursor)
    setInvoices((before) => [...(before ?? []), ...page.invoices])
    setCursor(page.nextCursor)
  })
  return (
    <section aria-labelledby="invoices-title">
      <h2 id="invoices-title">Invoices</h2>
      {!invoices && <Loading problem={problem} retry={read} />}
      {invoices?.length === 0 && (
        <div className="card empty">
          <p>None yet.</p>
          <p className="muted">
            Each month’s invoice is listed here. Top-ups are in the wallet, with their receipts by mail.
          </p>
        </div>
      )}
      {invoices && invoices.length > 0 && (
        <ol className="card rows">
          {invoices.map((one) => (
            <li key={one.id} className="row">
              <div className="row-what">
                <p className="row-name">{one.description}</p>
                <p className="muted">
                  <time dateTime={one.at}>{showDay(one.at)}</time>
                  {one.number && ` · ${one.number}`} · {statusWords[one.status]}
                </p>
              </div>
              <span className="money">{showCents(one.amountCents)}</span>
              {one.url && (
                <a href={one.url} aria-label={`Invoice ${one.number ?? ''} of ${showDay(one.at)}`}>
                  View
                </a>
              )}
            </li>
          ))}
        </ol>
      )}
      {more.problem && <Notice tone="bad">{more.problem}</Notice>}
      {cursor && (
        <p className="more">
          <Button busy={more.busy} onPress={() => more.run()}>
            Show older
          </Button>
        </p>
      )}
    </section>
  )
}
