import { tokens } from '../../../adapters/dynamo/tokens/tokens.ts'
import type { Tokens } from '../../../app/ports/tokens.ts'
import { DomainError } from '../../../domain/errors.ts'
import { hourMs, iso } from '../../../domain/time.ts'
import { decideReroll, maxTokens, type PatRecord } from '../../../domain/tokens/pat.ts'
import { cases, most } from '../../counts.ts'
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
const newUser = () => `usr_family${++users}`

interface Made {
  record: PatRecord
  plaintext: string
}

const mint = (userId: string, by?: PatRecord): Promise<Made> =>
  port.mint({
    userId,
    name: 'laptop',
    scopes: ['mcp:*'],
    expiresAt: iso(now + hourMs),
    createdAt: iso(now),
    lastUsedAt: null,
    revokedAt: null,
    ...(by && { mintedBy: by.id }),
  })

const admits = async ({ plaintext }: Made): Promise<boolean> => (await port.authenticate(plaintext, now + 1)) !== null

/** Minted by a session unless a token is given. */
const reroll = (old: PatRecord, graceHours: number, by?: PatRecord): Promise<Made> => {
  const { userId } = old
  const actor = by
    ? ({ kind: 'pat', userId, tokenId: by.id, scopes: by.scopes, expiresAt: by.expiresAt } as const)
    : ({ kind: 'session', userId, sessionId: 'ses_1', signedInAt: iso(now) } as const)
  const { next, endsAt } = decideReroll(actor, old, graceHours, now)
  return port.reroll(old, next, endsAt)
}

describe('revoking a token', () => {
  it('ends every token it minted, to the last generation, and nothing else', async () => {
    const userId = newUser()
    const [root, other] = [await mint(userId), await mint(userId)]
    const child = await mint(userId, root.record)
    const grandchild = await mint(userId, child.record)
    const ended = await port.revoke(child.record.id, iso(now))
    expect(ended.map(({ id }) => id).sort()).toEqual([child.record.id, grandchild.record.id].sort())
    expect(await Promise.all([root, other, child, grandchild].map(admits))).toEqual([true, true, false, false])
    expect(await port.revoke(child.record.id, iso(now + 5))).toEqual([])
    await expect(mint(userId, grandchild.record)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('takes one request for a token that minted nothing', async () => {
    const { record } = await mint(newUser())
    const { calls } = await counted(() => port.revoke(record.id, iso(now)))
    expect(calls.map(({ operation }) => operation)).toEqual(['UpdateItem'])
  })

  it.each(['before', 'after', 'throttled', 'conflict'] as const)(
    'is complete when a request fails with "%s"',
    async (fault) => {
      for (const nth of [0, 1, 2]) {
        const userId = newUser()
        const root = await mint(userId)
        const child = await mint(userId, root.record)
        const off = inject(fault, nth)
        const ended = await port.revoke(root.record.id, iso(now))
        off()
        expect(ended).toHaveLength(2)
        expect(await admits(child)).toBe(false)
      }
    },
  )

  it.each(['before', 'after', 'throttled', 'conflict'] as const)(
    'finds tokens that are minted while "%s"',
    async (fault) => {
      for (const nth of [1, 2]) {
        const userId = newUser()
        const root = await mint(userId)
        const off = inject(fault, nth)
        const child = await mint(userId, root.record)
        off()
        expect(await admits(child)).toBe(true)
        await port.revoke(root.record.id, iso(now))
        expect(await admits(child)).toBe(false)
      }
    },
  )
})

describe('rerolling a token', () => {
  it('keeps the old one valid for its grace period, to the millisecond', async () => {
    const old = await mint(newUser())
    const next = await reroll(old.record, 0.5)
    expect(next.record).toMatchObject({ replaces: old.record.id, scopes: ['mcp:*'], expiresAt: old.record.expiresAt })
    expect(await port.authenticate(old.plaintext, now + hourMs / 2 - 1)).not.toBeNull()
    expect(await port.authenticate(old.plaintext, now + hourMs / 2)).toBeNull()
    expect(await port.authenticate(next.plaintext, now + hourMs / 2)).not.toBeNull()
  })

  it('ends the old one at once without a grace period, and never extends its life', async () => {
    const old = await mint(newUser())
    await reroll(old.record, 0)
    expect(await admits(old)).toBe(false)
    const short = await mint(newUser())
    await reroll(short.record, 24)
    expect((await port.find(short.record.id))?.expiresAt).toBe(short.record.expiresAt)
  })

  it('happens once, however many requests run at once', async () => {
    const old = await mint(newUser())
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => reroll(old.record, 1)))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = asked.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused.every((reason) => reason instanceof DomainError && reason.code === 'conflict')).toBe(true)
  })

  it('keeps the family: revoking the parent revokes the new token, and revoking the new token revokes the old one’s children', async () => {
    const userId = newUser()
    const root = await mint(userId)
    const child = await mint(userId, root.record)
    const grandchild = await mint(userId, child.record)
    const next = await reroll(child.record, 24)
    await port.revoke(root.record.id, iso(now))
    expect(await Promise.all([child, next, grandchild].map(admits))).toEqual([false, false, false])
    const old = await mint(userId)
    const made = await mint(userId, old.record)
    const taken = await reroll(old.record, 24)
    await port.revoke(taken.record.id, iso(now))
    expect(await Promise.all([old, made, taken].map(admits))).toEqual([false, false, false])
  })

  it('by a session creates a token that survives the old one’s revocation; by the old token itself it does not', async () => {
    const [mine, theirs] = [await mint(newUser()), await mint(newUser())]
    const bySession = await reroll(mine.record, 24)
    const byItself = await reroll(theirs.record, 24, theirs.record)
    await Promise.all([mine, theirs].map(({ record }) => port.revoke(record.id, iso(now))))
    expect([await admits(bySession), await admits(byItself)]).toEqual([true, false])
  })
})

// https://github.com/opendatahub-io/models-as-a-service/issues/1500, https://github.com/simple-login/app/pull/1788
test('an account has few enough tokens that a revocation ends a whole family', async () => {
  const userId = newUser()
  const root = await mint(userId)
  const batch = (by?: PatRecord, length = 19) => Promise.all(Array.from({ length }, () => mint(userId, by)))
  const made = [await batch(root.record), await batch(root.record), await batch(root.record)].flat()
  for (let left = maxTokens - 1 - made.length; left > 0; left -= 19) await batch(undefined, Math.min(19, left))
  await expect(mint(userId, root.record)).rejects.toMatchObject({ code: 'conflict' })
  expect(await port.revoke(root.record.id, iso(now))).toHaveLength(1 + made.length)
  expect(await Promise.all(made.slice(-20).map(admits))).not.toContain(true)
})

/** A history: the parent of each token, and each use with its start and result. */
interface Step {
  began: number
  of: string
  accepted: boolean
}

const seeds = Array.from({ length: cases(most(400, 120)) }, (_, i) => i + 1)

test.each(seeds)('history %i: no token of a revoked family is accepted after the revocation returned', async (seed) => {
  let state = seed * 2_654_435_761
  const pick = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  let clock = 0
  const userId = newUser()
  const family = new Map<string, Made>()
  const madeBy = new Map<string, string[]>()
  const steps: Step[] = []
  const keep = (made: Made, ...from: (string | undefined)[]) => {
    family.set(made.record.id, made)
    madeBy.set(
      made.record.id,
      from.filter((id) => id !== undefined),
    )
  }
  keep(await mint(userId))
  keep(await mint(userId))
  const any = (): Made => [...family.values()][pick(family.size)] as Made // safe because the family is never empty
  const worker = async () => {
    for (let i = 0; i < 6; i++) {
      const [what, token] = [pick(10), any()]
      const began = ++clock
      const { id } = token.record
      if (what < 4) steps.push({ began, of: id, accepted: await admits(token) })
      else
        await (what < 9 ? mint(userId, token.record) : reroll(token.record, 1, token.record)).then(
          (made) => {
            keep(made, id)
            steps.push({ began, of: id, accepted: true })
          },
          () => steps.push({ began, of: id, accepted: false }),
        )
    }
  }
  const revoked: { id: string; returned: number }[] = []
  const revoker = async () => {
    for (let i = pick(6); i > 0; i--) await admits(any())
    const { id } = any().record
    await port.revoke(id, iso(now))
    revoked.push({ id, returned: ++clock })
  }
  await Promise.all([worker(), worker(), worker(), worker(), revoker(), revoker()])
  /** The tokens that end with a token: the one it replaced, and all descendants of both. */
  const endsWith = (at: string): Set<string> => {
    const ended = new Set([at])
    for (const id of ended) {
      for (const [child, makers] of madeBy) if (makers.includes(id)) ended.add(child)
      const replaced = family.get(id)?.record.replaces
      if (replaced) ended.add(replaced)
    }
    return ended
  }
  for (const { id, returned } of revoked) {
    const ended = endsWith(id)
    const late = steps.filter((step) => step.began > returned && ended.has(step.of) && step.accepted)
    expect(late).toEqual([])
  }
  const allEnded = new Set(revoked.flatMap(({ id }) => [...endsWith(id)]))
  for (const made of family.values()) {
    const record = await port.find(made.record.id)
    if (allEnded.has(made.record.id)) expect([await admits(made), record?.revokedAt]).toEqual([false, iso(now)])
    else if (!record?.replacedBy) expect(await admits(made)).toBe(true)
  }
})
