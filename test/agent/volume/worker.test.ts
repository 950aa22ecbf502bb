import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bench, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const worker = { BERTH_ROLE: 'volume-worker', BERTH_LLM_TOKEN: '', BERTH_LINGER_SECONDS: '1' }
const file = (name: string) => join(bench.volume, name)

/** A volume worker does this task and then gets a signal to stop. */
async function workOff(task: { ends: unknown[] }): Promise<void> {
  const machine = bench.start({ ...worker, BERTH_LINGER_SECONDS: '600' })
  await until(() => task.ends.length > 0)
  machine.child.kill('SIGTERM')
  await machine.exited
}

const roles: [string, Record<string, string>][] = [
  ['volume worker', worker],
  ['supervisor', {}],
]

test.each(roles)('a %s deletes the partial files of a killed machine when it starts', async (_, environment) => {
  const folders = ['.berth/edits', '.berth/arrivals']
  for (const folder of folders) {
    mkdirSync(file(folder), { recursive: true })
    writeFileSync(file(`${folder}/written-tsk_1`), 'half')
  }
  bench.start(environment)
  await until(() => folders.every((folder) => readdirSync(file(folder)).length === 0))
})

describe('a volume worker', () => {
  test('does the waiting tasks, lingers for more, and exits by itself; no agent, no model call, no prompt', async () => {
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

  test.each([
    ['files', 'before'],
    ['files', 'after'],
    ['chunks', 'before'],
    ['chunks', 'after'],
  ])(
    'that is killed while it stores %s, %s it is stored, leaves a point that the next worker completes',
    async (name, step) => {
      mkdirSync(file('workspace'))
      for (let i = 0; i < 5; i++) writeFileSync(file(`workspace/${i}`), `number ${i}`)
      const { server } = bench
      const first = server.order({ kind: 'snapshot', pointId: 'rsp_1' })
      await workOff(first)
      writeFileSync(file('workspace/1'), 'changed')
      writeFileSync(file('workspace/5'), 'new')
      rmSync(file('workspace/2'))
      const killed = bench.start({ ...worker, BERTH_LINGER_SECONDS: '600' })
      server.onStore = (...stored) => {
        if (stored.join() !== `${name},${step}`) return true
        killed.child.kill('SIGKILL')
        return false
      }
      const second = server.order({ kind: 'snapshot', pointId: 'rsp_2' })
      await killed.exited
      server.onStore = () => true
      Object.assign(second, { leaseUntil: 0 })
      writeFileSync(file('workspace/3'), 'changed since')
      await workOff(second)
      expect(second.ends).toEqual([expect.objectContaining({ result: expect.objectContaining({ kind: 'snapshot' }) })])
      for (const path of readdirSync(file('workspace'))) writeFileSync(file(`workspace/${path}`), 'spoilt')
      const back = server.order({ kind: 'restore', pointId: 'rsp_2', path: null })
      await workOff(back)
      const texts = ['0', '1', '3', '4', '5'].map((path) => readFileSync(file(`workspace/${path}`), 'utf8'))
      expect(texts).toEqual(['number 0', 'changed', 'changed since', 'number 4', 'new'])
      expect(readdirSync(file('workspace'))).toHaveLength(5)
    },
  )

  test('that gets a signal to stop finishes its current task and exits', async () => {
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
    // The open poll still hands the task out.
    const task = bench.server.order({ kind: 'list', path: '', after: null, limit: 10 })
    expect(await machine.exited).toBe(3)
    expect(task.ends).toEqual([])
  })
})

describe('a volume eraser', () => {
  test('empties the volume, reports that, and exits', async () => {
    mkdirSync(file('workspace/deep'), { recursive: true })
    writeFileSync(file('workspace/deep/diary'), 'mine')
    const task = bench.server.order({ kind: 'export' })
    const machine = bench.start({ BERTH_ROLE: 'volume-eraser', BERTH_LLM_TOKEN: '', BERTH_FILES_TOKEN: '' })
    expect(await machine.exited).toBe(0)
    expect(readdirSync(bench.volume)).toEqual([])
    expect(bench.server.observed('volume-erased')).toHaveLength(1)
    expect(task.ends).toEqual([])
  })

  test('that cannot report has failed, and another one may try', async () => {
    bench.server.refuseAll = true
    expect(await bench.start({ BERTH_ROLE: 'volume-eraser' }).exited).not.toBe(0)
  })
})
