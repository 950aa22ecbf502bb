import { type PlanLimits, trialPlan } from '../billing/plans.ts'
import { dayBytes, dayFiles, keptMs } from '../chat/attachment.ts'
import { messageLimits } from '../chat/message-limits.ts'
import { markupBasisPoints } from '../models/prices.ts'
import { centsToMicros } from '../money.ts'
import { dayMs } from '../time.ts'
import { awsPrices, cardFee } from './aws-prices.ts'
import { sentMessage } from './counts.ts'
import {
  type Capacity,
  functionMiB,
  invocationsMicros,
  machineHourMicros,
  monthHours,
  mostWakes,
  requestsMicros,
  waitingHourMicros,
  wakeMicros,
} from './machine.ts'

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

/** µUSD of the messages that people and their programs may send in a month on a plan: not in its worst month, for an answer costs its wallet more. */
export function messagesMonthMicros(plan: string): number {
  const { aDay, bytesADay } = messageLimits(plan)
  const units = aDay * sentMessage.units + (bytesADay / 1024) * sentMessage.unitsPerKib
  const requests = invocationsMicros(aDay, functionMiB) + requestsMicros(aDay)
  return (monthHours / 24) * (units * awsPrices.storeWriteUnit.micros + requests)
}

/**
 * µUSD of a trial at its worst, beside its credit: a machine that is awake for all its hours, its files for as long as they are
 * kept, and as many messages as it may send meanwhile.
 */
export const trialMicros = (hours: number): number =>
  hours * machineHourMicros(trialPlan, 'spare') +
  trialPlan.machine.storageGiB * awsPrices.efsGibMonth.micros +
  messagesMonthMicros(trialPlan.id)

export const sumMicros = (parts: Record<string, number>): number =>
  Math.ceil(Object.values(parts).reduce((sum, part) => sum + part, 0))

/** Hours of a never sleeping month that may be on ordinary capacity before the month costs more than the plan; 0 when none. */
export function ordinaryHours(plan: PlanLimits): number {
  const left = centsToMicros(plan.priceCents) - sumMicros(worstMonth(plan, 'spare'))
  const more = machineHourMicros(plan, 'ordinary') - machineHourMicros(plan, 'spare')
  return Math.max(0, Math.min(monthHours, Math.floor(left / more)))
}
