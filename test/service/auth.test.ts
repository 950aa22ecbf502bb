import { until } from '../until.ts'
import { call, cookieOf, mailedCode, mailsTo, newAddress, newEmail, origin, signIn } from './client.ts'

const own = { origin }
const from = { address: newAddress() }

describe('login', () => {
  test('e-mails a code and answers the same for everybody', async () => {
    const known = (await signIn()).email
    const unknown = newEmail()
    const answers = await Promise.all(
      [known, unknown].map((email) => call('POST', '/auth/login', { email }, from, own)),
    )
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 202, body: { sent: true, bounced: false } },
      { status: 202, body: { sent: true, bounced: false } },
    ])
    expect(await mailedCode(unknown)).toMatch(/^\d{6}$/)
  })

  test('reports that an address bounced, once SES has reported it', async () => {
    const email = `bounce+${newEmail().split('@')[0]}@simulator.amazonses.com`
    const ask = () => call('POST', '/auth/login', { email }, { address: newAddress() }, own)
    expect((await ask()).body).toEqual({ sent: true, bounced: false })
    // safe because the contract says so
    await until(async () => ((await ask()).body as { bounced: boolean }).bounced)
  })

  test('names the error in an address', async () => {
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

  test('sends one caller five e-mails an hour, and answers the same when it sends none', async () => {
    const email = newEmail()
    const caller = { address: newAddress() }
    for (let i = 0; i < 7; i++) {
      const { status, body, headers } = await call('POST', '/auth/login', { email }, caller, own)
      expect([status, body]).toEqual([202, { sent: true, bounced: false }])
      expect(headers.get('set-cookie')).toMatch(
        /^service\.attempts=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
      )
    }
    expect(await mailsTo(email)).toHaveLength(5)
    await call('POST', '/auth/login', { email }, { address: newAddress() }, own)
    expect(await mailsTo(email)).toHaveLength(6)
  })

  test('accepts thirty requests a minute from one network address', async () => {
    const caller = { address: newAddress() }
    const ask = () => call('POST', '/auth/login', { email: newEmail() }, caller, own)
    const answers = await Promise.all(Array.from({ length: 31 }, ask))
    const refused = answers.filter(({ status }) => status !== 202)
    expect(refused).toMatchObject([{ status: 429, body: { error: 'rate-limited' } }])
    expect(refused[0]?.headers.get('retry-after')).toBe(String(refused[0]?.body.retryAfterSeconds))
  })
})

describe('verify', () => {
  test('sets the session cookie as the spec says', async () => {
    const email = newEmail()
    const cookie = cookieOf(await call('POST', '/auth/login', { email }, from, own))
    const code = await mailedCode(email)
    const { status, headers, body } = await call('POST', '/auth/verify', { email, code }, { cookie })
    expect(status).toBe(200)
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^service\.session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/),
      expect.stringMatching(/^service\.browser=brw_[.\w-]{72}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/),
    ])
    expect(body.account).toMatchObject({ email, id: expect.stringMatching(/^usr_/) })
  })

  test('accepts a code once, in the browser that requested it, and not after five wrong tries; the e-mail’s link still works', async () => {
    const email = newEmail()
    const verify = async (body: object, cookie?: string) =>
      (await call('POST', '/auth/verify', { email, ...body }, { ...from, cookie }, own)).status
    const browser = cookieOf(await call('POST', '/auth/login', { email }, from, own))
    const code = await mailedCode(email)
    expect(await verify({ code })).toBe(401)
    expect(await verify({ code }, browser)).toBe(200)
    expect(await verify({ code }, browser)).toBe(401)
    const another = cookieOf(await call('POST', '/auth/login', { email }, from, own))
    const [mail] = await mailsTo(email)
    const right = await mailedCode(email)
    for (let i = 0; i < 5; i++)
      expect(await verify({ code: right === '000000' ? '111111' : '000000' }, another)).toBe(401)
    expect(await verify({ code: right }, another)).toBe(401)
    expect(await verify({ token: /#token=([\w-]{22})&/.exec(mail?.text ?? '')?.[1] })).toBe(200)
  })

  test('requires a code or a link’s token, and not both', async () => {
    const email = newEmail()
    const token = 'x'.repeat(22)
    for (const body of [{ email }, { email, code: '123456', token }, { email, code: '12345' }, { email, token: 'x' }])
      expect(await call('POST', '/auth/verify', body, from, own)).toMatchObject({
        status: 400,
        body: { error: 'validation' },
      })
    expect((await call('POST', '/auth/verify', { email, token }, from, own)).status).toBe(401)
  })

  test('returns the same account for the same address', async () => {
    const first = await signIn()
    expect((await signIn(first.email)).userId).toBe(first.userId)
  })
})

describe('getSession', () => {
  test('returns the signed-in user', async () => {
    const user = await signIn()
    const { body } = await call('GET', '/auth/session', undefined, user)
    expect(body).toMatchObject({ account: { id: user.userId, email: user.email }, signedInAt: expect.any(String) })
  })

  test('returns nobody without a cookie, with a wrong cookie, or with a wrong bearer token next to a valid cookie', async () => {
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

  test('cannot be called by another site’s page', async () => {
    const user = await signIn()
    expect((await call('POST', '/auth/logout', undefined, user, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await call('GET', '/auth/session', undefined, user)).status).toBe(200)
  })
})

describe('listSessions', () => {
  test('shows each device, with the present one marked, and never a cookie', async () => {
    const first = await signIn()
    const second = await signIn(
      first.email,
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0',
    )
    const { body } = await call('GET', '/auth/sessions', undefined, second)
    expect(body.sessions).toHaveLength(2)
    expect(body.sessions[0]).toMatchObject({
      current: true,
      device: 'Firefox on Windows',
      id: expect.stringMatching(/^ses_/),
    })
    expect(body.sessions[1]).toMatchObject({ current: false, lastSeenAt: expect.any(String) })
    expect(JSON.stringify(body)).not.toContain(second.cookie.split('=')[1])
  })

  test('is for sessions only', async () => {
    const user = await signIn()
    const { body } = await call('POST', '/tokens', { name: 'test' }, user)
    expect((await call('GET', '/auth/sessions', undefined, { bearer: body.plaintext })).status).toBe(403)
  })
})

describe('endSession', () => {
  test('signs a device out at once', async () => {
    const lost = await signIn()
    const user = await signIn(lost.email)
    const { body } = await call('GET', '/auth/session', undefined, lost)
    expect(body.account.id).toBe(user.userId)
    const [, other] = (await call('GET', '/auth/sessions', undefined, user)).body.sessions
    const ended = await call('DELETE', `/auth/sessions/${other.id}`, undefined, user)
    expect(ended).toMatchObject({ status: 200, body: { id: other.id, signedOut: true } })
    expect((await call('GET', '/auth/session', undefined, lost)).status).toBe(401)
    expect((await call('GET', '/auth/session', undefined, user)).status).toBe(200)
  })

  test('returns the same 404 for another user’s session as for an unknown one', async () => {
    const [user, other] = [await signIn(), await signIn()]
    const [theirs] = (await call('GET', '/auth/sessions', undefined, other)).body.sessions
    const answers = [theirs.id, `ses_${'0'.repeat(22)}`].map((id) =>
      call('DELETE', `/auth/sessions/${id}`, undefined, user),
    )
    const [existing, never] = await Promise.all(answers)
    expect([existing?.status, existing?.body]).toEqual([404, never?.body])
    expect((await call('GET', '/auth/session', undefined, other)).status).toBe(200)
  })
})

describe('passkeyOptions', () => {
  test('requests a passkey of this site, with a new challenge each time', async () => {
    const answers = await Promise.all([1, 2].map(() => call('POST', '/auth/passkeys/options', {}, from, own)))
    const [first, second] = answers.map(({ body }) => body.options)
    expect(first).toMatchObject({
      rpId: 'localhost',
      userVerification: 'required',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(first.challenge).not.toBe(second.challenge)
    expect((await call('POST', '/auth/passkeys/options', {}, from)).status).toBe(403)
  })
})

describe('registerPasskeyOptions', () => {
  test('is for the signed-in user', async () => {
    const user = await signIn()
    const { status, body } = await call('POST', '/auth/passkeys/registration', {}, user)
    expect([status, body.options.user.name]).toEqual([200, user.email])
    expect((await call('POST', '/auth/passkeys/registration', {}, from, own)).status).toBe(401)
  })
})

const nonsense = (challenge: string) => ({
  id: 'x',
  type: 'public-key',
  response: { clientDataJSON: Buffer.from(JSON.stringify({ challenge })).toString('base64url') },
})

describe('addPasskey', () => {
  test('refuses an answer that no authenticator made, and another user’s challenge', async () => {
    const [user, other] = [await signIn(), await signIn()]
    const { options } = (await call('POST', '/auth/passkeys/registration', {}, other)).body
    for (const challenge of ['never', options.challenge]) {
      const answer = await call('POST', '/auth/passkeys', { name: 'x', response: nonsense(challenge) }, user)
      expect(answer).toMatchObject({ status: 400, body: { details: { response: [expect.any(String)] } } })
    }
  })
})

describe('verifyPasskey', () => {
  test('is 401 for any answer that is not genuine', async () => {
    const { options } = (await call('POST', '/auth/passkeys/options', {}, from, own)).body
    for (const challenge of ['never', options.challenge, options.challenge]) {
      const answer = await call('POST', '/auth/passkeys/verify', { response: nonsense(challenge) }, from, own)
      expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    }
    expect((await call('POST', '/auth/passkeys/verify', { response: {} }, from, own)).status).toBe(400)
  })
})

describe('listPasskeys', () => {
  test('is empty for a new account', async () => {
    expect(await call('GET', '/auth/passkeys', undefined, await signIn())).toMatchObject({ body: { passkeys: [] } })
  })
})

describe('removePasskey', () => {
  test('is 404 for an unknown passkey', async () => {
    const { status, body } = await call('DELETE', `/auth/passkeys/pky_${'0'.repeat(22)}`, undefined, await signIn())
    expect([status, body.error]).toEqual([404, 'not-found'])
  })
})
