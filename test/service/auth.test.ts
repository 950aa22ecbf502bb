import { call, mailedCode, mailsTo, newAddress, newEmail, origin, signIn } from './client.ts'

const own = { origin }
const from = { address: newAddress() }

describe('login', () => {
  test('mails a code and answers the same for everybody', async () => {
    const known = (await signIn()).email
    const unknown = newEmail()
    const answers = await Promise.all(
      [known, unknown].map((email) => call('POST', '/auth/login', { email }, from, own)),
    )
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: { sent: true } },
      { status: 202, body: { sent: true } },
    ])
    expect(await mailedCode(unknown)).toMatch(/^\d{6}$/)
  })

  test('says what is wrong with an address', async () => {
    const { status, body } = await call('POST', '/auth/login', { email: 'nobody' }, from, own)
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'validation', details: { email: [expect.any(String)] } })
  })

  test('is for the service’s own pages only', async () => {
    expect(
      (await call('POST', '/auth/login', { email: newEmail() }, {}, { origin: 'https://evil.example' })).status,
    ).toBe(403)
    expect((await call('POST', '/auth/login', { email: newEmail() })).status).toBe(403)
  })

  test('stops mailing one address after five an hour, and says nothing about it', async () => {
    const email = newEmail()
    for (let i = 0; i < 7; i++) expect((await call('POST', '/auth/login', { email }, from, own)).status).toBe(202)
    expect(await mailsTo(email)).toHaveLength(5)
  })
})

describe('verify', () => {
  test('sets the session cookie as the spec has it', async () => {
    const email = newEmail()
    await call('POST', '/auth/login', { email }, from, own)
    const { status, headers, body } = await call(
      'POST',
      '/auth/verify',
      { email, code: await mailedCode(email) },
      {},
      own,
    )
    expect(status).toBe(200)
    expect(headers.get('set-cookie')).toMatch(
      /^service\.session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    )
    expect(body.account).toMatchObject({ email, id: expect.stringMatching(/^usr_/) })
  })

  test('a code works once, and not after five wrong tries', async () => {
    const email = newEmail()
    await call('POST', '/auth/login', { email }, from, own)
    const code = await mailedCode(email)
    const wrong = code === '000000' ? '111111' : '000000'
    for (let i = 0; i < 5; i++)
      expect((await call('POST', '/auth/verify', { email, code: wrong }, from, own)).status).toBe(401)
    expect((await call('POST', '/auth/verify', { email, code }, from, own)).status).toBe(401)
    const again = await signIn(newEmail())
    expect(
      (await call('POST', '/auth/verify', { email: again.email, code: await mailedCode(again.email) }, from, own))
        .status,
    ).toBe(401)
  })

  test('the same address is the same account', async () => {
    const first = await signIn()
    expect((await signIn(first.email)).userId).toBe(first.userId)
  })
})

describe('getSession', () => {
  test('is who signed in', async () => {
    const user = await signIn()
    const { body } = await call('GET', '/auth/session', undefined, user)
    expect(body).toMatchObject({ account: { id: user.userId, email: user.email }, signedInAt: expect.any(String) })
  })

  test('nobody without a cookie, with a wrong one, or with a bad bearer beside a good one', async () => {
    const user = await signIn()
    expect((await call('GET', '/auth/session')).status).toBe(401)
    expect((await call('GET', '/auth/session', undefined, { cookie: 'service.session=x' })).status).toBe(401)
    expect((await call('GET', '/auth/session', undefined, { ...user, bearer: 'nonsense' })).status).toBe(401)
  })
})

describe('logout', () => {
  test('ends the session at once and clears the cookie', async () => {
    const user = await signIn()
    const { status, headers } = await call('POST', '/auth/logout', undefined, user)
    expect(status).toBe(200)
    expect(headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await call('GET', '/auth/session', undefined, user)).status).toBe(401)
  })

  test('a page of somebody else cannot sign a user out', async () => {
    const user = await signIn()
    expect((await call('POST', '/auth/logout', undefined, user, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await call('GET', '/auth/session', undefined, user)).status).toBe(200)
  })
})
