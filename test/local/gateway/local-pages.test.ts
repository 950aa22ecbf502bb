import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Mail } from '../../../emulators/aws/emulator.ts'
import { createLocalHandler } from '../../../local/gateway/local-handler.ts'

const mail = (to: string, subject: string, text: string): Mail => ({
  id: subject,
  to,
  from: 'berth@example.com',
  subject,
  text,
  at: '2026-11-26T10:00:00.000Z',
})
const mails = [
  mail('ada@example.com', 'Your code is 123456', 'Open http://127.0.0.1:8787/sign-in#token=a&email=b to sign in.'),
  mail('<b>@example.com', '<script>alert(1)</script>', 'javascript:alert(1) & <img src=x onerror=alert(2)>'),
]
const facts = { url: 'http://127.0.0.1:8787', dataDir: '/home/ada/my "data" & more', hasStripe: true }

const serve = (hasStripe = true) => {
  const find = (to?: string) => mails.filter((each) => to === undefined || each.to === to)
  const handle = createLocalHandler({ ...facts, hasStripe }, find, [])
  return createServer(async (request, response) => {
    if (!(await handle(request, response))) response.writeHead(404).end()
  })
}
const server = serve()
let url: string
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because it listens on a port
})
afterAll(() => server.close())

const get = (path: string, accept = 'text/html,*/*') => fetch(`${url}${path}`, { headers: { accept } })

describe('the inbox', () => {
  test('is JSON for programs, newest first', async () => {
    const { mails: listed } = await (await get('/local/mail', '*/*')).json()
    expect(listed.map(({ id }: Mail) => id)).toEqual(mails.map(({ id }) => id).toReversed())
  })

  test('is a page for browsers, with the addresses in e-mails as links', async () => {
    const page = await get('/local/mail?to=ada@example.com')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await page.text()
    expect(html).toContain('<h2>Your code is 123456</h2>')
    expect(html).toContain('<a href="http://127.0.0.1:8787/sign-in#token=a&amp;email=b">')
    expect(html).not.toContain('alert')
  })

  test('shows hostile e-mails and addresses as text', async () => {
    const html = await (await get(`/local/mail?to=${encodeURIComponent('<b>@example.com')}`)).text()
    expect(html).not.toMatch(/<(script|img|b)\b/)
    expect(html).not.toContain('href="javascript')
    expect(html).toContain('&lt;script&gt;')
  })

  test('says that there is no e-mail yet', async () => {
    expect(await (await get('/local/mail?to=nobody@example.com')).text()).toContain(
      'No e-mail to <strong>nobody@example.com</strong> yet.',
    )
  })
})

describe('the page of all helpers', () => {
  test.each(['/local', '/local/'])('%s lists them, and the data folder', async (path) => {
    const html = await (await get(path)).text()
    const linked = [...html.matchAll(/href="\/local\/(\w+)"/g)].map(([, name]) => name)
    expect(linked).toEqual(['mail', 'stripe', 'telegram', 'slack', 'discord'])
    expect(html).toContain('/home/ada/my &quot;data&quot; &amp; more')
    expect(html).toContain('npm start -- --reset')
  })

  test('has no Stripe emulator where payments go to Stripe', async () => {
    const other = serve(false)
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const { port } = other.address() as AddressInfo // safe because it listens on a port
    expect(await (await fetch(`http://127.0.0.1:${port}/local`)).text()).not.toContain('/local/stripe')
    other.close()
  })
})
