import type { PlanLimits } from '../billing/plans.ts'
import { dayBytes, dayFiles, keptMs } from '../chat/attachment.ts'
import { markupBasisPoints } from '../models/prices.ts'
import { centsToMicros } from '../money.ts'
import { dayMs } from '../time.ts'
import { awsPrices, cardFee } from './aws-prices.ts'
import { type Capacity, machineHourMicros, monthHours, mostWakes, waitingHourMicros, wakeMicros } from './machine.ts'

/** Bytes of restore points that a volume may have in S3, in volumes of the plan. */
const pointVolumes = 2
/** Whole volumes read a month to check restore points against them: one a week. */
const fullReads = 5

/**
 * What a plan costs in its worst month, µUSD by what it is for: a machine that never sleeps, wakes on top of that, a full
 * volume with its backups and points, what providers take for the included credit, and the card's fee. Not in it: what a machine
 * writes to its log, to its volume and to the internet, which no plan bounds.
 */
export function worstMonth(plan: PlanLimits, capacity: Capacity): Record<string, number> {
  const gib = plan.machine.storageGiB
  const price = centsToMicros(plan.priceCents)
  return {
    machine: monthHours * machineHourMicros(plan, capacity),
    waiting: monthHours * waitingHourMicros(),
    wakes: mostWakes(plan) * wakeMicros(),
    volume: gib * awsPrices.efsGibMonth.micros,
    backups: gib * awsPrices.backupGibMonth.micros,
    'restore points': gib * (pointVolumes * awsPrices.s3GibMonth.micros + fullReads * awsPrices.efsReadGib.micros),
    attachments: attachmentsMonthMicros(plan),
    'included credit': (plan.includedMicros * 10_000) / (10_000 + markupBasisPoints),
    'card fee': (price * cardFee.basisPoints) / 10_000 + cardFee.micros,
  }
}

/** As many attachments each day as may be, kept for a month. */
function attachmentsMonthMicros({ machine }: PlanLimits): number {
  const gibKept = ((keptMs / dayMs + 1) * dayBytes(machine.storageGiB)) / 1024 ** 3
  return gibKept * awsPrices.s3GibMonth.micros + (monthHours / 24) * dayFiles * awsPrices.s3Put.micros
}

export const sumMicros = (parts: Record<string, number>): number =>
  Math.ceil(Object.values(parts).reduce((sum, part) => sum + part, 0))

/** Hours of a never sleeping month that may be on ordinary capacity before the month costs more than the plan; 0 when none. */
export function ordinaryHours(plan: PlanLimits): number {
  const left = centsToMicros(plan.priceCents) - sumMicros(worstMonth(plan, 'spare'))
  const more = machineHourMicros(plan, 'ordinary') - machineHourMicros(plan, 'spare')
  return Math.max(0, Math.min(monthHours, Math.floor(left / more)))
}
