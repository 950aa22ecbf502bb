/** The Web API over HTTP: forms and JSON in, `ok` or a code out, with injected failures. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { findById } from '../../kit/records.ts'
import type { Faults } from '../faults.ts'
import { serveFile } from '../files.ts'
import { chatMethods } from '../methods/chat.ts'
import { conversationMethods } from '../methods/conversations.ts'
import { fileMethods } from '../methods/files.ts'
import { saveManifest } from '../methods/manifests.ts'
import type { Context, Method } from '../methods/method.ts'
import { access } from '../methods/oauth.ts'
import { streamMethods } from '../methods/streams.ts'
import { workspaceMethods } from '../methods/workspace.ts'
import { teamOf } from '../store.ts'
import { type Arguments, optional, readArguments } from './arguments.ts'
import { SlackError, TooMany } from './error.ts'
import { Limits } from './limits.ts'

const methods: Record<string, Method> = {
  ...chatMethods,
  ...streamMethods,
  ...conversationMethods,
  ...fileMethods,
  ...workspaceMethods,
}

const withoutTeam = ['api.test', 'oauth.v2.access', 'apps.manifest.create', 'apps.manifest.update']
export const routes = [...withoutTeam, ...Object.keys(methods)].map((method) => `POST /api/${method}`)

export interface Call {
  method: string
  given: Arguments
  /** The code it was refused with; null when it was done. */
  error: string | null
}

/** Serves addresses outside the API's methods: pages of OAuth, answers to commands. Answers false for an unknown one. */
export type OtherAddresses = (
  request: IncomingMessage,
  response: ServerResponse,
  body: () => Promise<Buffer>,
) => Promise<boolean>

interface ApiOptions {
  context: Context
  faults: Faults
  /** Whether calls are counted against Slack's limits. */
  limited: boolean
  log: (line: string) => void
  onCall: (call: Call) => void
  other: OtherAddresses
}

export class Api {
  readonly #options: ApiOptions
  readonly #limits: Limits

  constructor(options: ApiOptions) {
    this.#options = options
    this.#limits = new Limits(options.context.store.now)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { context, faults, other } = this.#options
    if (faults.down) return void request.socket.destroy()
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const method = /^\/api\/([\w.]+)$/.exec(url.pathname)?.[1]
    if (method) return this.#answer(method, request, response, url)
    const body = () => buffer(request)
    if (await serveFile(context.store, request, response, url.pathname, body)) return
    if (await other(request, response, body)) return
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
  }

  async #answer(method: string, request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { context, faults, log, onCall } = this.#options
    const body = (await buffer(request)).toString('utf8')
    let given: Arguments = {}
    const respond = (status: number, answered: object, headers: Record<string, string> = {}) => {
      if (faults.answersLost > 0) {
        faults.answersLost -= 1
        return request.socket.destroy()
      }
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
      response.end(JSON.stringify(answered))
    }
    try {
      given = readArguments(request.headers['content-type'] ?? '', body, url.searchParams)
      const result = this.#call(method, request, given)
      onCall({ method, given, error: null })
      respond(200, { ok: true, ...result }, { 'x-oauth-scopes': context.app.scopes.join(',') })
    } catch (error) {
      if (error instanceof TooMany) {
        onCall({ method, given, error: 'ratelimited' })
        respond(429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(error.seconds) })
      } else if (error instanceof SlackError) {
        onCall({ method, given, error: error.code })
        const more = error.messages.length > 0 ? { response_metadata: { messages: error.messages } } : {}
        respond(200, { ok: false, error: error.code, ...more })
      } else {
        log(`slack ${method} failed: ${error instanceof Error ? error.stack : error}`)
        respond(500, { ok: false, error: 'fatal_error' })
      }
    }
  }

  #call(method: string, { headers }: IncomingMessage, given: Arguments): object {
    const { context, faults, limited } = this.#options
    if (faults.rateLimited > 0) {
      faults.rateLimited -= 1
      throw new TooMany(faults.retryAfterSeconds)
    }
    if (method === 'api.test') return {}
    if (method === 'oauth.v2.access') return access(given, headers.authorization, context)
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? optional(given, 'token')
    if (/^apps\.manifest\.(create|update)$/.test(method)) {
      if (!token?.startsWith('xoxe'))
        throw new SlackError(token === undefined ? 'not_authed' : 'not_allowed_token_type')
      return saveManifest(method, given, context)
    }
    const found = findById(methods, method)
    if (!found) throw new SlackError('unknown_method')
    if (token === undefined) throw new SlackError('not_authed')
    const team = teamOf(context.store, token)
    if (!team) throw new SlackError(token.startsWith('xoxb-') ? 'account_inactive' : 'invalid_auth')
    if (limited) this.#limits.count(found.tier, method, team.id, optional(given, 'channel') ?? '')
    return found.run(given, team, context)
  }
}
