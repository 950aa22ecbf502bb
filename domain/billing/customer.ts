import type { UserRecord } from '../account/user.ts'
import { unauthorized } from '../errors.ts'
import type { Ports } from '../ports.ts'

/** The user with the provider's customer, which is made and kept the first time. @throws unauthorized */
export async function customerOf(
  deps: Pick<Ports, 'users' | 'payments'>,
  userId: string,
): Promise<UserRecord & { customerId: string }> {
  const user = await deps.users.find(userId)
  if (!user) throw unauthorized()
  const customerId = await deps.payments.customer(user)
  if (!user.customerId) await deps.users.setCustomer(user.id, customerId)
  return { ...user, customerId }
}
