import { forecastOf } from '../../app/wallet/forecast.ts'
import { forecast } from '../../domain/wallet/forecast.ts'
import { operation } from '../kit/operation.ts'

export const getWalletForecast = operation({
  id: 'getWalletForecast',
  summary: 'Get the forecast of this month’s spending',
  description:
    'The rate is the mean of the last seven days, or what today has come to where there are none. Held against the ' +
    'balance, the limit a day and the month’s cap of automatic top-up.',
  http: { method: 'GET', path: '/wallet/forecast' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  output: forecast,
  uses: { wallets: 'read' },
  run: ({ actor, deps, now }) => forecastOf(deps, actor.userId, now),
})
