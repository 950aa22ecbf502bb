import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/** The emulated account. Callers of a function that changes it save the store, and deliver the events. */
export interface Account {
  store: Store
  webhooks: Webhooks
  pagesUrl: string
}
