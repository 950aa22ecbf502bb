import { readFile } from 'node:fs/promises'
import { readAllAfterMs } from '../../../agent/volume/take-restore-point.ts'
import { plans, trialPlan } from '../../../domain/billing/plans.ts'
import { awsPrices } from '../../../domain/costs/aws-prices.ts'
import { machineHourMicros, scheduledAwakeMs, scheduleMicros, scheduleMonth } from '../../../domain/costs/machine.ts'
import {
  fullReads,
  messagesMonthMicros,
  ordinaryHours,
  sumMicros,
  trialMicros,
  worstMonth,
} from '../../../domain/costs/worst-month.ts'
import { idleLimits } from '../../../domain/instance/idle.ts'
import { takesSpareCapacity } from '../../../domain/instance/machine.ts'
import { centsToMicros } from '../../../domain/money.ts'
import { pushLimits } from '../../../domain/notifications/device.ts'
import { dayMs, minuteMs } from '../../../domain/time.ts'

describe.each(plans.map((plan) => [plan.id, plan] as const))('the price of %s', (id, plan) => {
  test('covers its worst month: a machine that never sleeps on the capacity that its first start takes', () => {
    expect(takesSpareCapacity({ failedStarts: 0 })).toBe(true)
    expect(sumMicros(worstMonth(plan, 'spare'))).toBeLessThanOrEqual(centsToMicros(plan.priceCents))
  })

  test('covers as many messages, deliveries and pushes as each day of it may have', () => {
    const parts = worstMonth(plan, 'spare')
    const { storeWriteUnit } = awsPrices
    for (const [part, { aDay, bytesADay }] of Object.entries({
      messages: plan.messages,
      'deliveries to hooks': plan.hooks,
      'deliveries to webhook endpoints': plan.webhookEndpoints,
      pushes: pushLimits,
    })) {
      // Each is written at least twice, with its text.
      const least = 31 * 2 * (aDay + bytesADay / 1024) * storeWriteUnit.micros
      expect([part, (parts[part] ?? 0) > least]).toEqual([part, true])
    }
  })

  test('covers some hours on ordinary capacity, not a month of them', () => {
    expect(ordinaryHours(plan)).toBeGreaterThan(0)
    expect(ordinaryHours(plan)).toBeLessThan(100)
    expect(sumMicros(worstMonth(plan, 'ordinary'))).toBeGreaterThan(centsToMicros(plan.priceCents))
  })

  test('its most frequent schedule sleeps in between, or costs no more than a machine that never does', () => {
    const runs = (31 * 24 * 60) / plan.schedules.leastMinutes
    const month = scheduleMonth(runs)
    expect(month.awakeMinutes).toBeLessThanOrEqual(31 * 24 * 60)
    expect(scheduleMicros(month, id)).toBeLessThan(sumMicros(worstMonth(plan, 'spare')))
  })
})

test('a machine reads all of its volume as often as the worst month counts', () => {
  expect(Math.ceil((31 * dayMs) / readAllAfterMs)).toBe(fullReads)
})

test('a day of trial costs what its decision record says besides its credit', async () => {
  const record = await readFile('docs/adr/115-a-trial-is-one-transaction-out-of-a-days-budget.md', 'utf8')
  const dollars = (micros: number) => `$${(micros / 1e6).toFixed(2)}`
  expect(record).toContain(`${dollars(messagesMonthMicros(trialPlan))} for messages`)
  expect(record).toContain(`together ${dollars(trialMicros(24))}`)
})

test('a time of a schedule keeps a machine awake for less than a message does', () => {
  for (const { id } of plans) expect(scheduledAwakeMs).toBeLessThan(idleLimits(id).idleMs + 2 * minuteMs)
})

test('an hour of a machine is its vCPUs, its memory and its address', () => {
  const machine = { machine: { cpu: 512, memoryMiB: 3072, storageGiB: 1 } }
  const { fargateVcpuHour, fargateGibHour, publicIpv4Hour } = awsPrices
  const expected = fargateVcpuHour.micros / 2 + fargateGibHour.micros * 3 + publicIpv4Hour.micros
  expect(machineHourMicros(machine, 'ordinary')).toBeCloseTo(expected, 6)
})

test.each(Object.entries(awsPrices))('%s has its source and when it was seen', (_, { source, seen, micros }) => {
  expect(source).toMatch(
    /^https:\/\/([a-z]+\.)?(amazon|cloudfront)|^https:\/\/aws\.amazon\.com|^https:\/\/\w+\.cloudfront\.net/,
  )
  expect(seen).toMatch(/^20\d\d(-\d\d){0,2}$/)
  expect(micros).toBeGreaterThan(0)
})
