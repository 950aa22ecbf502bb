import { api, call, hostedUser, mailsTo, newAddress, newEmail, origin, signIn, untilState } from './client.ts'

const codeIn = async (email: string): Promise<string> =>
  /^\d{6}$/m.exec((await mailsTo(email))[0]?.text ?? '')?.[0] ?? ''

describe('getAccount', () => {
  test('returns the user’s own account, to sessions only', async () => {
    const user = await signIn()
    const { body } = await call('GET', '/account', undefined, user)
    expect(body.account).toMatchObject({ id: user.userId, email: user.email })
    const { plaintext } = (await call('POST', '/tokens', { name: 'test' }, user)).body
    expect((await call('GET', '/account', undefined, { bearer: plaintext })).status).toBe(403)
    expect((await call('GET', '/account')).status).toBe(401)
  })
})

describe('updateAccount', () => {
  test('moves the account once both addresses have confirmed the change', async () => {
    const user = await signIn()
    const email = newEmail()
    const asked = await call('PATCH', '/account', { email }, user)
    expect(asked).toMatchObject({ status: 202, body: { confirm: email, account: { email: user.email } } })
    const [currentCode, newCode] = [await codeIn(user.email), await codeIn(email)]
    const half = await call('PATCH', '/account', { email, newCode }, user)
    expect(half).toMatchObject({ status: 400, body: { details: { currentCode: [expect.any(String)] } } })
    const swapped = await call('PATCH', '/account', { email, currentCode: newCode, newCode: currentCode }, user)
    expect(swapped.status).toBe(400)
    const moved = await call('PATCH', '/account', { email, currentCode, newCode }, user)
    expect(moved).toMatchObject({ status: 200, body: { confirm: null, account: { email, id: user.userId } } })
    expect((await mailsTo(user.email))[0]?.subject).toContain('has changed')
    expect((await signIn(email)).userId).toBe(user.userId)
    expect((await signIn(user.email)).userId).not.toBe(user.userId)
  })

  test('refuses another account’s address only after its owner confirmed', async () => {
    const [user, other] = [await signIn(), await signIn()]
    const { email } = other
    expect((await call('PATCH', '/account', { email }, user)).status).toBe(202)
    const codes = { currentCode: await codeIn(user.email), newCode: await codeIn(email) }
    expect(await call('PATCH', '/account', { email, ...codes }, user)).toMatchObject({ status: 409 })
    expect((await call('GET', '/account', undefined, user)).body.account.email).toBe(user.email)
  })

  test('sends a code that signs nobody in', async () => {
    const user = await signIn()
    await call('PATCH', '/account', { email: newEmail() }, user)
    const asked = { email: user.email, code: await codeIn(user.email) }
    expect((await call('POST', '/auth/verify', asked, { address: newAddress() }, { origin })).status).toBe(401)
  })
})

describe('exportAccount', () => {
  test('contains all of the user’s data and no secret', async () => {
    const user = await hostedUser()
    const token = (await call('POST', '/tokens', { name: 'exported' }, user)).body
    await call('POST', '/chat/messages', { text: 'keep this' }, user)
    const { status, body } = await call('GET', '/account/export', undefined, user)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      account: { id: user.userId, email: user.email },
      subscription: { status: 'active' },
      instance: { id: expect.stringMatching(/^ins_/) },
      tokens: [{ id: token.id }],
      sessions: [{ current: true }],
      passkeys: [],
      nextCursor: null,
    })
    expect(body.messages.map(({ text }: { text: string }) => text)).toContain('keep this')
    expect(body.transactions.map(({ type }: { type: string }) => type)).toContain('topup')
    expect(body.audit.map(({ operation }: { operation: string }) => operation)).toContain('mintToken')
    for (const secret of [token.plaintext, user.cookie.split('=')[1]])
      expect(JSON.stringify(body)).not.toContain(secret)
  })
})

describe('listAudit', () => {
  test('shows the actor, the action and the record of each entry, newest first, page by page', async () => {
    const user = await signIn()
    const token = (await call('POST', '/tokens', { name: 'audited' }, user)).body
    await call('DELETE', `/tokens?id=${token.id}`, undefined, { bearer: token.plaintext })
    const { body } = await call('GET', '/account/audit', undefined, user)
    expect(body.entries).toMatchObject([
      { operation: 'revokeToken', record: token.id, actor: { kind: 'pat', id: token.id } },
      { operation: 'mintToken', record: token.id, actor: { kind: 'session', id: expect.stringMatching(/^ses_/) } },
      { operation: 'verify', record: user.userId, actor: { kind: 'anonymous', id: null } },
    ])
    const first = (await call('GET', '/account/audit?limit=2', undefined, user)).body
    const rest = (await call('GET', `/account/audit?limit=2&cursor=${first.nextCursor}`, undefined, user)).body
    expect([...first.entries, ...rest.entries]).toEqual(body.entries)
    expect(rest.nextCursor).toBeNull()
  })

  test('has the actions on the instance, over REST and over MCP alike', async () => {
    const user = await hostedUser()
    const token = (await call('POST', '/tokens', { name: 'remote' }, user)).body
    const pause = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'instance.pause', arguments: {} } }
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token.plaintext}`,
    }
    const answer = await fetch(`${api}/mcp`, { method: 'POST', headers, body: JSON.stringify(pause) })
    expect(await answer.text()).toContain('structuredContent')
    await untilState(user, 'paused')
    await call('POST', '/instance/resume', undefined, user)
    const { entries } = (await call('GET', '/account/audit?limit=2', undefined, user)).body
    const record = expect.stringMatching(/^ins_/)
    expect(entries).toMatchObject([
      { operation: 'resumeInstance', record, actor: { kind: 'session' } },
      { operation: 'pauseInstance', record, actor: { kind: 'pat', id: token.id } },
    ])
  })

  test('has no entry for a refused request', async () => {
    const user = await signIn()
    await call('DELETE', `/tokens?id=tok_${'0'.repeat(22)}`, undefined, user)
    const { entries } = (await call('GET', '/account/audit', undefined, user)).body
    expect(entries.map(({ operation }: { operation: string }) => operation)).toEqual(['verify'])
  })
})

describe('deleteAccount', () => {
  test('ends everything at once; signing in again keeps the account', async () => {
    const user = await signIn()
    const elsewhere = await signIn(user.email)
    const { plaintext } = (await call('POST', '/tokens', { name: 'doomed' }, user)).body
    const { status, body, headers } = await call('DELETE', '/account', undefined, user)
    expect(status).toBe(202)
    expect(Date.parse(body.eraseAt) - Date.now()).toBeGreaterThan(29.9 * 86_400_000)
    expect(headers.get('set-cookie')).toContain('Max-Age=0')
    for (const caller of [user, elsewhere, { bearer: plaintext }])
      expect((await call('GET', '/wallet', undefined, caller)).status).toBe(401)
    expect((await mailsTo(user.email))[0]?.text).toContain(body.eraseAt.slice(0, 10))
    const back = await signIn(user.email)
    expect(back.userId).toBe(user.userId)
    expect((await mailsTo(user.email))[0]?.subject).toContain('stays')
    expect((await call('GET', '/wallet', undefined, { bearer: plaintext })).status).toBe(401)
  })

  test('stops a hosted agent, which continues when its owner signs in again', async () => {
    const user = await hostedUser()
    expect((await call('DELETE', '/account', undefined, user)).status).toBe(202)
    const back = await signIn(user.email)
    const { instance } = (await call('GET', '/instance/status', undefined, back)).body
    expect(instance.desiredState).toBe('running')
  })
})
