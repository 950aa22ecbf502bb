import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPat } from '../../domain/tokens/pat.ts'
import { call, cookieOf, mailedCode, newAddress, newEmail, origin, signIn } from './client.ts'
import { noteSecret } from './contract.ts'

/** All logs of the service and its machines so far. */
function logs(folder = join(process.env.BERTH_DATA_DIR ?? 'nowhere', 'logs')): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n')
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url')

/** A fresh secret of every kind that a caller could send, in places where it does not belong. */
const planted = () => ({
  pat: formatPat('00', randomBytes(64)),
  machine: `bmt_agent.${random(60)}.${random(32)}`,
  cookie: random(32),
  stripe: `sk_live_${randomBytes(16).toString('hex')}`,
  webhook: `whsec_${randomBytes(20).toString('hex')}`,
  provider: `sk-ant-api03-${randomBytes(24).toString('hex')}`,
  password: `pass-${random(20)}`,
})

describe('secrets', () => {
  test('planted in every part of a request occur in no response and no log', async () => {
    const secrets = planted()
    const user = await signIn()
    const answers: string[] = []
    const from = newAddress()
    const ask = async (...[method, path, body, caller, headers]: Parameters<typeof call>) => {
      const { headers: answered, body: said } = await call(method, path, body, { address: from, ...caller }, headers)
      answers.push(JSON.stringify([Object.fromEntries(answered), said]))
    }
    for (const secret of Object.values(secrets)) {
      noteSecret(secret)
      await ask('GET', '/wallet', undefined, { bearer: secret })
      await ask('GET', '/wallet', undefined, {}, { authorization: `Basic ${secret}` })
      await ask('GET', '/wallet', undefined, {}, { cookie: `service.session=${secret}` })
      await ask('GET', '/agent/prompt', undefined, { bearer: secret })
      await ask('GET', '/llm/proxy/v1/models', undefined, {}, { 'x-api-key': secret })
      await ask('GET', `/wallet/transactions?cursor=${secret}`, undefined, user)
      await ask('GET', `/wallet/transactions/${secret}`, undefined, user)
      await ask('GET', `/skills/${secret}`, undefined, user)
      await ask('DELETE', `/tokens?id=${secret}`, undefined, user)
      await ask('GET', `/${secret}`, undefined, user)
      await ask('POST', '/tokens', { name: '', scopes: [secret], expiresInDays: secret }, user)
      await ask('POST', '/tokens', `{"name":"${secret}"`, user)
      await ask('POST', '/instance/model', { model: secret }, user)
      await ask('POST', '/auth/login', { email: secret }, {}, { origin })
      await ask('POST', '/auth/verify', { email: newEmail(), code: secret }, {}, { origin })
      await ask('POST', '/webhooks/stripe', { id: secret }, {}, { 'stripe-signature': `t=1,v1=${secret}` })
      await ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: secret, params: { name: secret } }, user, {
        accept: 'application/json, text/event-stream',
      }).catch(() => {}) // The protocol may answer with a stream, which this client does not read.
    }
    const said = answers.join('\n')
    const written = logs()
    for (const [kind, secret] of Object.entries(secrets)) {
      expect([kind, said.includes(secret)]).toEqual([kind, false])
      expect([kind, written.includes(secret)]).toEqual([kind, false])
    }
    expect(written).toContain('"operation":"getWallet"')
  })

  test('issued by the service itself occur in no log: code, cookie, token', async () => {
    const email = newEmail()
    const from = { address: newAddress() }
    const asked = await call('POST', '/auth/login', { email }, from, { origin })
    const code = await mailedCode(email)
    const verified = await call('POST', '/auth/verify', { email, code }, { ...from, cookie: cookieOf(asked) })
    const cookie = cookieOf(verified)
    const { plaintext } = (await call('POST', '/tokens', { name: 'canary' }, { cookie })).body
    await call('GET', '/wallet', undefined, { bearer: plaintext })
    const written = logs()
    const around = (secret: string) => {
      const at = written.search(new RegExp(`(?<!\\w)${secret}(?!\\w)`))
      return at < 0 ? null : written.slice(Math.max(0, at - 100), at + 100)
    }
    for (const secret of [code, cookie.split('=')[1] ?? '', plaintext, email]) expect(around(secret)).toBeNull()
  })

  test('a request’s log line has the same id as its response', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('GET', '/health')))
    const written = logs()
    for (const { headers } of answers) {
      const id = headers.get('x-request-id') ?? 'none'
      const line = written.split('\n').find((text) => text.includes(id))
      expect(JSON.parse(line ?? '{}')).toMatchObject({
        requestId: id,
        operation: 'getHealth',
        status: 200,
        method: 'GET',
      })
    }
  })
})
