import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { isPublic, type Web } from '../../../agent/kit/internet.ts'
import { fetchPage, wordsOf } from '../../../agent/runtime/fetch-page.ts'

describe('fetch', () => {
  let server: Server
  let port = 0
  const asked: string[] = []
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.headers.host} ${request.url}`)
      if (request.url === '/inside') response.writeHead(302, { location: `http://inside.test:${port}/secret` }).end()
      else if (request.url === '/meta')
        response.writeHead(302, { location: 'http://169.254.170.2/v2/credentials' }).end()
      else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end()
      else if (request.url === '/long') response.end('x'.repeat(600 * 1024))
      else response.end('the tide table')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = Number(new URL(`http://x:${JSON.stringify(server.address()).match(/"port":(\d+)/)?.[1]}`).port)
  })
  afterAll(() => server.close())

  /** A network in which this server is the open internet, and `inside.test` is private. */
  const names: Record<string, string[]> = {
    'open.test': ['127.0.0.1'],
    'inside.test': ['10.0.0.7'],
    'both.test': ['127.0.0.1', '10.0.0.7'],
  }
  const web: Web = {
    resolve: async (host) => (names[host] ?? []).map((address) => ({ address, family: 4 })),
    allowed: (address) => address === '127.0.0.1' || isPublic(address),
  }
  const get = (path: string, host = 'open.test') => fetchPage(`http://${host}:${port}${path}`, web)

  it('reads a page up to its limit', async () => {
    expect(await get('/')).toContain('the tide table')
    expect(await get('/long')).toMatch(/\[cut/)
  })

  it.each([
    ['/inside', 'open.test', /not on the open internet/],
    ['/meta', 'open.test', /not on the open internet/],
    ['/loop', 'open.test', /redirects/],
    ['/', 'both.test', /not on the open internet/],
    ['/', 'nowhere.test', /no such host/],
  ])('refuses %s of %s', async (path, host, why) => {
    await expect(get(path, host)).rejects.toThrow(why)
    expect(asked.filter((name) => name.includes('secret') || name.startsWith('both'))).toEqual([])
  })

  it.each(['file:///etc/passwd', 'ftp://a.example/', 'http://a:b@a.example/', 'no address'])(
    'refuses %s',
    async (url) => {
      await expect(fetchPage(url, web)).rejects.toThrow(/http|address/)
    },
  )

  it.each([
    ...['http://127.0.0.1/', 'http://[::1]/', 'http://0/', 'http://2130706433/', 'http://0x7f.1/', 'http://localhost/'],
    ...[
      'http://169.254.169.254/latest',
      'http://[::ffff:10.0.0.1]/',
      'http://[fd00:ec2::254]/',
      'http://[64:ff9b::7f00:1]/',
    ],
    ...[
      'http://10.0.0.1/',
      'http://172.31.0.1/',
      'http://192.168.1.1/',
      'http://100.100.100.200/',
      'http://[fe80::1]/',
    ],
  ])('does not connect to %s', async (url) => {
    await expect(fetchPage(url)).rejects.toThrow(/not on the open internet|no such host/)
  })

  it('recognises public addresses', () => {
    for (const address of ['1.1.1.1', '8.8.8.8', '2606:4700::1111']) expect(isPublic(address)).toBe(true)
    for (const address of ['', 'x', '::', '2002:7f00:1::', '224.0.0.1', '255.255.255.255'])
      expect(isPublic(address)).toBe(false)
  })

  it('returns the text of a page and the addresses of its links', () => {
    const page = `<!doctype html><title>Tides</title><script>if (1 < 2) alert("<p>")</script><!-- not -->
      <h1>High &amp; low</h1><p>See <a class="x" href="https://a.example/t">the <b>table</b></a>&#33;&nbsp;</p>`
    expect(wordsOf(page)).toBe('Tides\nHigh & low\nSee the table (https://a.example/t)!')
    expect(wordsOf('&#99999999;&#1114112;&x;')).toBe('&#99999999;&x;')
    expect(wordsOf('&constructor;&toString;')).toBe('&constructor;&toString;')
  })

  it.each(['<', '<a', '<a href="https:', '<a href="https://a">', '<script', '<!--', '&#', '<p '])(
    'reads a page made of %j as fast as any other',
    (piece) => {
      expect(wordsOf(piece.repeat((512 * 1024) / piece.length)).length).toBeLessThanOrEqual(512 * 1024)
    },
  )
})
