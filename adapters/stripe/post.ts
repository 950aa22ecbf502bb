import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'

/** The version of Stripe's API that its library pins; a test holds them together. */
export const apiVersion = '2026-10-28.endive'

/** Longest wait for an answer, ms. */
const timeoutMs = 8_000
/** The least waits before the second and the third try, ms; at most twice as long. */
const retryAfterMs = [250, 500]

export interface Ask {
  secretKey: string
  apiBase?: string | null
  path: string
  form: object
  /** The same key makes one thing, however often it is asked; so a try may be repeated. */
  idempotencyKey: string
}

/**
 * One thing made at Stripe without its library, which is as large as all else that opening a page takes. Tried three
 * times, as the library would. @throws an error that names the path and the status alone
 */
export async function post<T>(ask: Ask, schema: z.ZodType<T>): Promise<T> {
  for (const wait of [...retryAfterMs, null]) {
    const answer = await send(ask).catch(() => null)
    if (answer?.ok) return schema.parse(await answer.json())
    await answer?.body?.cancel()
    if (wait === null || !mayRepeat(answer))
      throw new Error(`Stripe answered ${answer?.status ?? 'nothing'}: ${ask.path}`)
    await sleep(randomInt(wait, 2 * wait))
  }
  throw new Error('unreachable: the last try returns or throws')
}

const send = ({ secretKey, apiBase, path, form, idempotencyKey }: Ask): Promise<Response> =>
  fetch(new URL(path, apiBase ?? 'https://api.stripe.com'), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${secretKey}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Idempotency-Key': idempotencyKey,
      'Stripe-Version': apiVersion,
    },
    body: new URLSearchParams(flat(form)),
    signal: AbortSignal.timeout(timeoutMs),
  })

/** No answer, one that says so, a conflict of keys, or a fault of theirs. */
function mayRepeat(answer: Response | null): boolean {
  const said = answer?.headers.get('stripe-should-retry')
  if (said) return said === 'true'
  return answer === null || answer.status === 409 || answer.status >= 500
}

/** `{ a: { b: [1] } }` as `a[b][0]=1`, which is how Stripe reads forms. */
export const flat = (value: object, within = ''): [string, string][] =>
  Object.entries(value).flatMap(([name, one]): [string, string][] => {
    const key = within ? `${within}[${name}]` : name
    if (one === undefined) return []
    return typeof one === 'object' && one !== null ? flat(one, key) : [[key, String(one)]]
  })
