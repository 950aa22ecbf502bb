import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planById } from '../../../domain/billing/plans.ts'
import { areas } from '../../../lambdas/areas.ts'
import { root } from '../../../lib/build/bundle.ts'
import { capacityReport } from '../../../lib/reports/capacity-report.ts'
import { costReport } from '../../../lib/reports/cost-report.ts'
import { simulateMorning } from '../../../lib/reports/morning.ts'
import { breaksAt, quotas } from '../../../lib/reports/quotas.ts'
import { readFacts } from '../../../lib/reports/template-facts.ts'
import { deployments } from '../synthesis.ts'

const starter = planById('starter')
let facts: ReturnType<typeof readFacts>
beforeAll(async () => {
  facts = readFacts((await deployments()).production.folder)
})

const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')

describe('the figures that the template fixes', () => {
  test('are every area’s memory and reserved executions, and the scheduled jobs', () => {
    expect(facts.functionMiB).toEqual(Object.fromEntries(areas.map(({ name, memoryMiB }) => [name, memoryMiB])))
    const reserved = areas.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0)
    expect(facts.reservedExecutions).toBe(reserved)
    const minutes = 31 * 24 * 60
    const jobs = areas.flatMap(({ name, jobs }) => {
      const started = jobs.map(({ on }) => ('everyMinutes' in on ? minutes / on.everyMinutes : 0))
      const all = started.reduce((sum, count) => sum + count, 0)
      return all > 0 ? [[name, all] as const] : []
    })
    expect(Object.entries(facts.clockInvocations).sort()).toEqual([...jobs].sort())
  })
})

// People read these pages: "npm run costs" and "npm run capacity" rewrite them.
test('docs/cost.md is the output of npm run costs', () => expect(page('cost.md')).toBe(costReport(facts)))
test('docs/capacity.md is the output of npm run capacity', () =>
  expect(page('capacity.md')).toBe(capacityReport(facts)))

test.each(quotas.map((quota) => [quota.name, quota] as const))('%s reaches its limit where it says', (_, quota) => {
  const at = breaksAt(quota, starter, facts)
  expect(quota.need(at, starter, facts)).toBeGreaterThan(quota.limit)
  expect(quota.need(at - 1, starter, facts)).toBeLessThanOrEqual(quota.limit)
  expect(quota.source).toMatch(/^https:\/\/docs\.aws\.amazon\.com\//)
})

describe('the morning', () => {
  const own = { windowMinutes: 10, runners: 20, starters: 60 }
  const none = { windowMinutes: 0, runners: Number.POSITIVE_INFINITY, starters: Number.POSITIVE_INFINITY }

  test.each([10_000, 100_000])('of %d schedules takes no execution from the API, and ends earlier', (schedules) => {
    const [before, after] = [simulateMorning(schedules, none, 420), simulateMorning(schedules, own, 340)]
    expect([before.taken, after.taken]).toEqual([420, 0])
    expect(after.minutes).toBeLessThan(before.minutes)
    // Fargate's own rate is the limit.
    expect(after.minutes).toBeLessThanOrEqual(Math.max(10, schedules / 20 / 60) + 1)
    // Events wait for at most six hours.
    expect(after.minutes).toBeLessThan(6 * 60)
  })
})
