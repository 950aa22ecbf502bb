import { createHash } from 'node:crypto'
import type { Ports } from '../../../adapters/ports.ts'
import { addPoint, newPoint, prunePoints } from '../../../app/files/restore-points.ts'
import { retention } from '../../../domain/files/restore-point.ts'
import { chunkKey, maxBytes, maxPieces } from '../../../domain/files/storage.ts'
import { gibibyte, planGiB } from '../../../domain/instance/volume-limit.ts'
import { minuteMs } from '../../../domain/time.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from './agent-world.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.clock.nowMs += minuteMs
})

const bytesOf = (name: string) => Buffer.from(`the bytes of ${name}`)
const hashOf = (name: string) => createHash('sha256').update(bytesOf(name)).digest('hex')
const summary = { files: 1, bytes: 1, skipped: { links: 0, devices: 0, sockets: 0, pipes: 0, unreadable: 0 } }

/** A machine with a requested restore point that it makes step by step. */
async function begin(who: AgentTenant) {
  const point = newPoint(world.ports, who.instance, 'demand', world.clock.nowMs)
  expect(await addPoint(world.ports, who.userId, point, world.clock.nowMs)).toBe(true)
  const taskId = (await who.call('/agent/prompt?tasks=only')).body.task?.id ?? ''
  const sign = (put: { name: string; size: number }[]) =>
    who.call('/agent/files', { audience: 'files', body: { taskId, put } })
  const store = async (name: string, bytes: Buffer, headers: Record<string, string> = {}) => {
    const { status, body } = await sign([{ name, size: bytes.length }])
    expect(status).toBe(200)
    const { put } = body as unknown as { put: Record<string, string> } // safe because the operation's output is that
    const address = put[name]
    if (!address) return false
    expect((await fetch(address, { method: 'PUT', body: new Uint8Array(bytes), headers })).status).toBe(200)
    return true
  }
  return {
    point,
    taskId,
    sign,
    /** Stores a piece; false when the response says that it is stored already. */
    keep: (name: string) =>
      store(hashOf(name), bytesOf(name), {
        'x-amz-checksum-sha256': Buffer.from(hashOf(name), 'hex').toString('base64'),
      }),
    /** Reports that the point consists of these pieces, and returns the result. */
    async end(names: string[]) {
      const list = names.map((name) => ({ sha256: hashOf(name), size: bytesOf(name).length }))
      await store('chunks', Buffer.from(JSON.stringify(list)))
      return this.report({ result: { kind: 'snapshot', summary, chunks: names.length, newBytes: 1 } })
    },
    async report(outcome: object) {
      expect((await who.call('/agent/observe', { body: { kind: 'task', taskId, ...outcome } })).status).toBe(200)
      return (await world.ports.restorePoints.find(who.userId, point.id))?.state
    },
    storeList: (text: string) => store('chunks', Buffer.from(text)),
  }
}

const piecesOf = async (who: AgentTenant) => {
  const keys: string[] = []
  for await (const key of world.ports.storage.list(chunkKey(who.instance.id, ''))) keys.push(key)
  return keys.sort()
}
const keysOf = (who: AgentTenant, names: string[]) =>
  names.map((name) => chunkKey(who.instance.id, hashOf(name))).sort()

async function point(who: AgentTenant, names: string[]) {
  const machine = await begin(who)
  for (const name of names) await machine.keep(name)
  return machine.end(names)
}

describe('a pruned piece that the next snapshot counts as stored', () => {
  /** A machine with a restore point, and a stored piece that no point uses. */
  async function withUnused() {
    const who = await world.tenant()
    expect(await point(who, ['shared'])).toBe('ready')
    const body = bytesOf('old')
    const address = await world.ports.storage.putAddress(chunkKey(who.instance.id, hashOf('old')), body.length)
    expect((await fetch(address, { method: 'PUT', body: new Uint8Array(body) })).status).toBe(200)
    return who
  }
  const prune = (who: AgentTenant, change: Partial<Ports['storage']> = {}) =>
    prunePoints(
      { ...world.ports, storage: { ...world.ports.storage, ...change } },
      who.userId,
      who.instance.id,
      world.clock.nowMs,
    )

  test('waits while pieces are being removed, and then stores the piece again', async () => {
    const who = await withUnused()
    const begun: Awaited<ReturnType<typeof begin>>[] = []
    const asked: number[] = []
    await prune(who, {
      // The list of unused pieces is complete at this moment.
      async remove(keys) {
        const machine = await begin(who)
        begun.push(machine)
        asked.push((await machine.sign([{ name: hashOf('old'), size: bytesOf('old').length }])).status)
        await world.ports.storage.remove(keys)
      },
    })
    expect(asked).toEqual([429])
    const [machine] = begun
    expect(await machine?.keep('old')).toBe(true)
    expect(await machine?.end(['old'])).toBe('ready')
    expect(await piecesOf(who)).toEqual(keysOf(who, ['old', 'shared']))
  })

  test('is not removed once the next point has begun', async () => {
    const who = await withUnused()
    const machine = await begin(who)
    expect(await machine.keep('old')).toBe(false)
    await expect(prune(who)).rejects.toMatchObject({ code: 'conflict' })
    expect(await machine.end(['old'])).toBe('ready')
    expect(await piecesOf(who)).toEqual(keysOf(who, ['old', 'shared']))
  })

  test('is removed once the user has ten newer points without it', async () => {
    const who = await world.tenant()
    expect(await point(who, ['old', 'shared'])).toBe('ready')
    for (let i = 0; i <= retention.asked; i++) expect(await point(who, ['shared'])).toBe('ready')
    expect(await piecesOf(who)).toEqual(keysOf(who, ['shared']))
  })

  test('makes a point without it failed, never ready', async () => {
    const who = await world.tenant()
    const machine = await begin(who)
    await machine.keep('there')
    expect(await machine.end(['there', 'gone'])).toBe('failed')
  })
})

describe('limits that do not trust the machine', () => {
  test('pieces that no list names are removed after the next point, as are those of a failed point', async () => {
    const who = await world.tenant()
    const failed = await begin(who)
    for (const name of ['a', 'b']) await failed.keep(name)
    expect(await failed.report({ failure: { code: 'internal', message: 'The disk is full.' } })).toBe('failed')
    expect(await piecesOf(who)).toEqual([])
    const machine = await begin(who)
    for (const name of ['a', 'b', 'unnamed']) await machine.keep(name)
    expect(await machine.end(['a', 'b'])).toBe('ready')
    expect(await piecesOf(who)).toEqual(keysOf(who, ['a', 'b']))
  })

  test.each(['nonsense', '[{"sha256":"x","size":1}]', '{}'])(
    'an invalid list (%s) makes a failed point, and later points are still pruned',
    async (text) => {
      const who = await world.tenant()
      const machine = await begin(who)
      await machine.keep('a')
      await machine.storeList(text)
      const result = { kind: 'snapshot', summary, chunks: 1, newBytes: 1 }
      expect(await machine.report({ result })).toBe('failed')
      expect(await point(who, ['b'])).toBe('ready')
      expect(await piecesOf(who)).toEqual(keysOf(who, ['b']))
    },
  )

  test('one point may upload at most twice the plan’s volume, whatever size its machine reports', async () => {
    const who = await world.tenant()
    const machine = await begin(who)
    const most = 2 * planGiB(who.instance.plan) * gibibyte
    let asked = 0
    const batch = () =>
      Array.from({ length: maxPieces }, () => ({ name: hashOf(`piece ${asked++}`), size: maxBytes.chunk }))
    // All but the last two requests' worth was signed before.
    const before = most - 2 * maxPieces * maxBytes.chunk
    expect(await world.ports.tasks.countStored(who.userId, machine.taskId, before, most)).toBe(true)
    for (let i = 0; i < 2; i++) expect((await machine.sign(batch())).status).toBe(200)
    expect(await machine.sign(batch())).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect((await machine.sign([{ name: 'chunks', size: maxBytes.chunks + 1 }])).status).toBe(400)
  })
})
