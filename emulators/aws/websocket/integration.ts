/** A deployment's routes, and the answers of their integrations. */
import * as z from 'zod'

export type Integration =
  | { type: 'function'; arn: string; timeoutMs: number }
  /** Answers by itself with this status, and with this text where the route has a response. */
  | { type: 'mock'; status: number; reply?: string }

export interface Route {
  integration: Integration
  /** Whether what the integration answers is sent to the client. */
  responds: boolean
}

/** The definition of one deployment of an API. */
export interface Deployment {
  apiId: string
  stage: string
  /** Where a JSON message names its route: `['action']` for `$request.body.action`. */
  selection: string[]
  routes: ReadonlyMap<string, Route>
}

export type Invoke = (arn: string, event: unknown) => Promise<{ ok: true; payload: unknown } | { ok: false }>

const Reply = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  body: z.string().nullish(),
  headers: z.record(z.string(), z.unknown()).nullish(),
})

/** An integration's answer; `failed` if the status is ours because its answer was unusable. */
interface Result {
  status: number
  failed: boolean
  body?: string | undefined
  headers?: Record<string, unknown>
}

export async function answerOf(integration: Integration, event: object, invoke: Invoke): Promise<Result> {
  if (integration.type === 'mock') {
    const { status, reply } = integration
    return { status, failed: status > 499, body: reply }
  }
  const outcome = await withTimeout(integration.timeoutMs, invoke(integration.arn, event))
  if (outcome === 'timeout') return { status: 504, failed: true }
  const reply = outcome.ok ? Reply.safeParse(outcome.payload) : undefined
  if (!reply?.success) return { status: 502, failed: true }
  const { statusCode, body, headers } = reply.data
  return { status: statusCode, failed: false, body: body ?? undefined, headers: headers ?? {} }
}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | 'timeout'> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), ms)
  })
  const first = await Promise.race([work, timeout])
  clearTimeout(timer)
  return first
}

/** The route that a message names, else `$default`. */
export function routeOf({ routes, selection }: Deployment, body: string): [string, Route] | undefined {
  const named = selectedIn(body, selection)
  const own = named !== undefined && !named.startsWith('$') ? routes.get(named) : undefined
  if (own && named !== undefined) return [named, own]
  const other = routes.get('$default')
  return other && ['$default', other]
}

function selectedIn(body: string, selection: string[]): string | undefined {
  try {
    let at: unknown = JSON.parse(body)
    for (const key of selection) at = Object.hasOwn(Object(at), key) ? Object(at)[key] : undefined
    return typeof at === 'string' ? at : undefined
  } catch {
    return undefined
  }
}
