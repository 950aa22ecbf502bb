import { useLive } from '../account.tsx'
import type { Status } from '../client.ts'
import { Money } from '../parts/money.tsx'
import { Loading, Notice } from '../parts/notice.tsx'
import { WalletSettings } from '../wallet/settings.tsx'
import { TopUp } from '../wallet/top-up.tsx'
import { Transactions } from '../wallet/transactions.tsx'
import { Usage } from '../wallet/usage.tsx'

export function WalletPage() {
  const { status, problem, reload } = useLive()
  return (
    <>
      <h1>Wallet</h1>
      {status ? (
        <div className="pair">
          <Balance wallet={status.wallet} />
          <TopUp />
        </div>
      ) : (
        <Loading problem={problem} retry={reload} />
      )}
      <Usage />
      <WalletSettings />
      <Transactions />
    </>
  )
}

function Balance({ wallet }: Pick<Status, 'wallet'>) {
  const { balanceMicros, heldMicros, owedMicros, runwayDays } = wallet
  return (
    <section className="card" aria-labelledby="balance-title">
      <h2 id="balance-title">Balance</h2>
      <p className="big-money">
        <Money micros={balanceMicros} />
      </p>
      <p className="muted">Yours to spend on model calls. It never goes below zero.</p>
      <dl className="facts-list">
        <div>
          <dt>Held for calls under way</dt>
          <dd>
            <Money micros={heldMicros} />
          </dd>
        </div>
        {runwayDays !== null && (
          <div>
            <dt>Lasts at the present rate</dt>
            <dd>{showRunway(Math.floor(runwayDays))}</dd>
          </div>
        )}
        {owedMicros > 0 && (
          <div>
            <dt>Owed after a refund or dispute</dt>
            <dd>
              <Money micros={owedMicros} />
            </dd>
          </div>
        )}
      </dl>
      <Warning wallet={wallet} />
    </section>
  )
}

function showRunway(days: number): string {
  if (days < 1) return 'less than a day'
  if (days > 365) return 'more than a year'
  return days === 1 ? 'about a day' : `about ${days} days`
}

/** The gravest thing to say about the wallet, if any. */
function Warning({ wallet: { balanceMicros, heldMicros, owedMicros, low, suspended } }: Pick<Status, 'wallet'>) {
  if (suspended)
    return (
      <Notice tone="bad">
        The wallet is suspended: no calls are made. Answer any mail of ours to have it looked into.
      </Notice>
    )
  if (owedMicros > 0)
    return <Notice tone="bad">The next credit pays what is owed first. Until then your agent cannot make calls.</Notice>
  if (balanceMicros + heldMicros === 0)
    return <Notice tone="bad">The wallet is empty. Your agent cannot make calls until you top it up.</Notice>
  return low && <Notice tone="info">Less than $1 is left. Top up so that your agent can go on answering.</Notice>
}
