import { instances } from '../../../adapters/dynamo/instance/instances.ts'
import { runs } from '../../../adapters/dynamo/instance/runs.ts'
import { wallets } from '../../../adapters/dynamo/wallet/wallets.ts'
import type { Instances, Runs } from '../../../app/ports/instance.ts'
import type { Wallets } from '../../../app/ports/wallet.ts'
import { shardOf } from '../../../domain/ids.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { newInstance, transition } from '../../../domain/instance/life-cycle.ts'
import { bucketName, bucketOf, limits } from '../../../domain/rates/rate-limits.ts'
import { iso } from '../../../domain/time.ts'
import { newClaims } from '../../../domain/tokens/machine-token.ts'
import { counted, type Engine, type Fault, inject, startEngine } from '../engine.ts'

let engine: Engine
let port: Instances
let money: Wallets
let history: Runs
beforeAll(async () => {
  engine = await startEngine()
  port = instances(engine.env)
  money = wallets(engine.env)
  history = runs(engine.env)
})
afterAll(() => engine.stop())

const now = Date.parse('2026-11-20T12:00:00.000Z')
let made = 0

async function provisioned(): Promise<InstanceRecord> {
  const number = ++made
  const record = newInstance({ instanceId: `ins_${number}`, userId: `usr_${number}` }, 'starter', '1', now)
  expect(await port.create(record)).toBe(true)
  return record
}

const step = (
  record: InstanceRecord,
  ...[verb, reason]: [Parameters<typeof transition>[1], Parameters<typeof transition>[2]]
) => transition(record, verb, reason, now).next

async function paused(): Promise<InstanceRecord> {
  let record = await provisioned()
  for (const verb of ['machine-running', 'pause', 'machine-stopped'] as const) {
    const next = step(record, verb, 'user')
    expect(await port.save(next, record)).toBe(true)
    record = next
  }
  return record
}

const claims = ({ userId, id, generation }: InstanceRecord) =>
  newClaims({ audience: 'agent', userId, instanceId: id, generation }, now)

describe('creating an instance', () => {
  it('happens once per user, and allows the first generation to spend', async () => {
    const record = await provisioned()
    expect(await port.find(record.userId)).toEqual(record)
    expect(await port.create({ ...record, id: 'ins_second' })).toBe(false)
    expect((await port.find(record.userId))?.id).toBe(record.id)
    expect(await money.read(record.userId)).toMatchObject({ generation: 1, available: 0, total: 0, holds: {} })
  })

  it('keeps the money that was in the wallet', async () => {
    await money.creditOnce('usr_early', 'k', 500, 'topup', 'Top-up', iso(now))
    expect(await port.create(newInstance({ instanceId: 'ins_early', userId: 'usr_early' }, 'pro', '1', now))).toBe(true)
    expect(await money.read('usr_early')).toMatchObject({ generation: 1, available: 500, total: 500 })
  })

  it('may happen again after deletion', async () => {
    const record = await provisioned()
    const gone: InstanceRecord = { ...record, state: 'deleted', deadlineMs: null, version: 2 }
    expect(await port.save(gone, record)).toBe(true)
    const second = { ...record, id: 'ins_again' }
    expect(await port.create(second)).toBe(true)
    expect(await port.find(record.userId)).toEqual(second)
  })
})

describe('saving an instance', () => {
  it('moves the wallet’s generation together with the instance', async () => {
    const record = await paused()
    expect(await port.find(record.userId)).toEqual(record)
    expect((await money.read(record.userId)).generation).toBe(0)
    const resumed = step(record, 'resume', 'user')
    expect(await port.save(resumed, record)).toBe(true)
    expect((await money.read(record.userId)).generation).toBe(2)
  })

  it('writes only the instance while its generation continues', async () => {
    const record = await provisioned()
    const { result, calls } = await counted(() => port.save(step(record, 'machine-running', 'ready'), record))
    expect([result, calls.map(({ operation }) => operation)]).toEqual([true, ['UpdateItem']])
  })

  it('adds the run that ended in the same request, once, also when an answer is lost', async () => {
    const record = await provisioned()
    const pausing = step(step(record, 'machine-running', 'ready'), 'pause', 'user')
    expect(await port.save(pausing, record)).toBe(true)
    const stopped = step(pausing, 'machine-stopped', 'user')
    inject('after')
    const { result, calls } = await counted(() => port.save(stopped, pausing))
    expect(result).toBe(true)
    expect(new Set(calls.map(({ operation }) => operation))).toEqual(new Set(['TransactWriteItems']))
    expect(await port.save(stopped, pausing)).toBe(false)
    const page = { after: null, limit: 10 }
    expect((await history.ended(record.userId, page, now)).items).toEqual([stopped.lastRun])
    const { calls: again } = await counted(() => port.save(step(stopped, 'resume', 'user'), stopped))
    expect(again).toHaveLength(1)
    expect((await history.ended(record.userId, page, now)).items).toHaveLength(1)
  })

  it('adds no run when it loses the race', async () => {
    const record = await provisioned()
    const crashed = step(record, 'machine-stopped', 'crash')
    await port.setTask(record, 'arn:task', now)
    expect(await port.save(crashed, record)).toBe(false)
    expect((await history.ended(record.userId, { after: null, limit: 10 }, now)).items).toEqual([])
  })

  it('succeeds for one of many concurrent writers', async () => {
    const record = await paused()
    const wanted = step(record, 'resume', 'user')
    const saved = await Promise.all(Array.from({ length: 10 }, () => port.save(wanted, record)))
    expect(saved.filter(Boolean)).toHaveLength(1)
    expect(await port.find(record.userId)).toEqual(wanted)
  })

  it('keeps activity, choices and counts that were recorded meanwhile', async () => {
    const record = await provisioned()
    await port.touch(record.userId, iso(now + 5_000), 'nobody')
    expect(await port.setModel(record.userId, 'local/echo')).toMatchObject({ model: 'local/echo' })
    expect(await port.setPersona(record.userId, 'pirate')).toMatchObject({ persona: 'pirate' })
    await port.admitMachine(claims(record), 'agent', now)
    expect(await port.save(step(record, 'machine-running', 'ready'), record)).toBe(true)
    expect(await port.find(record.userId)).toMatchObject({
      state: 'running',
      model: 'local/echo',
      persona: 'pirate',
      lastActivityAt: iso(now + 5_000),
      attendedAt: record.attendedAt,
    })
    expect(await port.touch(record.userId, iso(now + 6_000), 'person')).toMatchObject({
      lastActivityAt: iso(now + 6_000),
      attendedAt: iso(now + 6_000),
    })
    const admission = await port.admitMachine(claims(record), 'agent', now)
    expect(admission).toMatchObject({ counts: { [bucketName('agent', bucketOf(now))]: 2 } })
  })

  it('fails when a machine was recorded meanwhile, and clears the machine when the writer knows of it', async () => {
    const record = await provisioned()
    expect(await port.setTask(record, 'arn:task', now)).toBe(true)
    const crashed = step(record, 'machine-stopped', 'crash')
    expect(await port.save(crashed, record)).toBe(false)
    const seen = await port.find(record.userId)
    if (!seen) throw new Error('the instance is gone')
    expect(seen.taskArn).toBe('arn:task')
    expect(await port.save(step(seen, 'machine-stopped', 'crash'), seen)).toBe(true)
    expect(await port.find(record.userId)).toMatchObject({ generation: 2, taskArn: null })
    expect(await port.setTask(record, 'arn:late', now)).toBe(false)
    expect((await port.find(record.userId))?.taskArn).toBeNull()
  })

  it.each(['before', 'after', 'throttled', 'conflict'] as Fault[])(
    'succeeds when a request fails with "%s"',
    async (fault) => {
      const record = await paused()
      const next = step(record, 'resume', 'user')
      inject(fault)
      expect(await port.save(next, record)).toBe(true)
      const running = step(next, 'machine-running', 'ready')
      inject(fault)
      expect(await port.save(running, next)).toBe(true)
      inject(fault)
      expect(await port.create({ ...record, userId: `usr_${fault}` })).toBe(true)
      expect(await port.save(step(running, 'pause', 'user'), next)).toBe(false)
    },
  )

  it('creates nothing for a missing instance', async () => {
    await port.touch('usr_nobody', iso(now), 'person')
    expect(await port.setModel('usr_nobody', 'local/echo')).toBeNull()
    expect(await port.setTask({ userId: 'usr_nobody', generation: 1, tasks: [] }, 'arn', now)).toBe(false)
    expect(await port.find('usr_nobody')).toBeNull()
  })
})

describe('a machine', () => {
  it('is admitted and counted in one request, up to exactly its limit', async () => {
    const record = await provisioned()
    const { result, calls } = await counted(() => port.admitMachine(claims(record), 'llm', now))
    expect([result.admitted, calls.length]).toEqual([true, 1])
    expect(result).toMatchObject({ record })
    const more = await Promise.all(
      Array.from({ length: limits.llm + 9 }, () => port.admitMachine(claims(record), 'llm', now)),
    )
    expect(more.filter(({ admitted }) => admitted)).toHaveLength(limits.llm - 1)
    expect(more.filter((admission) => !admission.admitted && admission.because === 'limited')).toHaveLength(10)
  })

  it('from another generation or instance, or a paused one, is unknown', async () => {
    const unknown = { admitted: false, because: 'unknown' }
    const record = await provisioned()
    expect(await port.admitMachine({ ...claims(record), generation: 2 }, 'agent', now)).toEqual(unknown)
    expect(await port.admitMachine({ ...claims(record), instanceId: 'ins_other' }, 'agent', now)).toEqual(unknown)
    expect(await port.admitMachine({ ...claims(record), userId: 'usr_nobody' }, 'agent', now)).toEqual(unknown)
    const asleep = await paused()
    expect(await port.admitMachine(claims(asleep), 'agent', now)).toEqual(unknown)
    expect(await port.admitMachine({ ...claims(asleep), generation: 0 }, 'agent', now)).toEqual(unknown)
    const next = step(asleep, 'resume', 'user')
    await port.save(next, asleep)
    expect(await port.admitMachine(claims(asleep), 'agent', now)).toEqual(unknown)
    expect(await port.admitMachine(claims(next), 'agent', now)).toMatchObject({ admitted: true })
  })
})

describe('a volume worker', () => {
  it('is admitted under its generation and may not spend', async () => {
    const record = await paused()
    const opening = step(record, 'maintain', 'user')
    expect(await port.save(opening, record)).toBe(true)
    expect(await port.find(record.userId)).toEqual(opening)
    expect((await port.admitMachine(claims(record), 'agent', now)).admitted).toBe(false)
    expect((await port.admitMachine(claims(opening), 'agent', now)).admitted).toBe(true)
    expect((await money.read(record.userId)).generation).toBe(0)
    expect(await port.markErased(record.userId, opening.generation)).toBe(false)
  })

  it('reports once that the volume of a deleted instance is empty, and only for its own generation', async () => {
    const record = await paused()
    const deleting = step(record, 'delete', 'user')
    const erasing = step(deleting, 'machine-stopped', 'user')
    expect(await port.save(deleting, record)).toBe(true)
    expect(await port.save(erasing, deleting)).toBe(true)
    expect(await port.markErased(record.userId, erasing.generation - 1)).toBe(false)
    expect(await port.markErased(record.userId, erasing.generation)).toBe(true)
    expect(await port.find(record.userId)).toEqual({ ...erasing, volumeErased: true })
    // A driver with an older read does not reset the mark.
    const again = step(erasing, 'overdue', 'user')
    expect(await port.save(again, erasing)).toBe(true)
    expect((await port.find(record.userId))?.volumeErased).toBe(true)
  })
})

describe('the reason why an agent does not start', () => {
  it('is stored only for the reporting generation, and a write of the life cycle keeps it', async () => {
    const record = await provisioned()
    await port.setCannotStart(record.userId, record.generation - 1, 'crash')
    expect(await port.find(record.userId)).toMatchObject({ cannotStart: null })
    await port.setCannotStart(record.userId, record.generation, 'crash')
    const running = step(record, 'machine-running', 'user')
    expect(await port.save(running, record)).toBe(true)
    const cannotStart = { generation: record.generation, reason: 'crash' }
    expect(await port.find(record.userId)).toEqual({ ...running, cannotStart })
    await port.setCannotStart(record.userId, record.generation, null)
    expect(await port.find(record.userId)).toEqual(running)
  })

  it('reads as none when a later release stored a reason unknown to this one', async () => {
    const record = await provisioned()
    // safe because a later release has more reasons
    await port.setCannotStart(record.userId, record.generation, 'of-tomorrow' as 'crash')
    expect(await port.find(record.userId)).toEqual(record)
  })
})

describe('listing overdue instances', () => {
  it('finds transient states past their deadline, and no stable state', async () => {
    const record = await provisioned()
    const shard = shardOf(record.userId)
    const deadline = record.deadlineMs ?? 0
    expect(await port.overdue(shard, deadline - 1)).not.toContain(record.userId)
    expect(await port.overdue(shard, deadline)).toContain(record.userId)
    expect(await port.overdue((shard + 1) % 16, deadline)).not.toContain(record.userId)
    await port.save(step(record, 'machine-running', 'ready'), record)
    expect(await port.overdue(shard, deadline)).not.toContain(record.userId)
  })
})
