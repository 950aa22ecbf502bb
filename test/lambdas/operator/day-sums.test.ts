import { dayMs, iso } from '../../../domain/time.ts'
import { operatorArea } from '../../../lambdas/operator/index.ts'
import { full, most } from '../../counts.ts'
import { randomOf } from '../../domain/wallet/model.ts'
import { openWorld, type World } from '../../world.ts'
import { failing } from './failing.ts'

let world: World
let mostCents = 1_000
beforeAll(async () => {
  world = await openWorld({
    areas: [operatorArea],
    replace: ({ operators }) => ({
      operators: {
        ...operators,
        maxDayCents: () => mostCents,
        all: () => new Map([...Array(2_000).keys()].map((i) => [`op${i}@example.com`, null])),
      },
    }),
  })
})
afterAll(() => world.close())
beforeEach(() => {
  mostCents = 1_000
})

const reason = 'Ticket 4711: charged twice'
let made = 0
const newOperator = () => world.operator(`op${made++}@example.com`)
type Operator = Awaited<ReturnType<typeof newOperator>>

const act = (by: Operator, user: string, verb: 'credit' | 'refund', amountCents: number, key = `key-${++made}`) =>
  world.request({
    method: 'POST',
    path: `/operator/users/${user}/${verb}`,
    headers: { ...by.headers, 'Idempotency-Key': key },
    body: { amountCents, reason, ...(verb === 'refund' && { payment: 'gift' }) },
  })
const moved = async ({ headers }: Operator): Promise<number> =>
  (await world.request({ path: '/operator', headers })).body.movedCents

async function payer() {
  const { userId } = await world.tenant()
  await world.ports.wallets.creditOnce(userId, 'gift', 50_000_000, 'adjustment', 'A gift', iso(world.clock.nowMs))
  return userId
}

describe('the amount that an operator moves in a day', () => {
  test('is limited for credits and refunds together, separately for each operator, and resets the next day', async () => {
    const [ada, bob, user] = [await newOperator(), await newOperator(), await payer()]
    expect((await act(ada, user, 'credit', 1_001)).status).toBe(403)
    expect((await act(ada, user, 'credit', 600)).status).toBe(201)
    expect((await act(ada, user, 'refund', 300)).status).toBe(201)
    const refused = await act(ada, user, 'credit', 101)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('1000 cents a day')])
    expect(await moved(ada)).toBe(900)
    expect((await act(ada, user, 'credit', 100)).status).toBe(201)
    expect((await act(bob, user, 'credit', 1_000)).status).toBe(201)
    world.clock.nowMs += dayMs
    const again = await world.operator((await world.ports.users.find(ada.userId))?.email)
    expect(await moved(again)).toBe(0)
    expect((await act(again, user, 'credit', 1_000)).status).toBe(201)
  })

  test('does not count a repeated or refused act', async () => {
    const [ada, user] = [await newOperator(), await payer()]
    for (let i = 0; i < 3; i++) await act(ada, user, 'credit', 400, 'same')
    expect(await moved(ada)).toBe(400)
    expect((await act(ada, 'usr_nobody', 'credit', 400)).status).toBe(404)
    expect((await act(ada, ada.userId, 'credit', 400)).status).toBe(403)
    expect(await moved(ada)).toBe(400)
  })

  test('is counted together with the money or not at all, whichever write fails', async () => {
    for (const verb of ['credit', 'refund'] as const) {
      for (let nth = 1, failed = true; failed; nth++) {
        const [ada, user] = [await newOperator(), await payer()]
        const before = (await world.ports.wallets.read(user)).total
        failed = await failing(nth, () => act(ada, user, verb, 250))
        const after = (await world.ports.wallets.read(user)).total
        expect([verb, nth, await moved(ada)]).toEqual([verb, nth, Math.abs(after - before) / 10_000])
      }
    }
  })

  /** Two operators and six concurrent acts, one of which may be sent twice. */
  async function interleave(seed: number): Promise<void> {
    const random = randomOf(seed)
    const [operators, user] = [[await newOperator(), await newOperator()], await payer()]
    const before = (await world.ports.wallets.read(user)).total
    const acts = Array.from({ length: 6 }, (_, i) => {
      const by = random(2)
      const verb = random(2) ? ('credit' as const) : ('refund' as const)
      return { by, verb, cents: 100 + random(500), key: `${seed}-${random(4) === 0 ? 'same' : i}` }
    })
    const answers = await Promise.all(
      acts.map(async (deed) => {
        const { status } = await act(operators[deed.by] as Operator, user, deed.verb, deed.cents, deed.key)
        expect([201, 403, 409]).toContain(status)
        return { ...deed, status }
      }),
    )
    const trail = (await world.ports.audit.list(user, { after: null, limit: 100 })).items
    let change = 0
    for (const [i, operator] of operators.entries()) {
      const sum = await moved(operator)
      const done = new Map(
        answers
          .filter(({ by, status }) => by === i && status === 201)
          .map((answer) => [`${answer.verb} ${answer.key}`, answer]),
      )
      expect(sum).toBe([...done.values()].reduce((total, { cents }) => total + cents, 0))
      expect(sum).toBeLessThanOrEqual(mostCents)
      expect(trail.filter(({ actor }) => actor.id === operator.userId)).toHaveLength(done.size)
      // Sums only rise, so a refused act would not fit at the end either.
      for (const { by, status, cents } of answers)
        if (by === i && status === 403) expect(sum + cents).toBeGreaterThan(mostCents)
      for (const { verb, cents } of done.values()) change += verb === 'credit' ? cents : -cents
    }
    expect((await world.ports.wallets.read(user)).total - before).toBe(change * 10_000)
  }

  test('never exceeds the limit, equals the moved amount, and refuses nothing that fits, in any interleaving', async () => {
    const count = full ? most(300, 100) : 25
    let seed = 0
    const worker = async () => {
      while (seed < count) await interleave(++seed)
    }
    await Promise.all(Array.from({ length: 4 }, worker))
  }, 600_000)
})
