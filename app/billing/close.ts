import { isLive } from '../../domain/billing/subscription.ts'
import { conflict } from '../../domain/errors.ts'
import type { Users } from '../ports/account.ts'
import type { Payments } from '../ports/billing.ts'
import type { Wallets } from '../ports/wallet.ts'

export async function closeBilling(
  { users, wallets, payments }: { users: Users; wallets: Wallets; payments: Payments },
  userId: string,
): Promise<void> {
  const user = await users.find(userId)
  if (!user?.eraseAt) return
  const topUp = await wallets.autoTopup(userId)
  if (topUp?.settings.enabled) {
    const off = { ...topUp, settings: { ...topUp.settings, enabled: false } }
    if (!(await wallets.saveAutoTopup(userId, off))) throw conflict('The settings are changing right now.')
  }
  if (user.subscriptionId && isLive(user.subscription)) await payments.cancelSubscription(user.subscriptionId)
}
