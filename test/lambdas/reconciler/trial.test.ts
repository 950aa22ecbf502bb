import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { hourMs, iso } from '../../../domain/time.ts'
import { trialStarts } from '../../../domain/trial/trial.ts'
import { type MachineWorld, openMachineWorld, type User } from './machine-world.ts'

let world: MachineWorld
beforeAll(async () => {
  world = await openMachineWorld()
})
afterAll(() => world.close())
afterEach(() => world.settle())

/** A user whose trial ends at `endsMs`, with a machine that has started `starts` times. */
async function guest(endsMs: number, starts = 0): Promise<User> {
  const user = await world.user()
  const { ids, clock, instances, trials, bus } = world.ports
  const creditMicros = 250_000
  const trial = { startedAt: iso(clock.now()), endsAt: iso(endsMs), creditMicros }
  const terms = { budgetMicros: 10 ** 9, creditMicros, hours: 24, perNetwork: 100, perDomain: 100 }
  expect(await trials.start({ user, trial, terms, network: '192.0.2.1' })).toBeNull()
  const made = newInstance({ instanceId: ids.next('ins'), userId: user.id }, 'trial', '1', clock.now())
  await instances.create({ ...made, generation: starts + 1, stoppedGeneration: starts })
  await bus.publish('instance.wanted', user.id)
  return user
}

const started = () => world.ecsCalls.filter((action) => action === 'RunTask').length

describe('the machine of a trial', () => {
  test('starts during the trial', async () => {
    const user = await guest(world.ports.clock.now() + hourMs)
    await user.reaches('running')
  })

  test('does not start after the trial, whatever requests it', async () => {
    const before = started()
    const user = await guest(world.ports.clock.now() - 1)
    await user.reaches('pausing')
    await world.idle()
    expect(await user.instance()).toMatchObject({ desiredState: 'paused', reason: 'billing' })
    expect(started()).toBe(before)
  })

  test('starts at most the allowed number of times', async () => {
    const last = await guest(world.ports.clock.now() + hourMs, trialStarts - 1)
    await last.reaches('running')
    const before = started()
    const extra = await guest(world.ports.clock.now() + hourMs, trialStarts)
    await extra.reaches('pausing')
    await world.idle()
    expect(started()).toBe(before)
  })
})
