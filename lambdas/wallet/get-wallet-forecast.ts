import { forecastOf } from '../../app/wallet/forecast.ts'
import { forecast } from '../../domain/wallet/forecast.ts'
import { operation } from '../kit/operation.ts'

export const getWalletForecast = operation({
  id: 'getWalletForecast',
  summary: 'Get the forecast of this month’s spending',
  description:
    'The daily rate is the mean of the last seven days, or today’s spending if there is no earlier day. It is ' +
    'compared with the balance, the daily limit, and the monthly cap of automatic top-up.',
  http: { method: 'GET', path: '/wallet/forecast' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  output: forecast,
  uses: { wallets: 'read' },
  run: ({ actor, deps, now }) => forecastOf(deps, actor.userId, now),
})
