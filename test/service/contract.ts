import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { DomainError } from '../../domain/errors.ts'
import { operations } from '../../lambdas/areas.ts'
import { errorBody, errorsOf, oauthErrorBody, statusOf, vendorErrorBody } from '../../lambdas/kit/errors.ts'
import type { AnyOperation } from '../../lambdas/kit/operation.ts'

interface Answered {
  status: number
  headers: Headers
  body: unknown
}

const routes = operations.flatMap((operation) =>
  [operation.http.path, ...(operation.http.aliases ?? [])].map((path) => {
    const pattern = path.replace(/\{\w+\+\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')
    return { operation, path, pattern: new RegExp(`^${pattern}$`), fixed: !path.includes('{') }
  }),
)

/** The path of an address as a handler sees it: without query and trailing slash. */
const pathOf = (target: string): string => (target.split('?')[0] ?? '').replace(/(?<=.)\/$/, '')

/** The operation at an address. */
export const operationAt = (method: string, target: string): AnyOperation | undefined =>
  routeAt(method, target)?.operation

/** The route of an address: a matching path without parameters takes precedence. */
export function routeAt(asked: string, target: string): (typeof routes)[number] | undefined {
  const method = asked === 'HEAD' ? 'GET' : asked
  const path = pathOf(target)
  const at = routes.filter(({ pattern }) => pattern.test(path))
  const fixed = at.filter((route) => route.fixed)
  return (fixed.length > 0 ? fixed : at).find(({ operation }) => operation.http.method === method)
}

/** Every answer of the service in any test matches the service's own document. @throws Error with the mismatch */
export function checkAnswer(method: string, target: string, answer: Answered): void {
  const wrong = whatIsWrong(method, target, answer)
  if (wrong) throw new Error(`${method} ${target} answered ${answer.status} ${JSON.stringify(answer.body)}: ${wrong}`)
  for (const secret of secretsOf(answer)) noteSecret(secret)
}

function whatIsWrong(method: string, target: string, answer: Answered): string | null {
  const { status, headers, body } = answer
  if (!headers.get('x-request-id')) return 'it has no X-Request-Id'
  if (method === 'HEAD') return body === null ? null : 'it has a body'
  if (status >= 400) return wrongError(method, target, answer)
  const operation = operationAt(method, target)
  if (!operation || operation.http.stream || operation.http.text) return null
  const parsed = operation.output.safeParse(body)
  if (!parsed.success) return `it is not the output of ${operation.id}: ${parsed.error.message}`
  return isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), body)
    ? null
    : `it has more than ${operation.id} says`
}

function wrongError(method: string, target: string, { status, headers, body }: Answered): string | null {
  const operation = operationAt(method, target)
  const { answers, refusal } = operation?.http.protocol ?? {}
  if (answers && isJsonRpc(body))
    return status in answers && refusal?.safeParse(body).success ? null : `${operation?.id} does not declare it`
  if (operation?.errorAs?.(new DomainError('internal', ''), status, { target: pathOf(target), headers: {} })) {
    const told = z.union([vendorErrorBody, oauthErrorBody.strict()]).safeParse(body)
    return told.success && errorsOf(operation).some((code) => statusOf[code] === status)
      ? null
      : 'it is no error of its own kind'
  }
  if (!operation && /^\/(llm\/proxy\/)?v1\/./.test(pathOf(target))) {
    const told = vendorErrorBody.safeParse(body)
    if (!told.success) return 'it is no error of a vendor'
    return status === 405 ? wrongAllow(method, target, headers) : null
  }
  const parsed = errorBody.strict().safeParse(body)
  if (!parsed.success) return 'it is no error of the service'
  const { error, message, retryAfterSeconds } = parsed.data
  const expected: Record<string, number> = statusOf
  if (status === 405 && error === 'not-found') return wrongAllow(method, target, headers)
  if (status !== 503 && expected[error] !== status) return `${error} has another status`
  const codes: string[] = operation ? errorsOf(operation) : []
  if (operation && !codes.includes(error)) return `${operation.id} does not declare ${error}`
  if (status !== 429) return null
  if (headers.get('retry-after') !== String(retryAfterSeconds)) return 'Retry-After is not retryAfterSeconds'
  return message.includes(`${retryAfterSeconds} seconds`) ? null : 'its message does not say how long to wait'
}

/** The Allow header lists the methods of the path, without the refused one. */
function wrongAllow(method: string, target: string, headers: Headers): string | null {
  const allowed = headers.get('allow')?.split(', ') ?? []
  if (!allowed.every((name) => operationAt(name, target))) return 'Allow names a method that the path does not serve'
  return allowed.length === 0 || allowed.includes(method) ? 'Allow is empty or names the refused method' : null
}

const isJsonRpc = (body: unknown): boolean => typeof body === 'object' && body !== null && 'jsonrpc' in body

/** Secrets that the service issued; the end of the run searches for them in every log. */
function secretsOf({ headers, body }: Answered): string[] {
  const { plaintext } = (body ?? {}) as { plaintext?: unknown } // safe because it is checked before it is used
  const cookie = /session=([\w-]{20,})/.exec(headers.get('set-cookie') ?? '')?.[1]
  return [cookie, typeof plaintext === 'string' ? plaintext : undefined].filter((secret) => secret !== undefined)
}

/** Remembers a secret of this run. */
export function noteSecret(secret: string): void {
  const { BERTH_DATA_DIR: dataDir } = process.env
  if (dataDir) appendFileSync(join(dataDir, 'canaries.txt'), `${secret}\n`)
}
