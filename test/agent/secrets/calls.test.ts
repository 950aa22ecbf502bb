import { gzipSync } from 'node:zlib'
import { type Heard, initial, openSecretsWorld, type SecretsWorld, value } from './secrets-world.ts'

let world: SecretsWorld
beforeAll(async () => {
  world = await openSecretsWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.heard.length = 0
  world.answerWith((asked, response) => void response.end(JSON.stringify(asked)))
})

const root = '/secrets/github/https/api.echo.test'
const shown = '[secret github]'
const leaks = (text: string) => initial.filter((secret) => text.includes(secret.value)).map(({ name }) => name)

describe('a call with a secret', () => {
  test('reaches the host over TLS with the secret in it, and the answer returns without it', async () => {
    const { status, text, headers } = await world.ask(`${root}/repos?page=2`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-own': 'mine', cookie: 'a=b' },
      body: 'hello',
    })
    expect(world.heard).toMatchObject([{ method: 'POST', url: '/repos?page=2', body: 'hello' }])
    expect(world.heard[0]?.headers).toMatchObject({
      authorization: `Bearer ${value}`,
      'accept-encoding': 'identity',
      'x-own': 'mine',
      'content-length': '5',
      host: expect.stringContaining('api.echo.test'),
    })
    expect(world.heard[0]?.headers.cookie).toBeUndefined()
    expect([status, leaks(text)]).toEqual([200, []])
    expect(text).toContain(`"authorization":"Bearer ${shown}"`)
    expect(headers['content-length']).toBeUndefined()
  })

  test.each([
    ['a header of its own', 'custom', 'x-api-token', 'another-secret-value'],
    ['Basic', 'basic', 'authorization', initial[2] && `Basic ${initial[2].value}`],
  ])('puts the secret into %s', async (_, name, header, expected) => {
    const path = `/secrets/${name}/https/api.echo.test/`
    await world.ask(path, { headers: { 'x-api-token': 'forged', x_api_token: 'forged', 'X-Api-Token': 'forged' } })
    expect(world.heard[0]?.headers[header]).toBe(expected)
    expect(JSON.stringify(world.heard[0]?.rawHeaders)).not.toContain(header === 'x-api-token' ? 'forged' : world.key)
  })

  test.each<[string, (key: string) => Record<string, string>]>([
    ['a bearer', (key) => ({ authorization: `Bearer ${key}` })],
    ['an API key', (key) => ({ 'x-api-key': key })],
    ['a header of its own', (key) => ({ 'x-berth-key': key })],
    ['git’s password', (key) => ({ authorization: `Basic ${Buffer.from(`git:${key}`).toString('base64')}` })],
  ])('takes the loopback’s key as %s, and does not pass it on', async (_, headers) => {
    expect((await world.ask(`${root}/`, { keyless: true, headers: headers(world.key) })).status).toBe(200)
    expect(JSON.stringify(world.heard)).not.toContain(world.key)
  })

  test('streams both ways: each piece of an answer arrives when it was sent', async () => {
    let finish = () => {}
    world.answerWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: one\n\n')
      finish = () => void response.end('data: two\n\n')
    })
    const got = await fetch(`${world.address}${root}/events`, { headers: { authorization: `Bearer ${world.key}` } })
    const reader = got.body?.getReader()
    // Two pieces cannot arrive as one, because the second is sent after the first was read completely.
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: one\n\n')
    finish()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: two\n\n')
  })

  test('lists names and hosts without values', async () => {
    const { status, text } = await world.ask('/secrets')
    expect([status, leaks(text)]).toEqual([200, []])
    expect(JSON.parse(text).secrets[1]).toEqual({ name: 'custom', hosts: ['api.echo.test'], header: 'x-api-token' })
    expect((await world.ask('/secrets', { keyless: true })).status).toBe(401)
  })

  test('asks the service once for many calls', async () => {
    const before = world.fetched.length
    await Promise.all(Array.from({ length: 10 }, () => world.ask(`${root}/`)))
    expect(world.fetched.length).toBe(before)
  })
})

/** Calls that must not reach any host with a secret. */
const refused: [what: string, status: number, path: string, method?: string, headers?: Record<string, string>][] = [
  ['a host that is not named', 403, '/secrets/github/https/evil.test/'],
  ['a host of another secret', 403, '/secrets/github/https/other.echo.test/'],
  ['a host below one that is named', 403, '/secrets/github/https/x.api.echo.test/'],
  ['a host above one that is named', 403, '/secrets/github/https/echo.test/'],
  ['a host that begins like one', 403, '/secrets/github/https/api.echo.test.evil.test/'],
  ['a host that ends like one', 403, '/secrets/github/https/evilapi.echo.test/'],
  ['a host with a dot behind', 403, '/secrets/github/https/api.echo.test./'],
  ['a host in capitals', 404, '/secrets/github/https/API.echo.test/'],
  ['a port', 404, '/secrets/github/https/api.echo.test:8443/'],
  ['the usual port', 404, '/secrets/github/https/api.echo.test:443/'],
  ['a user', 404, '/secrets/github/https/user@api.echo.test/'],
  ['the host as a user', 404, '/secrets/github/https/api.echo.test@evil.test/'],
  ['a user and a password', 404, '/secrets/github/https/a:b@evil.test/'],
  ['an address', 403, '/secrets/github/https/127.0.0.1/'],
  ['an address as one number', 403, '/secrets/github/https/2130706433/'],
  ['an address in hex', 403, '/secrets/github/https/0x7f000001/'],
  ['an address of version 6', 404, '/secrets/github/https/[::1]/'],
  ['localhost', 403, '/secrets/github/https/localhost/'],
  ['an encoded dot in the host', 404, '/secrets/github/https/api%2eecho.test/'],
  ['an encoded slash behind the host', 404, '/secrets/github/https/api.echo.test%2F@evil.test/'],
  ['an encoded mark behind the host', 404, '/secrets/github/https/evil.test%23.api.echo.test/'],
  ['a fragment behind the host', 404, '/secrets/github/https/evil.test#api.echo.test/'],
  ['a query behind the host', 404, '/secrets/github/https/evil.test?api.echo.test/'],
  ['a backslash behind the host', 404, '/secrets/github/https/evil.test\\api.echo.test/'],
  ['a wide full stop', 404, `/secrets/github/https/api${encodeURIComponent('\u3002')}echo.test/`],
  ['no host', 404, '/secrets/github/https//api.echo.test/'],
  ['no path', 404, '/secrets/github/https/api.echo.test'],
  ['plain HTTP', 404, '/secrets/github/http/api.echo.test/'],
  ['another scheme', 404, '/secrets/github/file/api.echo.test/'],
  ['an address inside of the path', 404, '/secrets/github/https://api.echo.test/'],
  ['a way up', 404, '/secrets/github/https/api.echo.test/../evil'],
  ['a way up at the end', 404, '/secrets/github/https/api.echo.test/a/..'],
  ['an encoded way up', 404, '/secrets/github/https/api.echo.test/%2e%2E/evil'],
  ['a half encoded way up', 404, '/secrets/github/https/api.echo.test/.%2e/evil'],
  ['a dot', 404, '/secrets/github/https/api.echo.test/./a'],
  ['an encoded slash in a way up', 404, '/secrets/github/https/api.echo.test/..%2fevil'],
  ['an encoded backslash', 404, '/secrets/github/https/api.echo.test/..%5Cevil'],
  ['a backslash', 404, '/secrets/github/https/api.echo.test/\\evil'],
  ['an encoded NUL', 404, '/secrets/github/https/api.echo.test/%00'],
  ['a way up to another secret', 404, '/secrets/elsewhere/../github/https/other.echo.test/'],
  ['a secret that nobody has', 404, '/secrets/gitlab/https/api.echo.test/'],
  ['a name in capitals', 404, '/secrets/GITHUB/https/api.echo.test/'],
  ['a name of the prototype', 404, '/secrets/__proto__/https/api.echo.test/'],
  ['a constructor’s name', 404, '/secrets/constructor/https/api.echo.test/'],
  ['an encoded name', 404, '/secrets/git%68ub/https/api.echo.test/'],
  ['no name', 404, '/secrets//https/api.echo.test/'],
  ['a list by another method', 404, '/secrets', 'POST'],
  ['a list with a slash', 404, '/secrets/'],
  ['a secret itself', 404, '/secrets/github'],
  ['the service’s own address', 404, '/agent/secrets'],
  ['the service’s own address with a query', 404, '/agent/secrets?x=1'],
  ['the service’s own address by a way up', 404, '/agent/files/../secrets'],
  ['the service’s own address in a model’s', 404, '/llm/proxy/../../agent/secrets'],
  ['another word that begins alike', 404, '/secretsx/github/https/api.echo.test/'],
  ['a method that echoes', 405, '/secrets/github/https/api.echo.test/', 'TRACE'],
  ['a method of files', 405, '/secrets/github/https/api.echo.test/', 'PROPFIND'],
  ['a name of a private address', 403, '/secrets/github/https/private.test/'],
  ['a name of a public and a private address', 403, '/secrets/github/https/mixed.test/'],
  ['a name of this machine', 403, '/secrets/github/https/local.test/'],
  ['a name of the host’s metadata', 403, '/secrets/github/https/metadata.test/'],
  ['a name of this machine in version 6', 403, '/secrets/github/https/six.test/'],
  ['a name of a private address in version 6', 403, '/secrets/github/https/unique.test/'],
  ['a name of a mapped private address', 403, '/secrets/github/https/mapped.test/'],
  ['a name of a translated private address', 403, '/secrets/github/https/translated.test/'],
  ['a name of no address', 403, '/secrets/github/https/zero.test/'],
  ['a name that nobody has', 502, '/secrets/nowhere/https/nowhere.test/'],
  ['a host whose certificate is another’s', 502, '/secrets/github/https/wrong-name.test/'],
  ['a key that is wrong', 401, `${root}/`, 'GET', { authorization: 'Bearer bl_wrong' }],
  ['a key that is empty', 401, `${root}/`, 'GET', { authorization: 'Bearer ' }],
  ['a wrong bearer beside the right key', 401, `${root}/`, 'GET', { authorization: 'Bearer x', 'x-api-key': 'KEY' }],
  ['a password that is wrong', 401, `${root}/`, 'GET', { authorization: `Basic ${btoa('git:x')}` }],
  ['the secret as a key', 401, `${root}/`, 'GET', { authorization: 'Bearer another-secret-value' }],
]

describe('an abusive call with a secret', () => {
  test.each(refused)('is not sent for %s', async (_, status, path, method = 'GET', headers = {}) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', world.key)]),
    )
    const { keyless, ...rest } = { keyless: 'authorization' in headers, method, headers: given }
    const answer = await world.ask(path, { ...rest, ...(keyless && { keyless: true as const }) })
    expect([answer.status, world.heard]).toEqual([status, []])
    expect(leaks(answer.text)).toEqual([])
  })

  test.each([
    [
      'an absolute address',
      'GET https://evil.test/ HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nConnection: close\n\n',
    ],
    ['a tunnel', 'CONNECT api.echo.test:443 HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\n\n'],
    [
      'two lengths',
      `POST ${root}/ HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nContent-Length: 1\nContent-Length: 9\n\nx`,
    ],
    [
      'a length and chunks',
      `POST ${root}/ HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nContent-Length: 3\nTransfer-Encoding: chunked\n\n0\n\nGET`,
    ],
    ['a folded header', `GET ${root}/ HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nX-A: b\n X-Api-Token: forged\n\n`],
    [
      'a bare line feed in a path',
      `GET ${root}/a\u000bb HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nConnection: close\n\n`,
    ],
  ])('is not sent to %s', async (_, lines) => {
    const got = await world.raw(lines)
    expect(got).not.toMatch(/^HTTP\/1.1 200/)
    expect(world.heard).toEqual([])
  })

  test('has its body framed when it has no length, so that no part of the body becomes a request', async () => {
    const inner = 'GET /inner HTTP/1.1\r\nHost: x\r\n\r\n'
    const headers = { 'transfer-encoding': 'chunked' }
    for (const method of ['GET', 'DELETE', 'OPTIONS'])
      await world.ask(`${root}/outer`, { method, headers, body: inner })
    expect(world.heard.map(({ url, body }) => [url, body])).toEqual(Array(3).fill(['/outer', inner]))
  })

  test('loses the headers of the connection, and headers that change how a host answers', async () => {
    const away = {
      connection: 'close, x-named, authorization',
      'x-named': '1',
      te: 'trailers',
      upgrade: 'websocket',
      'proxy-authorization': 'x',
      'proxy-connection': 'x',
      'accept-encoding': 'gzip, br',
      'accept-charset': 'utf-16',
      range: 'bytes=0-3',
      'if-range': 'x',
      'x-forwarded-host': 'evil.test',
      'x-http-method-override': 'TRACE',
      forwarded: 'host=evil.test',
      cookie: 'a=b',
    }
    await world.ask(`${root}/`, { headers: { ...away, 'x-kept': '1' } })
    const [{ headers } = { headers: {} } as Heard] = world.heard // safe because the test compares the parts that it reads
    expect(Object.keys(headers).sort()).toEqual(['accept-encoding', 'authorization', 'connection', 'host', 'x-kept'])
    expect(headers).toMatchObject({ authorization: `Bearer ${value}`, 'accept-encoding': 'identity' })
  })

  test('gets a redirect as its answer, which is not followed and carries no secret', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      world.heard.length = 0
      world.answerWith(
        (_, response) =>
          void response
            .writeHead(status, { location: `https://other.echo.test/?t=${encodeURIComponent(value)}` })
            .end(),
      )
      const { status: told, headers } = await world.ask(`${root}/go`)
      expect([told, headers.location]).toEqual([status, `https://other.echo.test/?t=${shown}`])
      expect(world.heard).toHaveLength(1)
    }
  })

  test('gets the secret back in no header value and no header name', async () => {
    world.answerWith((_, response) => {
      response.writeHead(200, 'OK', {
        'x-echo': `Bearer ${value}`,
        'x-base64': Buffer.from(`Bearer ${value}`).toString('base64'),
        'x-list': ['one', value],
        'set-cookie': `session=${value}`,
        connection: 'x-private',
        'x-private': '1',
        'proxy-authenticate': 'x',
        'x-fine': 'fine',
      })
      response.end()
    })
    const { headers } = await world.ask(`${root}/`)
    expect(headers['x-echo']).toBe(`Bearer ${shown}`)
    expect(headers['x-list']).toBe(`one, ${shown}`)
    expect(headers['x-base64']).toContain(shown)
    expect(headers['x-fine']).toBe('fine')
    for (const gone of ['set-cookie', 'x-private', 'proxy-authenticate']) expect(headers[gone]).toBeUndefined()
    world.answerWith((_, response) => void response.writeHead(200, { 'x-another-secret-value': '1' }).end())
    const named = await world.ask('/secrets/custom/https/api.echo.test/')
    expect([named.status, JSON.stringify(named.headers)]).toEqual([200, expect.not.stringContaining('another-secret')])
  })

  test('gets an error when the answer is compressed against the request', async () => {
    world.answerWith((asked, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(JSON.stringify(asked)))
    })
    expect((await world.ask(`${root}/`)).status).toBe(502)
  })

  test('does not get a decoded password of Basic authentication back', async () => {
    world.answerWith((_, response) => void response.end('you are x-access-token with the-password-of-git'))
    const { text } = await world.ask('/secrets/basic/https/api.echo.test/')
    expect(text).toBe('you are x-access-token with [secret basic]')
  })

  test('leaves no secret in logs and errors', async () => {
    const said = JSON.stringify(world.logged)
    expect(said).toContain('a call with a secret failed')
    expect(leaks(said)).toEqual([])
    expect(said).not.toMatch(/github|echo\.test/)
  })

  test('fails after the secret was removed, and while the service is unreachable', async () => {
    const fresh = await openSecretsWorld()
    fresh.know([], 200)
    expect((await fresh.ask(`${root}/`)).status).toBe(404)
    fresh.close()
    const cut = await openSecretsWorld()
    cut.know(initial, 500)
    expect((await cut.ask(`${root}/`)).status).toBe(502)
    expect([...fresh.heard, ...cut.heard]).toEqual([])
    cut.close()
  })
})

const percent = (text: string, digits: (hex: string) => string = (hex) => hex) =>
  [...text].map((each) => `%${digits(each.charCodeAt(0).toString(16).padStart(2, '0'))}`).join('')
const coded = (text: string, code: (n: number) => string) => [...text].map((each) => code(each.charCodeAt(0))).join('')
const wrapped = (text: string, every: number, line = '\n') => text.replace(new RegExp(`.{${every}}`, 'g'), `$&${line}`)
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** The forms in which a host can repeat a request. */
const echoes: [how: string, write: (text: string) => string | Buffer][] = [
  ['as it is', (text) => text],
  ['in JSON', (text) => JSON.stringify({ error: `bad token ${text}` })],
  ['in JSON with escaped slashes', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['in JSON of ASCII escapes', (text) => coded(text, (n) => `\\u${n.toString(16).padStart(4, '0')}`)],
  ['in a URL', encodeURIComponent],
  ['in a form', (text) => new URLSearchParams({ token: text }).toString()],
  ['in a URL twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['wholly percent-encoded', (text) => percent(text)],
  ['wholly percent-encoded in capitals', (text) => percent(text, (hex) => hex.toUpperCase())],
  ['half percent-encoded', (text) => text.slice(0, 9) + percent(text.slice(9))],
  [
    'in HTML',
    (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ],
  ['in HTML by numbers', (text) => coded(text, (n) => `&#${n};`)],
  ['in HTML by hexadecimal numbers', (text) => coded(text, (n) => `&#x${n.toString(16)};`)],
  ['in escapes of a programming language', (text) => coded(text, (n) => `\\x${n.toString(16).padStart(2, '0')}`)],
  ['in hex', (text) => Buffer.from(text).toString('hex')],
  ['in hex in capitals', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['in small letters', (text) => text.toLowerCase()],
  ['in capitals', (text) => text.toUpperCase()],
  ['in UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['in UTF-16, the other way round', (text) => Buffer.from(text, 'utf16le').swap16()],
  ['in base64', base64],
  ['in base64 with its scheme', (text) => base64(`Bearer ${text}`)],
  ['in base64 with two bytes before it', (text) => base64(`ab${text}cd`)],
  ['in base64 with a user', (text) => base64(`u:${text}`)],
  ['in base64 for URLs', (text) => Buffer.from(`>>${text}`).toString('base64url')],
  ['in base64 in a URL', (text) => encodeURIComponent(base64(`>>?${text}`))],
  ['in base64 in lines', (text) => wrapped(base64(`Authorization: Bearer ${text}`), 16)],
  ['in base64 in lines of mail', (text) => wrapped(base64(`Authorization: Bearer ${text}`), 20, '\r\n')],
  ['in base64 in JSON', (text) => JSON.stringify(base64(`??>${text}`)).replaceAll('/', '\\/')],
]

/** The ways in which its bytes are split. */
const cuts: [how: string, cut: (bytes: Buffer) => Buffer[]][] = [
  ['at once', (bytes) => [bytes]],
  ['byte by byte', (bytes) => [...bytes].map((byte) => Buffer.from([byte]))],
  ['in two', (bytes) => [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]],
  [
    'in threes',
    (bytes) => Array.from({ length: Math.ceil(bytes.length / 3) }, (_, i) => bytes.subarray(i * 3, i * 3 + 3)),
  ],
]

describe('an echo', () => {
  test.each(echoes.flatMap(([how, write]) => cuts.map(([when, cut]) => [how, when, write, cut] as const)))(
    '%s, which arrives %s, is masked',
    async (_how, _when, write, cut) => {
      const echo = Buffer.from(write(value))
      const bytes = Buffer.concat([Buffer.from('before '), echo, Buffer.from(' after')])
      world.answerWith(async (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        response.flushHeaders()
        for (const part of cut(bytes)) {
          response.write(part)
          await new Promise((resolve) => setImmediate(resolve))
        }
        response.end()
      })
      const answer = await world.ask(`${root}/echo`)
      expect(answer.status).toBe(200)
      expect(answer.bytes.includes(echo)).toBe(false)
      expect(answer.text).toContain(shown)
      expect(answer.text.startsWith('before ') && answer.text.endsWith(' after')).toBe(true)
      // Only text that does not belong to the secret is left.
      expect(answer.bytes.length).toBeLessThan('before  after'.length + shown.length + 48)
    },
  )
})
