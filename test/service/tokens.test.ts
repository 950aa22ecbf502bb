import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { call, mailsTo, newAddress, newEmail, origin, signIn } from './client.ts'

const mint = async (caller: { cookie?: string; bearer?: string }, body: object = {}) =>
  call('POST', '/tokens', { name: 'test', ...body }, caller)

describe('mintToken', () => {
  test('shows the plaintext once, with the spec’s defaults', async () => {
    const user = await signIn()
    const { status, body } = await mint(user)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'test',
      scopes: ['mcp:*'],
      status: 'active',
      plaintext: expect.stringMatching(/^oss_[0-9A-Za-z]{36}$/),
    })
    expect(body.tokenPrefix).toBe(body.plaintext.slice(0, 12))
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(90 * 86_400_000)
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['mcp:everything'] }, 'scopes'],
    [{ expiresInDays: 0 }, 'expiresInDays'],
    [{ expiresInDays: 366 }, 'expiresInDays'],
    [{ expireInDays: 5 }, 'expireInDays'],
  ])('refuses %j and names the field', async (wrong, field) => {
    const { status, body } = await mint(await signIn(), wrong)
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'validation', details: { [field]: [expect.any(String)] } })
  })

  test('gives a token’s own scopes to its children only, and no later expiry', async () => {
    const parent = await mint(await signIn(), { scopes: ['mcp:wallet.read'], expiresInDays: 1 })
    const bearer = parent.body.plaintext
    expect((await mint({ bearer }, { scopes: ['mcp:wallet.write'] })).status).toBe(403)
    const child = await mint({ bearer }, { scopes: ['mcp:wallet.read'] })
    expect(child.status).toBe(201)
    expect(child.body.expiresAt).toBe(parent.body.expiresAt)
    const longer = await mint({ bearer }, { scopes: ['mcp:wallet.read'], expiresInDays: 2 })
    expect(longer.body).toMatchObject({ error: 'validation', details: { expiresInDays: [expect.any(String)] } })
  })

  test('reports invalid JSON and a wrong content type by their codes', async () => {
    const user = await signIn()
    expect((await call('POST', '/tokens', '{', user)).body.error).toBe('invalid-json')
    expect((await call('POST', '/tokens', '[]', user)).body.error).toBe('validation')
    expect((await call('POST', '/tokens', '{"name":"x"}', user, { 'content-type': 'text/plain' })).body.error).toBe(
      'invalid-json',
    )
  })
})

describe('listTokens', () => {
  test('shows metadata, and never a plaintext or another user’s token', async () => {
    const user = await signIn()
    const minted = (await mint(user)).body
    await mint(await signIn())
    const { body } = await call('GET', '/tokens', undefined, user)
    expect(body.tokens).toHaveLength(1)
    expect(body.tokens[0]).toMatchObject({ id: minted.id, tokenPrefix: minted.tokenPrefix })
    expect(JSON.stringify(body)).not.toContain(minted.plaintext)
  })

  test('shows when a token was last used', async () => {
    const user = await signIn()
    const { plaintext } = (await mint(user)).body
    expect((await call('GET', '/tokens', undefined, user)).body.tokens[0].lastUsedAt).toBeNull()
    await call('GET', '/wallet', undefined, { bearer: plaintext })
    expect((await call('GET', '/tokens', undefined, user)).body.tokens[0].lastUsedAt).toEqual(expect.any(String))
  })
})

describe('revokeToken', () => {
  test('revokes the token at once; later use is 401', async () => {
    const user = await signIn()
    const { id, plaintext } = (await mint(user)).body
    expect((await call('GET', '/wallet', undefined, { bearer: plaintext })).status).toBe(200)
    const { status, body } = await call('DELETE', `/tokens?id=${id}`, undefined, user)
    expect([status, body.status]).toEqual([200, 'revoked'])
    const refused = await call('GET', '/wallet', undefined, { bearer: plaintext })
    expect([refused.status, refused.body.error]).toEqual([401, 'unauthorized'])
  })

  test('returns missing-id without an id, and for another user’s token the same 404 as for an unknown one', async () => {
    const [user, other] = [await signIn(), await signIn()]
    const missing = await call('DELETE', '/tokens', undefined, user)
    expect([missing.status, missing.body.error]).toEqual([400, 'missing-id'])
    const theirs = await call('DELETE', `/tokens?id=${(await mint(other)).body.id}`, undefined, user)
    const never = await call('DELETE', '/tokens?id=tok_neverwas', undefined, user)
    expect([theirs.status, theirs.body]).toEqual([404, never.body])
  })
})

describe('revokeToken: families', () => {
  test('ends a token together with the tokens that it minted', async () => {
    const user = await signIn()
    const parent = (await mint(user)).body
    const child = (await mint({ bearer: parent.plaintext })).body
    expect((await call('GET', '/wallet', undefined, { bearer: child.plaintext })).status).toBe(200)
    await call('DELETE', `/tokens?id=${parent.id}`, undefined, user)
    expect((await call('GET', '/wallet', undefined, { bearer: child.plaintext })).status).toBe(401)
    const { tokens } = (await call('GET', '/tokens', undefined, user)).body
    expect(tokens.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'revoked'])
  })

  test('lets a token list, revoke and reroll itself and its children; every token only with api:tokens.write', async () => {
    const user = await signIn()
    const sibling = (await mint(user, { scopes: ['mcp:wallet.read'] })).body
    const token = (await mint(user, { scopes: ['mcp:*'] })).body
    const child = (await mint({ bearer: token.plaintext }, { scopes: ['mcp:wallet.read'] })).body
    const warden = (await mint(user, { scopes: ['api:tokens.write'] })).body
    const listed = async (by: { plaintext: string }) =>
      (await call('GET', '/tokens', undefined, { bearer: by.plaintext })).body.tokens
        .map(({ id }: { id: string }) => id)
        .sort()
    const revoke = async (by: { plaintext: string }, { id }: { id: string }) =>
      (await call('DELETE', `/tokens?id=${id}`, undefined, { bearer: by.plaintext })).status
    const reroll = async (by: { plaintext: string }, { id }: { id: string }) =>
      (await call('POST', `/tokens/${id}/reroll`, {}, { bearer: by.plaintext })).status

    expect(await listed(token)).toEqual([token.id, child.id].sort())
    expect(await listed(warden)).toEqual([sibling.id, token.id, child.id, warden.id].sort())
    expect([await revoke(token, sibling), await reroll(token, sibling)]).toEqual([403, 403])
    expect([await revoke(child, token), await reroll(child, token)]).toEqual([403, 403])
    expect(await reroll(warden, sibling)).toBe(403)
    expect(await revoke(token, child)).toBe(200)
    expect(await revoke(warden, sibling)).toBe(200)
    expect(await revoke(token, token)).toBe(200)
    expect(await revoke(warden, warden)).toBe(200)
  })

  test('does not let a token with a spending cap reroll another that spends, whatever its scopes', async () => {
    const user = await signIn()
    const other = (await mint(user, { scopes: ['api:llm'] })).body
    const scopes = ['api:llm', 'api:tokens.write']
    const capped = (await mint(user, { scopes, capMicros: 5_000_000 })).body
    const free = (await mint(user, { scopes })).body
    const reroll = async (by: { plaintext: string }) =>
      (await call('POST', `/tokens/${other.id}/reroll`, {}, { bearer: by.plaintext })).status
    expect([await reroll(capped), await reroll(free)]).toEqual([403, 201])
  })
})

describe('changeToken', () => {
  test('changes only the name', async () => {
    const user = await signIn()
    const { plaintext: _, ...before } = (await mint(user)).body
    const { status, body } = await call('PATCH', `/tokens/${before.id}`, { name: ' desk ' }, user)
    expect([status, body]).toEqual([200, { ...before, name: 'desk' }])
  })

  test('names the field of an empty name, returns 404 for another user’s token, and refuses tokens as callers', async () => {
    const [user, other] = [await signIn(), await signIn()]
    const theirs = (await mint(other)).body
    const { body } = await call('PATCH', `/tokens/${theirs.id}`, { name: '' }, user)
    expect(body).toMatchObject({ error: 'validation', details: { name: [expect.any(String)] } })
    const answers = [theirs.id, `tok_${'0'.repeat(22)}`].map((id) =>
      call('PATCH', `/tokens/${id}`, { name: 'x' }, user),
    )
    const [existing, never] = await Promise.all(answers)
    expect([existing?.status, existing?.body]).toEqual([404, never?.body])
    const byToken = await call('PATCH', `/tokens/${theirs.id}`, { name: 'x' }, { bearer: theirs.plaintext })
    expect(byToken.status).toBe(403)
  })
})

describe('rerollToken', () => {
  const use = async (bearer: string) => (await call('GET', '/wallet', undefined, { bearer })).status

  test('makes a token with the same name, scopes and expiry; without a grace period the old one ends at once', async () => {
    const user = await signIn()
    const old = (await mint(user, { scopes: ['mcp:wallet.read'], expiresInDays: 7 })).body
    const { status, body } = await call('POST', `/tokens/${old.id}/reroll`, { graceHours: 0 }, user)
    expect(status).toBe(201)
    const { name, scopes, expiresAt } = old
    expect(body).toMatchObject({ name, scopes, expiresAt, replaces: old.id, status: 'active' })
    expect([await use(old.plaintext), await use(body.plaintext)]).toEqual([401, 200])
    const [, listed] = (await call('GET', '/tokens', undefined, user)).body.tokens
    expect(listed).toMatchObject({ id: old.id, status: 'expired', revokedAt: null })
  })

  test('lets both tokens work in the grace period, and the old one cannot be rerolled again', async () => {
    const user = await signIn()
    const old = (await mint(user)).body
    const { body } = await call('POST', `/tokens/${old.id}/reroll`, { graceHours: 24 }, { bearer: old.plaintext })
    expect([await use(old.plaintext), await use(body.plaintext)]).toEqual([200, 200])
    const again = await call('POST', `/tokens/${old.id}/reroll`, { graceHours: 24 }, user)
    expect([again.status, again.body.error]).toEqual([409, 'conflict'])
  })

  test('refuses a longer grace period, another user’s token, and scopes beyond its own', async () => {
    const [user, other] = [await signIn(), await signIn()]
    const [small, large] = [(await mint(user, { scopes: ['mcp:wallet.read'] })).body, (await mint(user)).body]
    const path = `/tokens/${large.id}/reroll`
    expect((await call('POST', path, { graceHours: 25 }, user)).body).toMatchObject({
      details: { graceHours: [expect.any(String)] },
    })
    expect((await call('POST', path, {}, { bearer: small.plaintext })).status).toBe(403)
    const [theirs, never] = [
      await call('POST', path, {}, other),
      await call('POST', `/tokens/tok_${'0'.repeat(22)}/reroll`, {}, other),
    ]
    expect([theirs.status, theirs.body]).toEqual([404, never.body])
  })
})

describe('reportLeakedToken', () => {
  const from = { address: newAddress() }

  test('answers every report in the same way; a real token is revoked and its owner notified once', async () => {
    const user = await signIn()
    const { plaintext, name } = (await mint(user, { name: 'leaky' })).body
    const typo = plaintext.slice(0, -1) + (plaintext.endsWith('0') ? '1' : '0')
    for (const sent of [
      undefined,
      '{',
      'nonsense',
      {},
      { token: 1 },
      { token: typo },
      { token: plaintext },
      plaintext,
      [plaintext],
    ])
      expect(await call('POST', '/tokens/leaked', sent, from)).toMatchObject({ status: 202, body: { received: true } })
    expect((await call('GET', '/wallet', undefined, { bearer: plaintext })).status).toBe(401)
    const told = (await mailsTo(user.email)).filter(({ subject }) => subject.includes(name))
    expect(told).toHaveLength(1)
    expect(told[0]?.text).not.toContain(plaintext)
    const { entries } = (await call('GET', '/account/audit', undefined, user)).body
    expect(entries[0]).toMatchObject({ operation: 'reportLeakedToken', actor: { kind: 'anonymous', id: null } })
  })

  test('is counted by address', async () => {
    const caller = { address: newAddress() }
    const answers = await Promise.all(Array.from({ length: 35 }, () => call('POST', '/tokens/leaked', {}, caller)))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(30)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
  })
})

describe('the token that `node local/token.ts` prints', () => {
  test('may read the wallet, send a message and call a model', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['local/token.ts', origin, newEmail()])
    const bearer = stdout.trim()
    expect((await call('GET', '/wallet', undefined, { bearer })).status).toBe(200)
    expect((await call('POST', '/chat/messages', { text: 'Hello' }, { bearer })).status).toBe(202)
    const completion = await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/echo', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(completion.status).toBe(200)
  })
})
