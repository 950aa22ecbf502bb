import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cannotStartTexts } from '../../../agent/kit/limits.ts'
import { Bench, until } from '../machine.ts'

const program = join(import.meta.dirname, '../../..', 'agent', 'runtime', 'main.ts')

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

it('a runtime that exits by itself is restarted, each time after a longer pause', async () => {
  const machine = bench.start({ BERTH_RUNTIME: '/bin/false' })
  await until(() => machine.output().split('runtime started').length > 3)
  const waits = [...machine.output().matchAll(/"waitMs":(\d+)/g)].map(([, ms]) => Number(ms))
  expect(waits.slice(0, 2)).toEqual([500, 1_000])
  machine.child.kill('SIGTERM')
  expect(await machine.exited).toBe(0)
})

/*
 * Agents whose program ends at each start while their status says that they run: https://github.com/hivecommons/hive/issues/6237, https://github.com/coder/coder/issues/3592, https://github.com/devfile/devworkspace-operator/issues/353.
 */
it('the service and the waiting user hear once of a runtime that keeps exiting, and hear that it works after its first reply', async () => {
  const { server, volume } = bench
  const first = server.say('Are you there?')
  const machine = bench.start({ BERTH_RUNTIME: `sh -c '[ -e repaired ] && exec ${process.execPath} ${program}'` })
  await until(() => first.closed.length > 0, 'the answer')
  expect(first.closed).toEqual(['failed'])
  expect(server.replies(first).map(({ text }) => text)).toEqual([cannotStartTexts.crash])
  expect(server.observed('crashed').length).toBeGreaterThan(3)
  const second = server.say('And now?')
  await until(() => second.closed.length > 0, 'the second answer')
  expect(server.observed('cannot-start')).toEqual([{ kind: 'cannot-start', reason: 'crash' }])
  expect(server.observed('ready')).toHaveLength(1)
  writeFileSync(join(volume, 'workspace', 'repaired'), '')
  const seen = machine.runtimePid()
  await until(() => machine.runtimePid() !== seen, 'the next start')
  const third = server.say('And now?')
  await until(() => third.closed.length > 0, 'the third answer')
  await until(() => server.observed('ready').length === 2, 'the report that it works')
})

it('a runtime that exits three times and then keeps running is not reported', async () => {
  const { server } = bench
  const prompt = server.say('Are you there?')
  bench.start({
    BERTH_RUNTIME: `sh -c 'echo >> starts; [ $(wc -l < starts) -gt 3 ] && exec ${process.execPath} ${program}'`,
  })
  await until(() => prompt.closed.length > 0, 'the answer')
  expect(prompt.closed).toEqual(['completed'])
  expect(server.observed('crashed')).toHaveLength(3)
  expect(server.observed('cannot-start')).toEqual([])
})
