import { Empty } from '../components/empty.tsx'
import { Loading } from '../components/notice.tsx'
import { ShowOlder } from '../components/show-older.tsx'
import { usePages } from '../data/cache.ts'
import { showCents, showDay } from '../format.ts'
import { billingTexts } from '../texts/billing.ts'

const words = billingTexts.invoices

export function Invoices() {
  const { items: invoices, problem, reload, more, busy } = usePages('listInvoices', 'invoices', { limit: 12 })
  return (
    <section aria-labelledby="invoices-title">
      <h2 id="invoices-title">{words.title}</h2>
      {!invoices && <Loading problem={problem} retry={reload} />}
      {invoices?.length === 0 && <Empty text={words.empty} hint={words.emptyHint} />}
      {invoices && invoices.length > 0 && (
        <ol className="card rows">
          {invoices.map(({ id, description, at, number, status, amountCents, url }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">{description}</p>
                <p className="muted">
                  <time dateTime={at}>{showDay(at)}</time>
                  {number && ` · ${number}`} · {words.statuses[status]}
                </p>
              </div>
              <span className="money">{showCents(amountCents)}</span>
              {url && (
                <a href={url}>
                  {words.view}
                  <span className="visually-hidden"> {words.viewOf(number ?? '', showDay(at))}</span>
                </a>
              )}
            </li>
          ))}
        </ol>
      )}
      <ShowOlder more={more} busy={busy} />
    </section>
  )
}
