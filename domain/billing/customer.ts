import type { UserRecord } from '../account/user.ts'
import { unauthorized } from '../errors.ts'
import type { Ports } from '../ports.ts'
import type { Pages } from './ports.ts'

/** The user with the provider's customer, which is made and kept the first time. @throws unauthorized */
export async function customerOf(
  { users }: Pick<Ports, 'users'>,
  pages: Pick<Pages, 'customer'>,
  userId: string,
): Promise<UserRecord & { customerId: string }> {
  const user = await users.find(userId)
  if (!user) throw unauthorized()
  const customerId = await pages.customer(user)
  if (!user.customerId) await users.setCustomer(user.id, customerId)
  return { ...user, customerId }
}
