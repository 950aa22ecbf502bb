import { call, signIn } from './client.ts'

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
  ])('%j is refused with the field named', async (wrong, field) => {
    const { status, body } = await mint(await signIn(), wrong)
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'validation', details: { [field]: [expect.any(String)] } })
  })

  test('a token hands on its own scopes only, and never outlives itself', async () => {
    const parent = await mint(await signIn(), { scopes: ['mcp:wallet.read'], expiresInDays: 1 })
    const bearer = parent.body.plaintext
    expect((await mint({ bearer }, { scopes: ['mcp:wallet.write'] })).status).toBe(403)
    const child = await mint({ bearer }, { scopes: ['mcp:wallet.read'] })
    expect(child.status).toBe(201)
    expect(child.body.expiresAt).toBe(parent.body.expiresAt)
  })

  test('answers unreadable JSON and a wrong content type by their code', async () => {
    const user = await signIn()
    expect((await call('POST', '/tokens', '{', user)).body.error).toBe('invalid-json')
    expect((await call('POST', '/tokens', '[]', user)).body.error).toBe('validation')
    expect((await call('POST', '/tokens', '{"name":"x"}', user, { 'content-type': 'text/plain' })).body.error).toBe(
      'invalid-json',
    )
  })
})

describe('listTokens', () => {
  test('has metadata and never a plaintext or another user’s token', async () => {
    const user = await signIn()
    const minted = (await mint(user)).body
    await mint(await signIn())
    const { body } = await call('GET', '/tokens', undefined, user)
    expect(body.tokens).toHaveLength(1)
    expect(body.tokens[0]).toMatchObject({ id: minted.id, tokenPrefix: minted.tokenPrefix })
    expect(JSON.stringify(body)).not.toContain(minted.plaintext)
  })

  test('notes when a token was last used', async () => {
    const user = await signIn()
    const { plaintext } = (await mint(user)).body
    expect((await call('GET', '/tokens', undefined, user)).body.tokens[0].lastUsedAt).toBeNull()
    await call('GET', '/wallet', undefined, { bearer: plaintext })
    expect((await call('GET', '/tokens', undefined, user)).body.tokens[0].lastUsedAt).toEqual(expect.any(String))
  })
})

describe('revokeToken', () => {
  test('kills the token at once; later use is 401', async () => {
    const user = await signIn()
    const { id, plaintext } = (await mint(user)).body
    expect((await call('GET', '/wallet', undefined, { bearer: plaintext })).status).toBe(200)
    const { status, body } = await call('DELETE', `/tokens?id=${id}`, undefined, user)
    expect([status, body.status]).toEqual([200, 'revoked'])
    const refused = await call('GET', '/wallet', undefined, { bearer: plaintext })
    expect([refused.status, refused.body.error]).toEqual([401, 'unauthorized'])
  })

  test('an absent id is missing-id; another user’s is the same 404 as one that never was', async () => {
    const [user, other] = [await signIn(), await signIn()]
    const missing = await call('DELETE', '/tokens', undefined, user)
    expect([missing.status, missing.body.error]).toEqual([400, 'missing-id'])
    const theirs = await call('DELETE', `/tokens?id=${(await mint(other)).body.id}`, undefined, user)
    const never = await call('DELETE', '/tokens?id=tok_neverwas', undefined, user)
    expect([theirs.status, theirs.body]).toEqual([404, never.body])
  })
})
