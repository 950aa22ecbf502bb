import type { WalletForecast } from '../../clients/typescript/operations.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { Fact } from '../components/fact.tsx'
import { Money } from '../components/money.tsx'
import { showBalance } from '../format.ts'
import { walletTexts } from '../texts/wallet.ts'

export function ForecastCard({ forecast }: { forecast: WalletForecast }) {
  const words = walletTexts.forecast
  const { spentMicros, monthEndMicros, rateMicros, rateDays, missingMicros, mostMicros, isCapped, autoTopup } = forecast
  return (
    <section className="card" aria-labelledby="forecast-title">
      <h2 id="forecast-title">{words.title}</h2>
      <p className="balance-amount">
        <span className="visually-hidden">{words.end}: </span>
        <Money micros={monthEndMicros} />
      </p>
      <p className="muted">{rateMicros === 0 ? words.nothing : words.basis(formatMicros(rateMicros), rateDays)}</p>
      <dl className="facts-list">
        <Fact name={words.spent}>
          <Money micros={spentMicros} />
        </Fact>
        <Fact name={words.balance}>{missingMicros > 0 ? words.missing(formatMicros(missingMicros)) : words.lasts}</Fact>
        {autoTopup && <Fact name={words.topUp}>{describeTopUp(autoTopup, missingMicros)}</Fact>}
        <Fact name={words.most}>
          <Money micros={mostMicros} />
        </Fact>
      </dl>
      {isCapped && <p className="muted">{words.capped}</p>}
    </section>
  )
}

function describeTopUp(
  { leftMicros, suffices }: NonNullable<WalletForecast['autoTopup']>,
  missingMicros: number,
): string {
  const { topUpSuffices, topUpLacks, topUpIdle } = walletTexts.forecast
  const left = showBalance(leftMicros)
  if (missingMicros === 0) return topUpIdle(left)
  return suffices ? topUpSuffices(left) : topUpLacks(left)
}
