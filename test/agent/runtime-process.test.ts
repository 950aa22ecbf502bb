import { Bench, until } from './machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

it('starts a runtime that ends by itself again, each time a little later', async () => {
  const machine = bench.start({ BERTH_RUNTIME: '/bin/false' })
  await until(() => machine.output().split('runtime started').length > 3)
  const waits = [...machine.output().matchAll(/"waitMs":(\d+)/g)].map(([, ms]) => Number(ms))
  expect(waits.slice(0, 2)).toEqual([500, 1_000])
  machine.child.kill('SIGTERM')
  expect(await machine.exited).toBe(0)
})
