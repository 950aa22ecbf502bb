import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plans } from '../../../domain/billing/plans.ts'
import { runtimeMemoryMiB } from '../../../domain/instance/machine.ts'
import { checkCarries, checkStillCarries, leastPlanFor, runtimeManifest } from '../../../domain/instance/runtime.ts'

const folder = join(import.meta.dirname, '../../../agent/runtimes')
const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
const read = (name: string) =>
  runtimeManifest.parse(JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')))

describe('the manifest of a runtime', () => {
  it('exists for each shipped runtime', () => {
    expect(names.sort()).toEqual(['claude-code', 'codex', 'openclaw', 'opencode', 'pi', 'reference'])
  })

  it.each(names)('of %s has its folder’s name and a wrapper of at most 150 lines', (name) => {
    expect(read(name).name).toBe(name)
    const wrapper = join(folder, name, 'main.ts')
    expect(existsSync(wrapper)).toBe(name !== 'reference')
    if (name !== 'reference') expect(readFileSync(wrapper, 'utf8').split('\n').length).toBeLessThanOrEqual(150)
  })

  it.each(names)(
    'of %s states the memory left for it next to the supervisor, on each plan that supports it',
    (name) => {
      const { memoryMiB } = read(name)
      for (const { machine } of plans.filter(({ machine }) => machine.memoryMiB >= memoryMiB))
        expect(runtimeMemoryMiB(machine)).toBeGreaterThanOrEqual(runtimeMemoryMiB({ memoryMiB }))
      // At least the memory of Node itself and the launcher.
      expect(runtimeMemoryMiB({ memoryMiB })).toBeGreaterThanOrEqual(128)
    },
  )

  it('determines the cheapest plan with enough memory', () => {
    expect(leastPlanFor({ memoryMiB: plans[0].machine.memoryMiB })?.id).toBe(plans[0].id)
    expect(leastPlanFor({ memoryMiB: plans[0].machine.memoryMiB + 1 })?.id).toBe(plans[1].id)
    expect(leastPlanFor({ memoryMiB: 1_000_000 })).toBeUndefined()
    expect(
      names.flatMap((name) => leastPlanFor(read(name)) ?? name).filter((each) => typeof each === 'string'),
    ).toEqual([])
  })

  it('allows a choice only on a plan that supports it now and in the next period', () => {
    const [small, large] = [read('pi'), read('opencode')]
    for (const next of [undefined, 'pro', 'starter']) expect(() => checkCarries(small, 'pro', next)).not.toThrow()
    for (const next of [undefined, 'pro']) expect(() => checkCarries(large, 'pro', next)).not.toThrow()
    expect(() => checkCarries(large, 'starter')).toThrow(/Starter’s has 512\. Take the plan Pro first/)
    expect(() => checkCarries(large, 'pro', 'starter')).toThrow(/next period begins with that plan. Keep Pro first/)
  })

  it('blocks a change to a plan that does not support it, and no other change', () => {
    for (const plan of plans) expect(() => checkStillCarries(read('pi'), plan.id)).not.toThrow()
    expect(() => checkStillCarries(read('opencode'), 'pro')).not.toThrow()
    expect(() => checkStillCarries(read('opencode'), 'starter')).toThrow(/Choose another program as your agent first/)
  })
})
