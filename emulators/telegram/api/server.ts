import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasHalfCharacter } from '../../kit/text.ts'
import { ApiFailure, bad } from '../errors.ts'
import { type Method, type MethodContext, methods } from './methods.ts'
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

// Methods are found whatever the case of their letters.
const byName = new Map<string, Method>(Object.entries(methods).map(([name, run]) => [name.toLowerCase(), run]))
export const routes = [...Object.keys(methods).map((name) => `POST /bot{token}/${name}`), 'GET /file/bot{token}/{path}']

/** `/bot<token>/<method>` and `/file/bot<token>/<path>`: parameters in any of four ways, `{ ok, result }` out. */
export class Api {
  readonly faults: ApiFaults = { downUntil: 0, refuse: [], drop: [] }
  readonly #token: string
  readonly #context: MethodContext
  readonly #log: (line: string) => void

  constructor(token: string, context: MethodContext, log: (line: string) => void) {
    this.#token = token
    this.#context = context
    this.#log = log
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    try {
      if (url.pathname.startsWith('/file/')) this.#file(response, url)
      else await this.#answer(request, response, url)
    } catch (error) {
      const known = error instanceof ApiFailure ? error : undefined
      if (!known) this.#log(`telegram failed: ${error instanceof Error ? error.stack : error}`)
      refuse(response, known?.status ?? 500, known?.message ?? 'Internal Server Error', known?.parameters)
    }
  }

  /** Calls a method as the answer of a webhook does. */
  async call(method: string, parameters: object): Promise<unknown> {
    const run = byName.get(method.toLowerCase())
    if (!run) throw new ApiFailure(404, 'Not Found')
    if (hasHalfCharacter(parameters)) throw bad('strings must be encoded in UTF-8')
    return run(this.#context, parameters)
  }

  async #answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? []
    const parameters = await readParameters(request, url.searchParams)
    if (this.faults.downUntil > Date.now()) return refuse(response, 502, 'Bad Gateway')
    if (given !== this.#token) return refuse(response, given ? 401 : 404, given ? 'Unauthorized' : 'Not Found')
    const fault = next(this.faults.refuse, method)
    if (fault) {
      const { status, message, retryAfter } = fault
      return refuse(response, status, message, retryAfter === undefined ? undefined : { retry_after: retryAfter })
    }
    const result = await this.call(method, parameters)
    if (next(this.faults.drop, method)) response.destroy()
    else send(response, 200, { ok: true, result })
  }

  #file(response: ServerResponse, url: URL): void {
    const [, given, path = ''] = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname) ?? []
    const isOpen = given === this.#token && this.faults.downUntil < Date.now()
    const found = isOpen ? this.#context.world.file({ path }) : undefined
    if (!found) throw new ApiFailure(404, 'Not Found')
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.content)
  }
}

/** Takes the first fault that is for this method. */
function next<F extends { method?: string }>(list: F[], method: string): F | undefined {
  const at = list.findIndex((fault) => (fault.method ?? method).toLowerCase() === method.toLowerCase())
  return at < 0 ? undefined : list.splice(at, 1)[0]
}

function refuse(response: ServerResponse, status: number, description: string, parameters?: object): void {
  send(response, status, { ok: false, error_code: status, description, ...(parameters && { parameters }) })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
