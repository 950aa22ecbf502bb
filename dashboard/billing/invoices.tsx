import { useCallback, useEffect, useState } from 'react'
import type { Invoice } from '../../domain/billing/invoice.ts'
import { useServerEvents } from '../account-state.tsx'
import { berth, errorText } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showCents, showDay } from '../format.ts'

const statusLabels: Record<Invoice['status'], string> = {
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
    berth.listInvoices({ limit: 12 }).then(
      (page) => {
        setInvoices(page.invoices)
        setCursor(page.nextCursor)
        setProblem(null)
      },
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [])
  useEffect(read, [read])
  useServerEvents('subscription. wallet.credited', read)
  const more = useAction(async () => {
    const page = await berth.listInvoices({ cursor: cursor ?? undefined, limit: 12 })
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
          {invoices.map(({ id, description, at, number, status, amountCents, url }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">{description}</p>
                <p className="muted">
                  <time dateTime={at}>{showDay(at)}</time>
                  {number && ` · ${number}`} · {statusLabels[status]}
                </p>
              </div>
              <span className="money">{showCents(amountCents)}</span>
              {url && (
                <a href={url} aria-label={`Invoice ${number ?? ''} of ${showDay(at)}`}>
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
          <Button busy={more.busy} onClick={() => more.run()}>
            Show older
          </Button>
        </p>
      )}
    </section>
  )
}
