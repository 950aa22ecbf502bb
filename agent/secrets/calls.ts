import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import type { UsableSecret } from '../../domain/instance/secrets.ts'
import { bearerOf, endToEnd, isKey } from '../kit/headers.ts'
import { responseTo } from '../kit/http.ts'
import { type Address, addressOf, always, internet, type Web } from '../kit/internet.ts'
import { type Log, nameOf } from '../kit/log.ts'
import { Mask } from './masking.ts'
import type { SecretStore } from './store.ts'

/** Calls at once; maximum silence of a connection, ms. */
const mostCalls = 16
const silentMs = 5 * 60_000

/** Without TRACE, which echoes the request. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Where the hosts are; tests have their own. */
interface Outside extends Web {
  port: number
  ca?: string
}

interface Target {
  name: string
  host: string
  path: string
}

/** The reason for a refusal, for the caller. */
class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Calls with a secret: over TLS, only to hosts that the user named, without redirects. Answers are masked. */
export class SecretCalls {
  readonly #store: Pick<SecretStore, 'find' | 'list'>
  readonly #log: Log
  readonly #outside: Outside
  #calls = 0

  constructor(store: Pick<SecretStore, 'find' | 'list'>, log: Log, outside: Outside = { ...internet, port: 443 }) {
    this.#store = store
    this.#log = log
    this.#outside = outside
  }

  /** Answers a request whose path begins with `/secrets`. */
  async serve(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    try {
      if (!hasKey(request.headers, key)) throw new Refused(401, 'unauthorized', 'Send the loopback key.')
      if (request.url === '/secrets' && request.method === 'GET') return await this.#list(response)
      if (this.#calls >= mostCalls) throw new Refused(429, 'rate-limited', 'Too many at a time. Try again in a second.')
      this.#calls++
      response.once('close', () => this.#calls--)
      await this.#call(request, response)
    } catch (error) {
      refuse(response, error instanceof Refused ? error : this.#failed(error))
    }
  }

  #failed(error: unknown): Refused {
    this.#log('a call with a secret failed', { because: nameOf(error) })
    return new Refused(502, 'provider-error', 'The host, or the service that knows the secret, cannot be reached.')
  }

  async #list(response: ServerResponse): Promise<void> {
    const secrets = (await this.#store.list()).map(({ name, hosts, header }) => ({ name, hosts, header }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ secrets }))
  }

  async #call(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!methods.includes(request.method ?? ''))
      throw new Refused(405, 'validation', `Use one of ${methods.join(', ')}.`)
    const target = targetOf(request.url ?? '')
    const secret = await this.#store.find(target.name)
    if (!secret) throw new Refused(404, 'not-found', 'There is no such secret. Your user can set it.')
    if (!secret.hosts.includes(target.host))
      throw new Refused(403, 'forbidden', `This secret may go to ${secret.hosts.join(', ')} and to no other host.`)
    const address = await addressOf(target.host, this.#outside)
    if (address === 'none') throw new Refused(502, 'provider-error', 'There is no such host.')
    if (address === 'closed') throw new Refused(403, 'forbidden', 'That host is not on the open internet.')
    // The caller has left.
    if (response.destroyed) return
    await this.#pass(request, response, target, secret, address)
  }

  async #pass(
    request: IncomingMessage,
    response: ServerResponse,
    { host, path }: Target,
    secret: UsableSecret,
    address: Address,
  ): Promise<void> {
    const { port, ca } = this.#outside
    const upstream = httpsRequest({
      host,
      servername: host,
      port,
      path,
      method: request.method,
      headers: headersOut(request.headers, secret),
      lookup: always(address),
      agent: false,
      rejectUnauthorized: true,
      timeout: silentMs,
      ...(ca !== undefined && { ca }),
    })
    upstream.once('timeout', () => upstream.destroy(new Error('the host was silent')))
    response.once('close', () => upstream.destroy())
    const answered = responseTo(upstream)
    if (hasBody(request.headers)) request.pipe(upstream)
    else upstream.end()
    const answer = await answered
    const { 'content-encoding': encoding = 'identity' } = answer.headers
    if (encoding !== 'identity') {
      upstream.destroy()
      throw new Refused(502, 'provider-error', 'The host compressed its answer, which cannot be searched then.')
    }
    const mask = new Mask(secretTexts(secret), `[secret ${secret.name}]`)
    response.writeHead(answer.statusCode ?? 502, headersBack(answer.headers, mask))
    response.flushHeaders()
    pipeline(answer, mask.stream(), response, () => {})
  }
}

/** Programs send the key in the secret's place: as a bearer token, an API key, or git's password. */
function hasKey(headers: IncomingHttpHeaders, key: string): boolean {
  const basic = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const password =
    basic &&
    Buffer.from(basic, 'base64')
      .toString('utf8')
      .replace(/^[^:]*:/, '')
  return isKey(bearerOf(headers) ?? password ?? headers['x-api-key'] ?? headers['x-berth-key'], key)
}

/** Takes the target as written: one that needs normalising is refused. @throws Refused */
function targetOf(url: string): Target {
  const [, name, host, path] =
    /^\/secrets\/([a-z0-9][a-z0-9_-]{0,63})\/https\/([a-z0-9.-]{1,253})(\/[!-~]*)$/.exec(url) ?? []
  const plain = (path ?? '').split('?', 1)[0] ?? ''
  const climbs = plain.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part))
  if (!name || !host || !path || climbs || /[\\#]|%(2f|5c|00)/i.test(plain))
    throw new Refused(404, 'not-found', 'Ask as /secrets/<name>/https/<host>/<path>, the path without . and .. in it.')
  return { name, host, path }
}

/** Headers that `Connection` names. */
const named = (headers: IncomingHttpHeaders): Set<string> =>
  new Set(`${headers.connection ?? ''}`.split(',').map((name) => name.trim().toLowerCase()))

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Headers that only the supervisor sets: a partial or compressed answer cannot be searched for the secret, and a method
 * override could make the host echo it.
 */
const ours = [
  ...['accept-encoding', 'accept-charset', 'range', 'if-range', 'x-berth-key', 'proxy-connection', 'forwarded', 'via'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-http-method-override', 'x-http-method'],
  ...['x-method-override', 'max-forwards', 'http2-settings', 'content-length'],
]

function headersOut(sent: IncomingHttpHeaders, { header, template, value }: UsableSecret) {
  const dropped = new Set([...ours, ...named(sent), header])
  const kept = Object.entries(endToEnd(sent)).filter(([name]) => !dropped.has(name) && !isTwin(name, header))
  return {
    ...Object.fromEntries(kept),
    ...(sent['transfer-encoding'] !== undefined
      ? { 'transfer-encoding': 'chunked' }
      : sent['content-length'] !== undefined && { 'content-length': sent['content-length'] }),
    'accept-encoding': 'identity',
    [header]: template.replace('{}', () => value),
  }
}

/** Some servers read `x_token` as `x-token`. */
const isTwin = (name: string, header: string): boolean => name.replaceAll('_', '-') === header.replaceAll('_', '-')

function headersBack(received: IncomingHttpHeaders, mask: Mask): Record<string, string | string[]> {
  const dropped = new Set([...named(received), 'content-length', 'content-encoding', 'alt-svc'])
  return Object.fromEntries(
    Object.entries(endToEnd(received)).flatMap(([name, value]) => {
      if (value === undefined || dropped.has(name) || mask.text(name) !== name) return []
      return [[name, Array.isArray(value) ? value.map((each) => mask.text(each)) : mask.text(value)]]
    }),
  )
}

/** The texts to mask: the value, and the password in HTTP's Basic scheme. */
function secretTexts({ value, template }: UsableSecret): string[] {
  const basic = /^basic +(\S+)$/i.exec(template.replace('{}', () => value))?.[1]
  const password = basic ? Buffer.from(basic, 'base64').toString('utf8').split(':').slice(1).join(':') : ''
  return password.length >= 8 ? [value, password] : [value]
}

function refuse(response: ServerResponse, { status, code, message }: Refused): void {
  if (response.destroyed) return
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 429 && { 'retry-after': '1' }),
    // git sends the password of its address only after this challenge.
    ...(status === 401 && { 'www-authenticate': 'Basic realm="loopback"' }),
  })
  response.end(JSON.stringify({ error: code, message }))
}
