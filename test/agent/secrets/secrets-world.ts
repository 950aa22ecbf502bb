import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { isPublic } from '../../../agent/kit/internet.ts'
import { Service } from '../../../agent/kit/service.ts'
import { startLoopback } from '../../../agent/loopback/loopback.ts'
import { SecretCalls } from '../../../agent/secrets/calls.ts'
import { SecretStore } from '../../../agent/secrets/store.ts'
import { Turns } from '../../../agent/supervisor/turns.ts'
import type { UsableSecret } from '../../../domain/instance/secrets.ts'
import { newCertificate } from '../certificate.ts'

/** A request that the echoing host received. */
export interface Heard {
  method: string
  url: string
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  body: string
}

/** Names in the test's network; the echoing host is its open internet. */
const names: Record<string, string[]> = {
  'api.echo.test': ['127.0.0.1'],
  'other.echo.test': ['127.0.0.1'],
  'private.test': ['10.0.0.7'],
  'mixed.test': ['127.0.0.1', '192.168.0.1'],
  'local.test': ['127.0.0.2'],
  'metadata.test': ['169.254.169.254'],
  'six.test': ['::1'],
  'unique.test': ['fd00::1'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'translated.test': ['64:ff9b::a00:1'],
  'zero.test': ['0.0.0.0'],
  'wrong-name.test': ['127.0.0.1'],
}

export const value = 's3cr&t/Va+lue "q"\\x<z>=~42'

const use = { header: 'authorization', template: 'Bearer {}' }
export const initial: UsableSecret[] = [
  {
    name: 'github',
    value,
    hosts: ['api.echo.test', ...Object.keys(names).filter((name) => !name.includes('echo'))],
    ...use,
  },
  { name: 'custom', value: 'another-secret-value', hosts: ['api.echo.test'], header: 'x-api-token', template: '{}' },
  {
    name: 'basic',
    value: Buffer.from('x-access-token:the-password-of-git').toString('base64'),
    hosts: ['api.echo.test'],
    header: 'authorization',
    template: 'Basic {}',
  },
  { name: 'elsewhere', value: 'value-of-elsewhere', hosts: ['other.echo.test'], ...use },
  { name: 'nowhere', value: 'value-of-nowhere', hosts: ['nowhere.test'], ...use },
]

/** A loopback, a service with secrets, and a host that echoes requests in the form that the test chooses. */
export async function openSecretsWorld() {
  const heard: Heard[] = []
  const bodies = new WeakMap<IncomingMessage, Buffer>()
  const resolved: string[] = []
  const fetched: number[] = []
  const logged: unknown[] = []
  let secrets = initial
  let serviceStatus = 200
  let answer = (asked: Heard, response: ServerResponse, _request: IncomingMessage): void =>
    void response.end(JSON.stringify(asked))

  const { key, cert } = newCertificate(['api.echo.test', 'other.echo.test', 'mixed.test'])
  const host = createServer({ key, cert }, async (asked, response) => {
    const { method = '', url = '', headers, rawHeaders } = asked
    const body = await buffer(asked)
    bodies.set(asked, body)
    const request = { method, url, headers, rawHeaders, body: body.toString('utf8') }
    heard.push(request)
    answer(request, response, asked)
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo // safe because it listens on a port

  const service = new Service({ api: 'http://127.0.0.1:1', tokens: {}, tokenMs: 1_000 }, () => {})
  const call = async () => {
    fetched.push(serviceStatus)
    const head = { status: serviceStatus, headers: {} }
    return serviceStatus === 200 ? { ok: true, ...head, body: { secrets } } : { ok: false, ...head, text: '' }
  }
  const store = new SecretStore({ call: call as Service['call'] }) // safe because the store calls the service for secrets only
  const log = (...said: unknown[]) => void logged.push(said)
  const outside = {
    port,
    ca: cert,
    resolve: async (name: string) => {
      resolved.push(name)
      return (names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
    allowed: (address: string) => address === '127.0.0.1' || isPublic(address),
  }
  const loopback = await startLoopback({
    service,
    model: () => 'default',
    poll: async () => undefined,
    inbox: { place: Promise.reject },
    outgoing: { send: Promise.reject },
    reports: { take: () => undefined, answered: () => {}, masked: (_, body) => body, working: () => {} },
    turns: new Turns({ isHeld: () => false, context: Promise.reject, close: Promise.reject }),
    questions: { find: Promise.reject },
    secrets: new SecretCalls(store, log, outside),
    log,
  })
  const { address, key: loopbackKey } = loopback

  interface Asked {
    method?: string
    headers?: Record<string, string>
    body?: string
    /** Without the loopback's key. */
    keyless?: true
  }

  /** Calls the loopback as a program would; the path is sent unchanged. */
  async function ask(path: string, { method = 'GET', headers = {}, body, keyless }: Asked = {}) {
    const { hostname, port: at } = new URL(address)
    const own = keyless ? {} : { authorization: `Bearer ${loopbackKey}` }
    const sent = request({ hostname, port: at, path, method, headers: { ...own, ...headers } })
    sent.end(body)
    const [got] = (await once(sent, 'response')) as [IncomingMessage] // safe because a response event carries this
    const bytes = await buffer(got).catch(() => Buffer.from('(cut)'))
    return { status: got.statusCode ?? 0, headers: got.headers, bytes, text: bytes.toString('utf8') }
  }

  /** Sends bytes unchanged and returns the status line and the whole response. */
  async function raw(lines: string): Promise<string> {
    const { hostname, port: at } = new URL(address)
    const socket = connect(Number(at), hostname)
    socket.end(lines.replaceAll('KEY', loopbackKey).replaceAll('\n', '\r\n'))
    return (await text(socket)).toString()
  }

  return {
    heard,
    bodies,
    resolved,
    fetched,
    logged,
    loopback,
    address,
    key: loopbackKey,
    ask,
    raw,
    answerWith: (next: typeof answer) => {
      answer = next
    },
    know: (next: UsableSecret[], status = 200) => {
      secrets = next
      serviceStatus = status
    },
    close: () => {
      loopback.close()
      host.closeAllConnections()
      host.close()
    },
  }
}

export type SecretsWorld = Awaited<ReturnType<typeof openSecretsWorld>>
