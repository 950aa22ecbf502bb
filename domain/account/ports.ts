import type { Subscription } from '../billing/plans.ts'
import type { UserRecord } from './user.ts'

export interface Users {
  find(userId: string): Promise<UserRecord | null>
  /** The user with this address, made if there is none. Two at once make one. */
  findOrCreate(email: string, newUserId: string, nowMs: number): Promise<{ user: UserRecord; created: boolean }>
  setCustomer(userId: string, customerId: string): Promise<void>
  /** False when a newer event was applied already. */
  setSubscription(
    userId: string,
    change: { subscription: Subscription; subscriptionId: string; asOfSeconds: number },
  ): Promise<boolean>
}
