import { useEffect, useState } from 'react'
import type { Wallet } from '../../domain/wallet/wallet.ts'
import { Loading } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'
import { AutoTopUpCard } from './auto-topup-card.tsx'
import { walletApi } from './calls.ts'
import { LimitsCard } from './limits-card.tsx'

/** Limits and automatic top-up, side by side. */
export function WalletSettings() {
  const [wallet, setWallet] = useState<Wallet | null>(null)
  const read = useAction(async () => setWallet(await walletApi.wallet()))
  useEffect(() => {
    read.run()
  }, [])
  if (!wallet) return <Loading problem={read.problem} retry={() => read.run()} />
  return (
    <div className="pair">
      <LimitsCard limits={wallet.limits} onSaved={() => read.run()} />
      <AutoTopUpCard settings={wallet.autoTopup} onSaved={() => read.run()} />
    </div>
  )
}
