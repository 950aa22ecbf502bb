import { type CheckoutSession, listOf } from '../records.ts'
import type { Store } from '../store.ts'

/** The JSON of an answer or event: without what an object keeps for itself. */
export function toJson(value: object): string {
  return JSON.stringify(
    value,
    function (this: { object?: unknown }, key: string, inner: unknown) {
      return key === 'local' && typeof this.object === 'string' ? undefined : inner
    },
    2,
  )
}

/** `value` with the object in place of its id at `path`: `latest_charge`, `data.customer`, `line_items`. */
export function expanded(value: unknown, path: string[], store: Store): unknown {
  if (Array.isArray(value)) return value.map((item) => expanded(item, path, store))
  if (typeof value === 'string') {
    const found = findAnywhere(value, store)
    return found ? expanded(found, path, store) : value
  }
  const [name, ...rest] = path
  if (!isRecord(value) || name === undefined) return value
  const inner = name === 'line_items' && isSession(value) ? lineItems(value) : value[name]
  return inner === undefined ? value : { ...value, [name]: expanded(inner, rest, store) }
}

export const lineItems = (session: CheckoutSession) =>
  listOf(session.local.items, `/v1/checkout/sessions/${session.id}/line_items`)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isSession = (value: Record<string, unknown>): value is CheckoutSession => value.object === 'checkout.session'

function findAnywhere(id: string, { value }: Store): object | undefined {
  const { deliveries: _, keys: __, ...collections } = value
  const all: Record<string, object>[] = Object.values(collections)
  return all.find((records) => Object.hasOwn(records, id))?.[id]
}
