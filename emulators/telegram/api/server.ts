import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiFailure, bad } from '../errors.ts'
import type { World } from '../world.ts'
import { readParameters } from './parameters.ts'

/** How the API goes wrong, for tests. */
export interface ApiFaults {
  /** Answers 502 to everything until then, in milliseconds since the epoch. */
  downUntil: number
  /** The next calls are answered so, of any method or of this one; nothing is done. */
  refuse: { method?: string; status: number; message: string; retryAfter?: number }[]
  /** The next calls are done, and the connection ends without an answer. */
  drop: { method?: string }[]
}

export interface Api {
  routes: string[]
  faults: ApiFaults
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Calls a method as the answer of a webhook does. */
  call(method: string, parameters: object): Promise<unknown>
}

/** `/bot<token>/<method>` and `/file/bot<token>/<path>`: parameters in any of four ways, `{ ok, result }` out. */
export function createApi(options: {
  token: string
  world: World
  methods: Readonly<Record<string, (input: unknown) => unknown>>
  log: (line: string) => void
}): Api {
  const { token, world, log } = options
  // Methods are found whatever the case of their letters.
  const methods = new Map(Object.entries(options.methods).map(([name, run]) => [name.toLowerCase(), run]))
  const faults: ApiFaults = { downUntil: 0, refuse: [], drop: [] }

  /** Takes the first fault that is for this method. */
  function next<F extends { method?: string }>(list: F[], method: string): F | undefined {
    const at = list.findIndex((fault) => (fault.method ?? method).toLowerCase() === method.toLowerCase())
    return at < 0 ? undefined : list.splice(at, 1)[0]
  }

  async function call(method: string, parameters: object): Promise<unknown> {
    const run = methods.get(method.toLowerCase())
    if (!run) throw new ApiFailure(404, 'Not Found')
    if (!isWellFormed(parameters)) throw bad('strings must be encoded in UTF-8')
    return run(parameters)
  }

  async function answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? []
    const parameters = await readParameters(request, url.searchParams)
    if (faults.downUntil > Date.now()) return refuse(response, 502, 'Bad Gateway')
    if (given !== token) return refuse(response, given ? 401 : 404, given ? 'Unauthorized' : 'Not Found')
    const fault = next(faults.refuse, method)
    if (fault) {
      const { status, message, retryAfter } = fault
      return refuse(response, status, message, retryAfter === undefined ? undefined : { retry_after: retryAfter })
    }
    const result = await call(method, parameters)
    if (next(faults.drop, method)) response.destroy()
    else send(response, 200, { ok: true, result })
  }

  function file(response: ServerResponse, url: URL): void {
    const [, given, path = ''] = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname) ?? []
    const found = given === token && faults.downUntil < Date.now() ? world.file({ path }) : undefined
    if (!found) throw new ApiFailure(404, 'Not Found')
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.content)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    try {
      if (url.pathname.startsWith('/file/')) file(response, url)
      else await answer(request, response, url)
    } catch (error) {
      const known = error instanceof ApiFailure ? error : undefined
      if (!known) log(`telegram failed: ${error instanceof Error ? error.stack : error}`)
      refuse(response, known?.status ?? 500, known?.message ?? 'Internal Server Error', known?.parameters)
    }
  }

  const names = Object.keys(options.methods)
  const routes = [...names.map((name) => `POST /bot{token}/${name}`), 'GET /file/bot{token}/{path}']
  return { routes, faults, handle, call }
}

function refuse(response: ServerResponse, status: number, description: string, parameters?: object): void {
  send(response, status, { ok: false, error_code: status, description, ...(parameters && { parameters }) })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Whether no text of a call has half a character. */
const isWellFormed = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.isWellFormed()
    : typeof value !== 'object' || value === null || value instanceof File || Object.values(value).every(isWellFormed)
