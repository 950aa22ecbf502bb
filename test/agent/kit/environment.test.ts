import { Bench } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

it('the environment error names the missing variable, and no values of others', async () => {
  const machine = bench.start({ BERTH_AGENT_TOKEN: '' })
  expect(await machine.exited).toBe(1)
  expect(machine.output()).toContain('BERTH_AGENT_TOKEN is not set')
  expect(machine.output()).not.toContain('bmt_')
})
