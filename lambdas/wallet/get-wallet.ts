import { showWallet, wallet } from '../../domain/wallet/wallet.ts'
import { operation } from '../kit/operation.ts'

export const getWallet = operation({
  id: 'getWallet',
  summary: 'Get the wallet’s balance',
  http: { method: 'GET', path: '/wallet' },
  tool: {
    name: 'wallet.balance',
    title: 'Wallet balance',
    description:
      'Reads the prepaid wallet that pays for model calls. Use it before expensive work or when a call failed with ' +
      'wallet-empty. Returns the spendable balance, the amount held for running calls, and the amount owed, in ' +
      'micro-dollars (1 USD = 1000000).',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  output: wallet,
  uses: { wallets: 'read' },
  run: async ({ actor: { userId }, deps, now }) => {
    const [state, auto] = await Promise.all([deps.wallets.read(userId), deps.wallets.autoTopup(userId)])
    return showWallet(state, now, auto)
  },
})
