import { conversations } from '../../../adapters/dynamo/chat/conversations.ts'
import { tasks } from '../../../adapters/dynamo/files/tasks.ts'
import type { Conversations } from '../../../app/ports/chat.ts'
import type { Tasks } from '../../../app/ports/files.ts'
import { maxOpenTasks } from '../../../domain/chat/message-limits.ts'
import { ulid } from '../../../domain/ids.ts'
import { type Engine, startEngine } from '../engine.ts'

let engine: Engine
let port: Tasks
let prompts: Conversations
beforeAll(async () => {
  engine = await startEngine()
  port = tasks(engine.env)
  prompts = conversations(engine.env)
})
afterAll(() => engine.stop())

const now = Date.parse('2026-11-20T12:00:00.000Z')
const idOf = (n: number) => `tsk_${ulid(now + n, new Uint8Array(16))}`

describe('open tasks', () => {
  it('are the waiting and leased ones, oldest first, without the question about sleep', async () => {
    await port.add('usr_a', idOf(3), { kind: 'export' }, now)
    await port.add('usr_a', idOf(1), { kind: 'snapshot', pointId: 'rsp_1' }, now)
    await port.add('usr_a', idOf(2), { kind: 'drain' }, now)
    await port.add('usr_b', idOf(4), { kind: 'export' }, now)
    await prompts.next('usr_a', 1, now, { prompts: false, tasks: true })
    expect(await port.listOpen('usr_a')).toEqual([
      { id: idOf(1), job: { kind: 'snapshot', pointId: 'rsp_1' } },
      { id: idOf(3), job: { kind: 'export' } },
    ])
    expect(await port.cancel('usr_a', idOf(1), { code: 'conflict', message: 'Nobody came.' })).toBe(true)
    expect(await port.cancel('usr_a', idOf(1))).toBe(false)
    expect(await port.find('usr_a', idOf(1))).toEqual({
      state: 'failed',
      failure: { code: 'conflict', message: 'Nobody came.' },
    })
    expect(await port.listOpen('usr_a')).toEqual([{ id: idOf(3), job: { kind: 'export' } }])
    expect(await port.listOpen('usr_c')).toEqual([])
  })

  it('are limited per user, and tasks of the service itself do not count', async () => {
    const sent = await Promise.allSettled(
      Array.from({ length: maxOpenTasks + 5 }, (_, i) => port.add('usr_d', idOf(100 + i), { kind: 'export' }, now)),
    )
    const refused = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(refused).toHaveLength(5)
    for (const each of refused) expect(each).toMatchObject({ code: 'conflict', message: expect.stringMatching(/Wait/) })
    const open = await port.listOpen('usr_d')
    expect(open).toHaveLength(maxOpenTasks)
    await port.addOwn('usr_d', idOf(200), { kind: 'drain' }, now)
    await port.add('usr_d', idOf(201), { kind: 'snapshot', pointId: 'rsp_1' }, now)
    await port.cancel('usr_d', idOf(200))
    await expect(port.add('usr_d', idOf(203), { kind: 'export' }, now)).rejects.toMatchObject({ code: 'conflict' })
    await port.cancel('usr_d', open[0]?.id ?? '')
    await port.cancel('usr_d', open[0]?.id ?? '')
    await port.add('usr_d', idOf(204), { kind: 'export' }, now)
    await expect(port.add('usr_d', idOf(205), { kind: 'export' }, now)).rejects.toMatchObject({ code: 'conflict' })
    expect(await port.add('usr_e', idOf(206), { kind: 'export' }, now)).toBe(true)
  })
})
