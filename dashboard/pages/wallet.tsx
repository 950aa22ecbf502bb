import { useState } from 'react'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { walletTexts } from '../texts/wallet.ts'
import { AutoTopupCard } from '../wallet/auto-topup-card.tsx'
import { BalanceCard } from '../wallet/balance-card.tsx'
import { ForecastCard } from '../wallet/forecast-card.tsx'
import { LimitsCard } from '../wallet/limits-card.tsx'
import { TopUp } from '../wallet/top-up.tsx'
import { Transactions } from '../wallet/transactions.tsx'
import { UsageCard } from '../wallet/usage-card.tsx'
import { useUsageSearch } from '../wallet/usage-search.ts'
import '../styles/wallet.css'

export function WalletPage() {
  const search = useUsageSearch()
  const { data: wallet, problem, reload } = useRead('getWallet')
  const forecast = useRead('getWalletForecast')
  const usage = useRead('getWalletUsage', search.input)
  // Shown at once, so that nothing moves when the next answer arrives.
  const [isShown, setIsShown] = useState(false)
  const isRead = wallet && [forecast, usage].every(({ data, problem: failed }) => data || failed)
  if (!isShown && (isRead || (wallet && search.input === null))) setIsShown(true)
  return (
    <>
      <h1>{walletTexts.title}</h1>
      {problem && <Loading problem={problem} retry={reload} />}
      {!isShown && !problem && <Loading problem={null} retry={reload} />}
      {isShown && wallet && (
        <>
          <div className="two-columns">
            <BalanceCard wallet={wallet} forecast={forecast.data} />
            {!wallet.suspended && <TopUp />}
          </div>
          <UsageCard search={search} />
          {forecast.data ? (
            <ForecastCard forecast={forecast.data} />
          ) : (
            <Loading problem={forecast.problem} retry={forecast.reload} />
          )}
          <div className="two-columns">
            <LimitsCard limits={wallet.limits} onSaved={reload} />
            <AutoTopupCard settings={wallet.autoTopup} onSaved={reload} />
          </div>
          <Transactions />
        </>
      )}
    </>
  )
}
