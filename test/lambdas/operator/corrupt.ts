import { change } from '../../../adapters/dynamo/calls.ts'
import { walletKey } from '../../../adapters/dynamo/wallet/item.ts'
import type { World } from '../../world.ts'

/** Changes a wallet without a ledger entry. @param available µUSD */
export const corruptWallet = (world: World, userId: string, available: number) =>
  change({
    table: world.env.table('wallets'),
    key: walletKey(userId),
    update: 'SET #available = :wrong',
    values: { ':wrong': available },
  })
