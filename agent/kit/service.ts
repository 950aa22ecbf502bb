import type { IncomingHttpHeaders } from 'node:http'
import type { Audience } from '../../domain/actor.ts'
import type { Observed, SentObservation } from '../../domain/agent/observation.ts'
import type { PolledWork } from '../../domain/agent/task.ts'
import type { SupervisorSettings } from './environment.ts'
import { readText, send, within } from './http.ts'

const callMs = 35_000

export type Answer<T> =
  | { ok: true; status: number; headers: IncomingHttpHeaders; body: T }
  | { ok: false; status: number; headers: IncomingHttpHeaders; text: string }

interface Call {
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

interface Token {
  value: string
  /** Time of receipt, ms since 1970. */
  sinceMs: number
  triedMs: number
}

/**
 * Calls the service with the machine's tokens. X-Machine-Token of any response replaces its audience's token at once.
 */
export class Service {
  readonly api: string
  readonly #tokens: Partial<Record<Audience, Token>> = {}
  readonly #tokenMs: number
  readonly #superseded: () => void

  constructor(
    { api, tokens, tokenMs }: Pick<SupervisorSettings, 'api' | 'tokens' | 'tokenMs'>,
    superseded: () => void,
  ) {
    this.api = api
    this.#tokenMs = tokenMs
    this.#superseded = superseded
    for (const audience of audiences) this.#keep(audience, tokens[audience])
  }

  bearer(audience: Audience): string {
    return `Bearer ${this.#tokens[audience]?.value}`
  }

  /** Takes a fresh token from a response, or the notice that this machine is superseded. */
  note(audience: Audience, status: number, headers: IncomingHttpHeaders): void {
    this.#keep(audience, headers['x-machine-token'])
    if (status === 401) this.#superseded()
  }

  /**
   * Audiences whose token needs a call to be renewed. A failed one is listed again after 1/60 of a token's life. Other
   * calls usually renew the agent's token.
   */
  due(): Audience[] {
    const nowMs = Date.now()
    return audiences.filter((audience) => {
      const token = this.#tokens[audience]
      const renewMs = this.#tokenMs * (audience === 'agent' ? 5 / 6 : 2 / 3)
      if (!token || nowMs - token.sinceMs < renewMs || nowMs - token.triedMs < this.#tokenMs / 60) return false
      token.triedMs = nowMs
      return true
    })
  }

  /** @throws what the connection throws, and SyntaxError for a success that is not JSON */
  async call<T>(audience: Audience, target: string, { body, headers, signal }: Call = {}): Promise<Answer<T>> {
    const response = await send(`${this.api}${target}`, {
      headers: { ...headers, authorization: this.bearer(audience) },
      body,
      signal: within(callMs, signal),
    })
    const answer = { status: response.statusCode ?? 0, headers: response.headers }
    this.note(audience, answer.status, answer.headers)
    const text = await readText(response)
    return answer.status === 200 ? { ok: true, ...answer, body: JSON.parse(text) } : { ok: false, ...answer, text }
  }

  poll(waitSeconds: number, tasks: 'too' | 'only', signal: AbortSignal): Promise<Answer<PolledWork>> {
    return this.call('agent', `/agent/prompt?wait=${waitSeconds}&tasks=${tasks}`, { signal })
  }

  observe(observation: SentObservation): Promise<Answer<Observed>> {
    return this.call('agent', '/agent/observe', { body: observation })
  }

  #keep(audience: Audience, value: string | string[] | undefined): void {
    const nowMs = Date.now()
    if (typeof value === 'string' && value !== '') this.#tokens[audience] = { value, sinceMs: nowMs, triedMs: nowMs }
  }
}

const audiences: readonly Audience[] = ['llm', 'files', 'agent']
