import type { Transaction } from '../../domain/wallet/ledger.ts'
import { ChoiceField } from '../components/choice-field.tsx'
import { Empty } from '../components/empty.tsx'
import { Money } from '../components/money.tsx'
import { Loading } from '../components/notice.tsx'
import { ShowOlder } from '../components/show-older.tsx'
import { usePages } from '../data/cache.ts'
import { showDayTime } from '../format.ts'
import { useSearchState } from '../router.tsx'
import { walletTexts } from '../texts/wallet.ts'
import { Receipt } from './receipt.tsx'

type Kind = Transaction['type'] | 'all'

/** In the order of the menu; the type requires every kind. */
const chosen: Record<Kind, true> = {
  all: true,
  topup: true,
  subscription_credit: true,
  trial_credit: true,
  usage: true,
  refund: true,
  dispute: true,
  adjustment: true,
}
// safe because they are its own keys
const kinds = Object.keys(chosen) as Kind[]

export function Transactions() {
  const words = walletTexts.ledger
  const [text, setKind] = useSearchState<string>('kind', 'all')
  const kind = kinds.find((known) => known === text) ?? 'all'
  return (
    <section aria-labelledby="transactions-title">
      <div className="section-head">
        <h2 id="transactions-title">{words.title}</h2>
        <ChoiceField
          label={words.show}
          className="inline-choice"
          data-reads
          value={kind}
          options={kinds.map((each) => [each, words.kinds[each]])}
          onChoice={setKind}
        />
      </div>
      <Lines kind={kind} />
    </section>
  )
}

function Lines({ kind }: { kind: Kind }) {
  const words = walletTexts.ledger
  const input = { limit: 25, ...(kind !== 'all' && { type: kind }) }
  const { items: lines, problem, reload, more, busy } = usePages('listTransactions', 'transactions', input)
  return (
    <>
      {(problem || !lines) && <Loading problem={problem} retry={reload} />}
      {lines?.length === 0 && (
        <Empty text={more ? words.noneNewest : kind === 'all' ? words.nothing : words.noneYet} hint={words.about} />
      )}
      {lines && lines.length > 0 && (
        <ol className="card ledger">
          {lines.map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </ol>
      )}
      <ShowOlder reads more={more} busy={busy} />
    </>
  )
}

function Line({ line }: { line: Transaction }) {
  const { amountMicros, description, type, at } = line
  const label = walletTexts.types[type]
  return (
    <li>
      <details>
        <summary>
          <span className={`ledger-kind ${amountMicros < 0 ? 'out' : 'in'}`} aria-hidden="true" />
          <span className="ledger-text">
            <span>{description || label}</span>
            <span className="muted">
              {description !== label && `${label} · `}
              <time dateTime={at}>{showDayTime(at)}</time>
            </span>
          </span>
          <span className={amountMicros < 0 ? 'ledger-amount' : 'ledger-amount credit'}>
            <Money micros={amountMicros} signed />
          </span>
        </summary>
        <Receipt line={line} />
      </details>
    </li>
  )
}
