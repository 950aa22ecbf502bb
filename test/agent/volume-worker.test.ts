import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bench, until } from './machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const worker = { BERTH_ROLE: 'volume-worker', BERTH_LLM_TOKEN: '', BERTH_LINGER_SECONDS: '1' }
const file = (name: string) => join(bench.volume, name)

describe('a volume worker', () => {
  test('does the tasks that wait, lingers for more, and ends by itself; no agent, no model call, no prompt', async () => {
    const prompt = bench.server.say('hello')
    mkdirSync(file('workspace'))
    writeFileSync(file('workspace/note'), 'high at noon')
    const read = bench.server.order({ kind: 'read', path: 'workspace/note' })
    const kept = bench.server.order({ kind: 'snapshot', pointId: 'rsp_1' })
    const machine = bench.start(worker)
    await until(() => kept.ends.length > 0)
    expect(read.ends).toEqual([
      expect.objectContaining({ result: expect.objectContaining({ content: btoa('high at noon') }) }),
    ])
    writeFileSync(file('workspace/note'), 'spoilt')
    const back = bench.server.order({ kind: 'restore', pointId: 'rsp_1', path: null })
    expect(await machine.exited).toBe(0)
    expect(back.ends).toEqual([expect.objectContaining({ result: expect.objectContaining({ files: 1 }) })])
    expect(readFileSync(file('workspace/note'), 'utf8')).toBe('high at noon')
    expect(bench.server.observed('heartbeat')).toEqual([
      expect.objectContaining({ measured: expect.objectContaining({ diskBytes: 12 }) }),
    ])
    expect(bench.server.seen.filter(({ audience }) => audience === 'llm')).toEqual([])
    expect([prompt.attempt, machine.runtimePid()]).toEqual([0, 0])
  })

  test('that is told to stop ends what it has in hand and goes', async () => {
    const machine = bench.start({ ...worker, BERTH_LINGER_SECONDS: '600' })
    const task = bench.server.order({ kind: 'list', path: '', after: null, limit: 10 })
    await until(() => task.ends.length > 0)
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
  })

  test('that was superseded does nothing more', async () => {
    const machine = bench.start({ ...worker, BERTH_LINGER_SECONDS: '600' })
    await until(() => bench.server.seen.length > 0)
    bench.server.newGeneration()
    expect(await machine.exited).toBe(3)
  })
})

describe('a volume eraser', () => {
  test('empties the volume, says so, and ends', async () => {
    mkdirSync(file('workspace/deep'), { recursive: true })
    writeFileSync(file('workspace/deep/diary'), 'mine')
    const task = bench.server.order({ kind: 'export' })
    const machine = bench.start({ BERTH_ROLE: 'volume-eraser', BERTH_LLM_TOKEN: '', BERTH_FILES_TOKEN: '' })
    expect(await machine.exited).toBe(0)
    expect(readdirSync(bench.volume)).toEqual([])
    expect(bench.server.observed('volume-erased')).toHaveLength(1)
    expect(task.ends).toEqual([])
  })

  test('that cannot say so has failed, and another one may try', async () => {
    bench.server.refuseAll = true
    expect(await bench.start({ BERTH_ROLE: 'volume-eraser' }).exited).not.toBe(0)
  })
})
