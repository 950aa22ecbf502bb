import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyVolume } from '../../agent/volume/empty.ts'
import { Bench, until } from './machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const keeper = { BERTH_ROLE: 'keeper', BERTH_LLM_TOKEN: '', BERTH_LINGER_SECONDS: '1' }
const file = (name: string) => join(bench.volume, name)

describe('a keeper', () => {
  test('does the tasks that wait, lingers for more, and ends by itself; no agent, no model call, no prompt', async () => {
    const prompt = bench.server.say('hello')
    mkdirSync(file('workspace'))
    writeFileSync(file('workspace/note'), 'high at noon')
    const read = bench.server.order({ kind: 'read', path: 'workspace/note' })
    const kept = bench.server.order({ kind: 'snapshot', pointId: 'rsp_1' })
    const machine = bench.start(keeper)
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
  }, 20_000)

  test('that is told to stop ends what it has in hand and goes', async () => {
    const machine = bench.start({ ...keeper, BERTH_LINGER_SECONDS: '600' })
    const task = bench.server.order({ kind: 'list', path: '', after: null, limit: 10 })
    await until(() => task.ends.length > 0)
    machine.child.kill('SIGTERM')
    expect(await machine.exited).toBe(0)
  }, 20_000)

  test('that was superseded does nothing more', async () => {
    const machine = bench.start({ ...keeper, BERTH_LINGER_SECONDS: '600' })
    await until(() => bench.server.seen.length > 0)
    bench.server.newGeneration()
    expect(await machine.exited).toBe(3)
  }, 20_000)
})

describe('an eraser', () => {
  test('empties the volume, says so, and ends', async () => {
    mkdirSync(file('workspace/deep'), { recursive: true })
    writeFileSync(file('workspace/deep/diary'), 'mine')
    const task = bench.server.order({ kind: 'export' })
    const machine = bench.start({ BERTH_ROLE: 'eraser', BERTH_LLM_TOKEN: '', BERTH_FILES_TOKEN: '' })
    expect(await machine.exited).toBe(0)
    expect(readdirSync(bench.volume)).toEqual([])
    expect(bench.server.observed('emptied')).toHaveLength(1)
    expect(task.ends).toEqual([])
  }, 20_000)

  test('that cannot say so has failed, and another one may try', async () => {
    bench.server.refuseAll = true
    expect(await bench.start({ BERTH_ROLE: 'eraser' }).exited).not.toBe(0)
  }, 20_000)
})

describe('emptying a volume', () => {
  test('leaves nothing, whatever its names, modes, kinds and depth, and touches nothing beside it', async () => {
    const around = mkdtempSync(join(tmpdir(), 'berth-erase-'))
    try {
      const volume = join(around, 'volume')
      mkdirSync(join(around, 'outside'))
      writeFileSync(join(around, 'outside', 'kept'), 'not yours')
      mkdirSync(join(volume, 'shut', 'inner'), { recursive: true })
      writeFileSync(join(volume, 'shut', 'inner', 'x'), 'x')
      writeFileSync(Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0x66, 0xff, 0x5c])]), 'raw')
      const made = [
        'mkfifo pipe && ln -s ../outside link && ln -s ../outside/kept file-link && ln -s . loop && : > .hidden',
        'mkdir many && cd many && seq 1 700 | xargs touch && cd ..',
        // Deeper than a path may be long.
        'n=$(printf "d%.0s" $(seq 200)); for i in $(seq 40); do mkdir $n && cd $n || exit 1; done; : > bottom',
      ]
      execFileSync('/bin/bash', ['-c', made.join(' && ')], { cwd: volume })
      chmodSync(join(volume, 'shut'), 0)
      await emptyVolume(volume)
      expect(readdirSync(volume)).toEqual([])
      expect(existsSync(join(around, 'outside', 'kept'))).toBe(true)
      await emptyVolume(volume)
    } finally {
      rmSync(around, { recursive: true, force: true })
    }
  })
})
