import fc from 'fast-check'
import * as z from 'zod'
import { edge } from '../../../adapters/aws/edge.ts'
import { machineTokens } from '../../../adapters/aws/machine-tokens.ts'
import { secretReader } from '../../../adapters/aws/secrets.ts'
import type { Audience } from '../../../domain/actor.ts'
import { machineTokenTtlMs } from '../../../domain/lifetimes.ts'
import { iso } from '../../../domain/time.ts'
import { machineTokenKeys, rotatedKeys } from '../../../domain/tokens/key-rotation.ts'
import { newClaims } from '../../../domain/tokens/machine-token.ts'
import type { TestCloud } from '../../../emulators/aws/test/cloud.ts'
import { env, openCloud } from '../../cloud.ts'
import { seeded } from '../../counts.ts'

const now = Date.UTC(2026, 10, 1)
const audiences: Audience[] = ['llm', 'files', 'agent']
const who = { userId: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0', instanceId: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0', generation: 3 }
const claimsOf = (audience: Audience) => newClaims({ ...who, audience }, now)

let cloud: TestCloud
const keys = (current: string, previous?: string) =>
  cloud.cloud.putSecret('machine-token-keys', JSON.stringify({ current, previous }))
const first = 'a'.repeat(64)

beforeAll(async () => {
  cloud = await openCloud()
  await keys(first)
})
afterAll(() => cloud.close())

describe('a machine token', () => {
  test.each(audiences)('of audience %s is accepted by its own audience until it expires', async (audience) => {
    const tokens = machineTokens(env)
    const token = await tokens.sign(claimsOf(audience))
    expect(token).toMatch(new RegExp(`^bmt_${audience}\\.[\\w-]+\\.[\\w-]{43}$`))
    expect(token.length).toBeLessThan(256)
    for (const other of audiences) {
      expect(await tokens.verify(token, other, now)).toEqual(other === audience ? claimsOf(audience) : null)
    }
    expect(await tokens.verify(token, audience, now + machineTokenTtlMs - 1)).not.toBeNull()
    expect(await tokens.verify(token, audience, now + machineTokenTtlMs)).toBeNull()
  })

  test('relabelled for another audience is rejected there, because each audience has its own key', async () => {
    const tokens = machineTokens(env)
    const token = await tokens.sign(claimsOf('files'))
    expect(await tokens.verify(token.replace('bmt_files', 'bmt_llm'), 'llm', now)).toBeNull()
  })

  test('with any changed character is rejected', async () => {
    const tokens = machineTokens(env)
    const token = await tokens.sign(claimsOf('llm'))
    const anyCharacter = fc.string({ minLength: 1, maxLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), anyCharacter, async (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        fc.pre(changed !== token)
        expect(await tokens.verify(changed, 'llm', now)).toBeNull()
      }),
      seeded(20_000),
    )
    for (const text of ['', 'bmt_llm', 'bmt_llm..', `${token}.x`, `${token}=`, token.slice(0, -1), 'x'.repeat(9_000)]) {
      expect(await tokens.verify(text, 'llm', now)).toBeNull()
    }
  })

  test('with a signed payload that holds no claims is rejected', async () => {
    const tokens = machineTokens(env)
    const odd = [{ generation: 0 }, { generation: 1.5 }, { expiresMs: Number.NaN }, { userId: '' }]
    for (const claims of odd) {
      expect(await tokens.verify(await tokens.sign({ ...claimsOf('llm'), ...claims }), 'llm', now)).toBeNull()
    }
  })

  test('signed by the current or the previous key is accepted, and by an older key rejected', async () => {
    const before = machineTokens(env)
    const old = await before.sign(claimsOf('agent'))
    await keys('b'.repeat(64), first)
    const after = machineTokens(env)
    expect(await after.verify(old, 'agent', now)).toEqual(claimsOf('agent'))
    expect(await after.verify(await after.sign(claimsOf('agent')), 'agent', now)).toEqual(claimsOf('agent'))
    await keys('c'.repeat(64), 'b'.repeat(64))
    expect(await machineTokens(env).verify(old, 'agent', now)).toBeNull()
  })
})

describe('machine tokens during a key rotation', () => {
  const [second, third] = ['b'.repeat(64), 'c'.repeat(64)]
  const [known, hour] = [5 * 60_000, machineTokenTtlMs]
  let clock = now
  const write = (value: object) => cloud.cloud.putSecret('machine-token-keys', JSON.stringify(value))
  const rotate = (from: object, made: string, leaked = false) =>
    write(rotatedKeys(machineTokenKeys.parse(from), made, { at: iso(clock), leaked }))
  /** A function that has read the keys once and then uses its cache. */
  const running = async () => {
    const tokens = machineTokens(env, () => clock)
    await tokens.sign(claimsOf('agent'))
    return tokens
  }
  const fresh = () => newClaims({ ...who, audience: 'agent' }, clock)

  test('are accepted by every function, whichever function signed them and whenever it read the keys', async () => {
    clock = now
    await write({ current: first })
    const readBefore = [await running()]
    clock += known - 1_000
    readBefore.push(await running())
    await rotate({ current: first }, second)
    const all = [...readBefore, await running()]
    for (const waitMs of [0, 1_000, 29_000, 30_000, 60_000, 60_000, 120_000, 61_000, 60_000, 60_000]) {
      clock += waitMs
      all.push(await running())
      for (const signer of all) {
        const token = await signer.sign(fresh())
        for (const other of all) expect(await other.verify(token, 'agent', clock)).not.toBeNull()
      }
    }
    const made = await (await running()).sign(fresh())
    await write({ current: second })
    expect(await (await running()).verify(made, 'agent', clock)).not.toBeNull()
  })

  test('are accepted for their lifetime after the previous key signed them, and then by no function', async () => {
    clock = now
    await write({ current: first })
    const old = await (await running()).sign({ ...fresh(), expiresMs: now + 9 * hour })
    await rotate({ current: first }, second)
    const tokens = await running()
    clock += 6 * 60_000 + hour - 1
    expect(await tokens.verify(old, 'agent', clock)).not.toBeNull()
    clock += 1
    expect(await tokens.verify(old, 'agent', clock)).toBeNull()
  })

  test('are rejected when a leaked key signed them, once the new keys are read', async () => {
    clock = now
    await write({ current: first })
    const tokens = await running()
    const forged = await tokens.sign(fresh())
    await rotate({ current: first }, third, true)
    const other = await running()
    expect(await other.verify(forged, 'agent', clock)).toBeNull()
    expect(await other.verify(await other.sign(fresh()), 'agent', clock)).not.toBeNull()
    clock += known
    expect(await tokens.verify(forged, 'agent', clock)).toBeNull()
  })
})

describe('CloudFront’s key', () => {
  const [older, newer] = ['d'.repeat(64), 'f'.repeat(64)]
  const write = (value: object) => cloud.cloud.putSecret('edge-key', JSON.stringify(value))

  test('is accepted next to its predecessor during a change, also by functions that read the old one', async () => {
    let clock = now
    await write({ key: older })
    const known = edge(env, () => clock)
    expect(await Promise.all([known.isKey(older), known.isKey(newer)])).toEqual([true, false])
    await write({ key: newer, previous: older })
    expect(await known.isKey(newer)).toBe(false)
    clock += 30_000
    expect(await Promise.all([known.isKey(older), known.isKey(newer)])).toEqual([true, true])
    await write({ key: newer })
    clock += 300_000
    expect(await Promise.all([known.isKey(older), known.isKey(newer), known.isKey('')])).toEqual([false, true, false])
  })
})

describe('secrets', () => {
  const shape = z.object({ key: z.string() })

  test('are read once in five minutes, or earlier on request, with one read for concurrent callers', async () => {
    let clock = 0
    await cloud.cloud.putSecret('providers', '{"key":"one"}')
    const read = secretReader(env.secret('providers'), shape, () => clock)
    expect(await Promise.all([read(), read()])).toEqual([{ key: 'one' }, { key: 'one' }])
    await cloud.cloud.putSecret('providers', '{"key":"two"}')
    clock = 299_999
    expect(await read()).toEqual({ key: 'one' })
    expect(await read(60_000)).toEqual({ key: 'two' })
    await cloud.cloud.putSecret('providers', '{"key":"three"}')
    clock += 300_000
    expect(await read()).toEqual({ key: 'three' })
  })

  test('keep their last value when a new read fails; errors show no value', async () => {
    let clock = 0
    await cloud.cloud.putSecret('providers', '{"key":"good"}')
    const read = secretReader(env.secret('providers'), shape, () => clock)
    await read()
    for (const broken of ['{"key":{"inner":"hidden-value"}}', 'hidden-value']) {
      await cloud.cloud.putSecret('providers', broken)
      clock += 300_000
      expect(await read()).toEqual({ key: 'good' })
      const error = await secretReader(env.secret('providers'), shape)().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect(String(error)).not.toContain('hidden-value')
    }
  })
})
