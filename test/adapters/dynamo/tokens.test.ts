import { change } from '../../../adapters/dynamo/calls.ts'
import { database } from '../../../adapters/dynamo/client.ts'
import { itemAt } from '../../../adapters/dynamo/expressions.ts'
import { hashedId } from '../../../adapters/dynamo/secret-hash.ts'
import { tokens } from '../../../adapters/dynamo/tokens/tokens.ts'
import type { Tokens } from '../../../app/ports/tokens.ts'
import { useNotedMs } from '../../../domain/lifetimes.ts'
import { iso } from '../../../domain/time.ts'
import { isPat, maxTokens } from '../../../domain/tokens/pat.ts'
import { counted, type Engine, inject, startEngine } from '../engine.ts'

let engine: Engine
let port: Tokens
beforeAll(async () => {
  engine = await startEngine()
  port = tokens(engine.env)
})
afterAll(() => engine.stop())

const now = Date.parse('2026-11-20T12:00:00.000Z')
let users = 0
const newUser = () => `usr_${++users}`

const mint = (userId: string, more: { expiresAt?: string; createdAt?: string; mintedBy?: string } = {}) =>
  port.mint({
    userId,
    name: 'laptop',
    scopes: ['mcp:*'],
    expiresAt: iso(now + 3_600_000),
    createdAt: iso(now),
    lastUsedAt: null,
    revokedAt: null,
    ...more,
  })

describe('minting a token', () => {
  it('fails, for sessions too, at the maximum of live tokens, until one is revoked', async () => {
    const userId = newUser()
    const first = await mint(userId)
    const atOnce = 20
    for (let left = maxTokens - 1; left > 0; left -= atOnce)
      await Promise.all(Array.from({ length: Math.min(atOnce, left) }, () => mint(userId)))
    await expect(mint(userId)).rejects.toMatchObject({ code: 'conflict' })
    await port.revoke(first.record.id, iso(now))
    await mint(userId)
    await expect(mint(userId)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('stores only the hash', async () => {
    const { record, plaintext } = await mint(newUser())
    expect(isPat(plaintext)).toBe(true)
    expect(record.id).toBe(hashedId('tok', plaintext))
    expect(record.id).toMatch(/^tok_[0-9A-Za-z]{22}$/)
    expect(record.tokenPrefix).toBe(plaintext.slice(0, 12))
    expect(await port.find(record.id)).toEqual(record)
    expect(JSON.stringify(await port.find(record.id))).not.toContain(plaintext)
  })

  it.each(['before', 'after', 'throttled'] as const)('stores one token when a request fails %s', async (fault) => {
    const userId = newUser()
    inject(fault)
    const { record } = await mint(userId)
    expect(await port.list(userId)).toEqual([record])
  })

  it('continues with the remaining scopes when one of its scopes no longer exists', async () => {
    const { record, plaintext } = await mint(newUser())
    await change({
      ...itemAt<'scopes'>(engine.env.table('tokens'), { id: record.id }),
      update: 'SET #scopes = :scopes',
      values: { ':scopes': ['api:gone', 'mcp:*'] },
    })
    expect(await port.authenticate(plaintext, now)).toMatchObject({ scopes: ['mcp:*'] })
  })

  it('adds it to a list of only the user’s own tokens, newest first, over many pages', async () => {
    const userId = newUser()
    await mint(newUser())
    const minted = []
    for (let i = 0; i < 105; i++) minted.push((await mint(userId, { createdAt: iso(now + i) })).record)
    expect(await port.list(userId)).toEqual(minted.reverse())
  })
})

describe('authentication', () => {
  it('takes one read, and records the use with a write once in five minutes', async () => {
    const userId = newUser()
    const { id: mintedBy } = (await mint(userId)).record
    const { record, plaintext } = await mint(userId, { mintedBy })
    const names = async (at: number) => {
      const { result, calls } = await counted(() => port.authenticate(plaintext, at))
      expect(result).toMatchObject({ ...record, lastUsedAt: expect.any(String), mintedBy })
      return calls.map(({ operation }) => operation)
    }
    expect(await names(now)).toEqual(['GetItem', 'UpdateItem'])
    expect(await names(now + useNotedMs - 1)).toEqual(['GetItem'])
    expect((await port.find(record.id))?.lastUsedAt).toBe(iso(now))
    expect(await names(now + useNotedMs)).toEqual(['GetItem', 'UpdateItem'])
    expect((await port.find(record.id))?.lastUsedAt).toBe(iso(now + useNotedMs))
  })

  it('keeps, ignores or clears the program’s own name, and writes only changes', async () => {
    const { record, plaintext } = await mint(newUser())
    const seen: unknown[] = []
    for (const client of ['Cursor', undefined, null, undefined] as const) {
      const { result, calls } = await counted(() => port.authenticate(plaintext, now, client))
      seen.push([result?.lastClient, calls.length])
    }
    expect(seen).toEqual([
      ['Cursor', 2],
      ['Cursor', 1],
      [undefined, 2],
      [undefined, 1],
    ])
    await port.noteClient(record.id, 'Later')
    expect((await port.find(record.id))?.lastClient).toBe('Later')
  })

  it('records nothing for a deleted token', async () => {
    const id = 'tok_0000000000000000000000'
    await port.noteClient(id, 'Cursor')
    expect(await port.find(id)).toBeNull()
  })

  it('refuses a wrong checksum without a request', async () => {
    const { plaintext } = await mint(newUser())
    const wrong = plaintext.slice(0, -1) + (plaintext.endsWith('0') ? '1' : '0')
    const { result, calls } = await counted(() => port.authenticate(wrong, now))
    expect(result).toBeNull()
    expect(calls).toEqual([])
  })

  it('refuses a well-formed token that was never minted, and creates no item for it', async () => {
    const { record, plaintext } = await mint(newUser())
    const { DeleteItemCommand } = await import('@aws-sdk/client-dynamodb')
    await database().send(new DeleteItemCommand({ TableName: 'tokens', Key: { id: { S: record.id } } }))
    expect(await port.authenticate(plaintext, now)).toBeNull()
    expect(await port.find(record.id)).toBeNull()
  })

  it('refuses an expired token to the millisecond', async () => {
    const { plaintext } = await mint(newUser(), { expiresAt: iso(now + 1) })
    expect(await port.authenticate(plaintext, now)).not.toBeNull()
    expect(await port.authenticate(plaintext, now + 1)).toBeNull()
  })

  it('refuses a revoked token at once, under concurrency too', async () => {
    const { record, plaintext } = await mint(newUser())
    const during = Array.from({ length: 20 }, () => port.authenticate(plaintext, now))
    await port.revoke(record.id, iso(now))
    const after = await Promise.all(Array.from({ length: 20 }, () => port.authenticate(plaintext, now)))
    expect(after.every((record) => record === null)).toBe(true)
    await Promise.all(during)
    await port.revoke(record.id, iso(now + 5_000))
    expect((await port.find(record.id))?.revokedAt).toBe(iso(now))
  })

  it('creates no item for a revocation of a missing token', async () => {
    const id = `tok_${'a'.repeat(22)}`
    await port.revoke(id, iso(now))
    expect(await port.find(id)).toBeNull()
    expect(await port.find('x'.repeat(5_000))).toBeNull()
  })
})
