import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { API_VERSION } from '../records.ts'
import type { Store } from '../store.ts'
import { StripeError } from './error.ts'
import { parseForm } from './form.ts'
import { expanded, toJson } from './json.ts'
import type { Route } from './route.ts'

/** Milliseconds an Idempotency-Key is remembered. */
const KEY_LIFE_MS = 24 * 60 * 60_000

const expansion = z.object({ expand: z.array(z.string()).default([]) }).catch({ expand: [] })

interface ApiOptions {
  store: Store
  routes: Route[]
  secretKey: string
  /** Called after every change. */
  onChange: () => void
  log: (line: string) => void
}

/** The API itself: forms in, JSON out, errors in Stripe's shape. */
export const createApi = (options: ApiOptions) => async (request: IncomingMessage, response: ServerResponse) => {
  const headers = {
    'content-type': 'application/json',
    'request-id': `req_${randomBytes(7).toString('hex')}`,
    'stripe-version': String(request.headers['stripe-version'] ?? API_VERSION),
    // Stripe sends the key back.
    ...(request.headers['idempotency-key'] && { 'idempotency-key': request.headers['idempotency-key'] }),
  }
  try {
    const { answer, replayed } = call(options, request, await text(request))
    response.writeHead(200, { ...headers, ...(replayed ? { 'idempotent-replayed': 'true' } : {}) }).end(answer)
  } catch (error) {
    const known = error instanceof StripeError ? error : undefined
    if (!known) options.log(`stripe failed: ${error instanceof Error ? error.stack : error}`)
    const body = known?.body ?? { type: 'api_error', message: 'An unknown error occurred.' }
    response.writeHead(known?.status ?? 500, headers).end(JSON.stringify({ error: body }, null, 2))
  }
}

function call(options: ApiOptions, request: IncomingMessage, body: string): { answer: string; replayed: boolean } {
  authorize(request.headers.authorization, options.secretKey)
  const { pathname: path, search } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const method = request.method ?? 'GET'
  const input = parseForm(method === 'POST' ? body : search.slice(1) || body)
  const key = request.headers['idempotency-key']
  if (method === 'GET' || typeof key !== 'string') return { answer: run(options, method, path, input), replayed: false }

  const { keys } = options.store.value
  for (const [oldKey, { at }] of Object.entries(keys)) if (at < Date.now() - KEY_LIFE_MS) delete keys[oldKey]
  const sent = { method, path, input }
  const known = keys[key]
  if (known && !isDeepStrictEqual(known.request, sent)) {
    const same =
      known.request.path === path
        ? 'with the same parameters they were first used with'
        : `for the same endpoint they were first used for ('${path}' vs '${known.request.path}')`
    throw new StripeError(
      400,
      `Keys for idempotent requests can only be used ${same}. Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: 'idempotency_error' },
    )
  }
  if (known) return { answer: known.answer, replayed: true }
  const answer = run(options, method, path, input, (given) => {
    keys[key] = { request: sent, answer: given, at: Date.now() }
  })
  return { answer, replayed: false }
}

function run(
  { routes, store, onChange }: ApiOptions,
  method: string,
  path: string,
  input: object,
  remember?: (answer: string) => void,
): string {
  const { route, id } = find(routes, method, path)
  const result = route.run(input, id)
  const paths = expansion.parse(input).expand
  const answer = toJson(paths.reduce<object>((shown, path) => Object(expanded(shown, path.split('.'), store)), result))
  if (method !== 'GET') {
    remember?.(answer)
    store.save()
    onChange()
  }
  return answer
}

function find(routes: Route[], method: string, path: string): { route: Route; id: string } {
  for (const route of routes) {
    const pattern = new RegExp(`^${route.path.replace('{id}', '([^/]+)')}$`)
    const match = route.method === method ? pattern.exec(path) : null
    if (match) return { route, id: decodeURIComponent(match[1] ?? '') }
  }
  throw new StripeError(404, `Unrecognized request URL (${method}: ${path}). The emulator does not have it.`)
}

function authorize(header: string | undefined, secretKey: string): void {
  const [, bearer] = /^Bearer (.+)$/.exec(header ?? '') ?? []
  const [, basic] = /^Basic (.+)$/.exec(header ?? '') ?? []
  const key = bearer ?? (basic && Buffer.from(basic, 'base64').toString().split(':')[0])
  if (!key) throw new StripeError(401, 'You did not provide an API key.')
  if (key !== secretKey) throw new StripeError(401, `Invalid API Key provided: ${key.slice(0, 8)}****`)
}
