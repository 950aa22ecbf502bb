import type { Stage } from '../../lib/stage.ts'
import { Stop } from './stop.ts'

/** @param account of the credentials @throws Stop when the stage belongs to another account */
export function checkAccount(stage: Pick<Stage, 'name' | 'account'>, account: string): void {
  if (account !== stage.account)
    throw new Stop(
      `These credentials belong to the account ${account}, but stages/${stage.name} says ${stage.account}. Set AWS_PROFILE to a profile of that account.`,
    )
}
