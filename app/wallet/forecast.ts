import { type Forecast, forecastMonth, forecastRange } from '../../domain/wallet/forecast.ts'
import type { Wallets } from '../ports/wallet.ts'
import { readUsage } from './usage.ts'

export async function forecastOf(deps: { wallets: Wallets }, userId: string, nowMs: number): Promise<Forecast> {
  const [days, state, auto] = await Promise.all([
    readUsage(deps, userId, forecastRange(nowMs), nowMs),
    deps.wallets.read(userId),
    deps.wallets.autoTopup(userId),
  ])
  return forecastMonth(days, state, auto, nowMs)
}
