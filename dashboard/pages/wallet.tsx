import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { useAccount } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Fact } from '../components/fact.tsx'
import { Money } from '../components/money.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useData } from '../components/use-data.ts'
import { AutoTopupCard } from '../wallet/auto-topup-card.tsx'
import { LimitsCard } from '../wallet/limits-card.tsx'
import { TopUp } from '../wallet/top-up.tsx'
import { Transactions } from '../wallet/transactions.tsx'
import { UsageCard } from '../wallet/usage-card.tsx'

export function WalletPage() {
  const { status, problem, reload } = useAccount()
  return (
    <>
      <h1>Wallet</h1>
      {status ? (
        <div className="two-columns">
          <Balance wallet={status.wallet} />
          <TopUp />
        </div>
      ) : (
        <Loading problem={problem} retry={reload} />
      )}
      <UsageCard />
      <Settings />
      <Transactions />
    </>
  )
}

function Balance({ wallet }: Pick<InstanceStatus, 'wallet'>) {
  const { balanceMicros, heldMicros, owedMicros, runwayDays } = wallet
  return (
    <section className="card" aria-labelledby="balance-title">
      <h2 id="balance-title">Balance</h2>
      <p className="balance-amount">
        <Money micros={balanceMicros} />
      </p>
      <p className="muted">Yours to spend on model calls. It never goes below zero.</p>
      <dl className="facts-list">
        <Fact name="Held for calls under way">
          <Money micros={heldMicros} />
        </Fact>
        {runwayDays !== null && <Fact name="Lasts at the present rate">{showRunway(Math.floor(runwayDays))}</Fact>}
        {owedMicros > 0 && (
          <Fact name="Owed after a refund or dispute">
            <Money micros={owedMicros} />
          </Fact>
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
function Warning({
  wallet: { balanceMicros, heldMicros, owedMicros, low, suspended },
}: Pick<InstanceStatus, 'wallet'>) {
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

/** Limits and automatic top-up, side by side. */
function Settings() {
  const { data: wallet, problem, reload } = useData(berth.getWallet)
  if (!wallet) return <Loading problem={problem} retry={reload} />
  return (
    <div className="two-columns">
      <LimitsCard limits={wallet.limits} onSaved={reload} />
      <AutoTopupCard settings={wallet.autoTopup} onSaved={reload} />
    </div>
  )
}
