import { readFile } from 'node:fs/promises'
import { readAllAfterMs } from '../../../agent/volume/take-restore-point.ts'
import { plans, trialPlan } from '../../../domain/billing/plans.ts'
import { awakeHourMicros, scheduledAwakeMs, scheduleMonth } from '../../../domain/instance/awake-time.ts'
import { idleLimits } from '../../../domain/instance/idle.ts'
import { takesSpareCapacity } from '../../../domain/instance/machine.ts'
import { centsToMicros } from '../../../domain/money.ts'
import { pushLimits } from '../../../domain/notifications/device.ts'
import { dayMs, minuteMs } from '../../../domain/time.ts'
import { awsPrices } from '../../../lib/reports/aws-prices.ts'
import { machineHourMicros, scheduleMicros } from '../../../lib/reports/unit-costs.ts'
import {
  fullReads,
  messagesMonthMicros,
  ordinaryHours,
  sumMicros,
  worstMonth,
} from '../../../lib/reports/worst-month.ts'

describe.each(plans.map((plan) => [plan.id, plan] as const))('the price of plan %s', (id, plan) => {
  test('covers its worst month: a machine that never sleeps, on the capacity of its first start', () => {
    expect(takesSpareCapacity({ failedStarts: 0 })).toBe(true)
    expect(sumMicros(worstMonth(plan, 'spare'))).toBeLessThanOrEqual(centsToMicros(plan.priceCents))
  })

  test('covers the maximum of messages, deliveries and pushes every day', () => {
    const parts = worstMonth(plan, 'spare')
    const { storeWriteUnit } = awsPrices
    for (const [part, { aDay, bytesADay }] of Object.entries({
      messages: plan.messages,
      'deliveries to hooks': plan.hooks,
      'deliveries to webhook endpoints': plan.webhookEndpoints,
      pushes: pushLimits,
    })) {
      // Each message is written at least twice with its text.
      const least = 31 * 2 * (aDay + bytesADay / 1024) * storeWriteUnit.micros
      expect([part, (parts[part] ?? 0) > least]).toEqual([part, true])
    }
  })

  test('covers some hours on ordinary capacity, but not a month of them', () => {
    expect(ordinaryHours(plan)).toBeGreaterThan(0)
    expect(ordinaryHours(plan)).toBeLessThan(100)
    expect(sumMicros(worstMonth(plan, 'ordinary'))).toBeGreaterThan(centsToMicros(plan.priceCents))
  })

  test('covers its most frequent schedule: the machine sleeps in between, or costs no more than one that never does', () => {
    const runs = (31 * 24 * 60) / plan.schedules.leastMinutes
    const month = scheduleMonth(runs)
    expect(month.awakeMinutes).toBeLessThanOrEqual(31 * 24 * 60)
    expect(scheduleMicros(month, id)).toBeLessThan(sumMicros(worstMonth(plan, 'spare')))
  })
})

test('the worst month counts as many full reads of a volume as a machine makes', () => {
  expect(Math.ceil((31 * dayMs) / readAllAfterMs)).toBe(fullReads)
})

test('a day of trial costs the amount in its decision record besides its credit', async () => {
  const record = await readFile('docs/adr/115-a-trial-is-one-transaction-out-of-a-days-budget.md', 'utf8')
  const dayMicros =
    24 * machineHourMicros(trialPlan, 'spare') +
    trialPlan.machine.storageGiB * awsPrices.efsGibMonth.micros +
    messagesMonthMicros(trialPlan)
  const dollars = (micros: number) => `$${(micros / 1e6).toFixed(2)}`
  expect(record).toContain(`${dollars(messagesMonthMicros(trialPlan))} for messages`)
  expect(record).toContain(`together ${dollars(dayMicros)}`)
})

test('a scheduled run keeps a machine awake for less time than a message', () => {
  for (const { id } of plans) expect(scheduledAwakeMs).toBeLessThan(idleLimits(id).idleMs + 2 * minuteMs)
})

test('the awake hour that a schedule’s owner sees follows from AWS’s prices', () => {
  for (const plan of [trialPlan, ...plans])
    expect(awakeHourMicros[plan.id]).toBe(Math.ceil(machineHourMicros(plan, 'spare')))
})

test('the price of a machine hour is its vCPUs, memory and address', () => {
  const machine = { machine: { cpu: 512, memoryMiB: 3072, storageGiB: 1 } }
  const { fargateVcpuHour, fargateGibHour, publicIpv4Hour } = awsPrices
  const expected = fargateVcpuHour.micros / 2 + fargateGibHour.micros * 3 + publicIpv4Hour.micros
  expect(machineHourMicros(machine, 'ordinary')).toBeCloseTo(expected, 6)
})

test.each(Object.entries(awsPrices))('the price of %s has a source and a date', (_, { source, seen, micros }) => {
  expect(source).toMatch(
    /^https:\/\/([a-z]+\.)?(amazon|cloudfront)|^https:\/\/aws\.amazon\.com|^https:\/\/\w+\.cloudfront\.net/,
  )
  expect(seen).toMatch(/^20\d\d(-\d\d){0,2}$/)
  expect(micros).toBeGreaterThan(0)
})
