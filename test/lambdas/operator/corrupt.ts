import { change } from '../../../adapters/dynamo/calls.ts'
import { walletAt } from '../../../adapters/dynamo/wallet/item.ts'
import type { World } from '../../world.ts'

/** Changes a wallet without a ledger entry. @param available µUSD */
export const corruptWallet = (world: World, userId: string, available: number) =>
  change({
    ...walletAt(world.env.table('wallets'), userId),
    update: 'SET #available = :wrong',
    values: { ':wrong': available },
  })
