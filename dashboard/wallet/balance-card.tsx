import type { Wallet, WalletForecast } from '../../clients/typescript/operations.ts'
import { Fact } from '../components/fact.tsx'
import { Money } from '../components/money.tsx'
import { Notice } from '../components/notice.tsx'
import { centMicros, showBalance, showUtcDay } from '../format.ts'
import { walletTexts } from '../texts/wallet.ts'

export function BalanceCard({ wallet, forecast }: { wallet: Wallet; forecast: WalletForecast | null }) {
  const words = walletTexts.balance
  const { balanceMicros, heldMicros, owedMicros, runwayDays } = wallet
  return (
    <section className="card" aria-labelledby="balance-title">
      <h2 id="balance-title">{words.title}</h2>
      <p className="balance-amount">
        <Money micros={balanceMicros} />
      </p>
      <p className="muted">{words.lead}</p>
      <dl className="facts-list">
        <Fact name={words.held}>
          <Money micros={heldMicros} />
        </Fact>
        {runwayDays !== null && <Fact name={words.lasts}>{showRunway(Math.floor(runwayDays))}</Fact>}
        {owedMicros > 0 && (
          <Fact name={words.owed}>
            <Money micros={owedMicros} />
          </Fact>
        )}
      </dl>
      <BalanceAlert wallet={wallet} forecast={forecast} />
      <CapAlert limits={wallet.limits} />
    </section>
  )
}

function showRunway(days: number): string {
  const { lessThanADay, moreThanAYear, aboutDays } = walletTexts.balance
  if (days < 1) return lessThanADay
  return days > 365 ? moreThanAYear : aboutDays(days)
}

function BalanceAlert({ wallet, forecast }: { wallet: Wallet; forecast: WalletForecast | null }) {
  const words = walletTexts.alerts
  const { balanceMicros, heldMicros, owedMicros, low, suspended } = wallet
  if (suspended) return <Notice tone="bad">{words.suspended}</Notice>
  if (owedMicros > 0) return <Notice tone="bad">{words.owed}</Notice>
  if (balanceMicros + heldMicros === 0) return <Notice tone="bad">{words.empty}</Notice>
  if (low) return <Notice tone="info">{words.low}</Notice>
  const emptyOn = forecast?.autoTopup?.suffices ? null : forecast?.emptyOn
  return emptyOn && <Notice tone="info">{words.emptyOn(showUtcDay(emptyOn))}</Notice>
}

/** A limit counts as near from this percentage on. */
const nearPercent = 80

function CapAlert({ limits: { dailyCapCents, spentTodayMicros } }: Pick<Wallet, 'limits'>) {
  const words = walletTexts.alerts
  const leftMicros = dailyCapCents * centMicros - spentTodayMicros
  if (dailyCapCents > 0 && leftMicros <= 0) return <Notice tone="bad">{words.capReached}</Notice>
  const isNear = spentTodayMicros * 100 >= dailyCapCents * centMicros * nearPercent
  return dailyCapCents > 0 && isNear && <Notice tone="info">{words.capNear(showBalance(leftMicros))}</Notice>
}
