import { type PlanLimits, trialPlan } from '../billing/plans.ts'
import { dayBytes, dayFiles, keptMs } from '../chat/attachment.ts'
import type { DayLimit } from '../day-limit.ts'
import { markupBasisPoints } from '../models/prices.ts'
import { centsToMicros } from '../money.ts'
import { pushLimits } from '../notifications/device.ts'
import { dayMs } from '../time.ts'
import { awsPrices, cardFee } from './aws-prices.ts'
import { hookDelivery, type KeptText, sentMessage, stoppedMessage, webhookDelivery } from './counts.ts'
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
/**
 * Whole volumes read a month to check restore points against them (`readAllAfterMs` of the machine's restore points).
 */
export const fullReads = 1

/**
 * The cost of a plan's worst month by item, µUSD: a machine that never sleeps, wakes on top of that, a full volume with
 * its backups and points, as many messages, deliveries and pushes as its daily limits allow, the providers' cost of the
 * included credit, and the card's fee. Not in it: what a machine writes to its log, to its volume and to the internet,
 * which no plan bounds.
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
    messages: messagesMonthMicros(plan),
    'deliveries to hooks': hookDeliveriesMonthMicros(plan),
    'deliveries to webhook endpoints': webhookDeliveriesMonthMicros(plan.webhookEndpoints),
    pushes: webhookDeliveriesMonthMicros(pushLimits),
    'included credit': (plan.includedMicros * 10_000) / (10_000 + markupBasisPoints),
    'card fee': (price * cardFee.basisPoints) / 10_000 + cardFee.micros,
  }
}

/** As many attachments each day as may be, kept for a month. */
function attachmentsMonthMicros({ machine }: PlanLimits): number {
  const gibKept = ((keptMs / dayMs + 1) * dayBytes(machine.storageGiB)) / 1024 ** 3
  return gibKept * awsPrices.s3GibMonth.micros + monthDays * dayFiles * awsPrices.s3Put.micros
}

const monthDays = monthHours / 24

/** µUSD of capacity units of the store. */
const unitsMicros = (reads: number, writes: number): number =>
  reads * awsPrices.storeReadUnit.micros + writes * awsPrices.storeWriteUnit.micros

/** µUSD of a request and its function. */
const requestMicros = (): number => requestsMicros(1) + invocationsMicros(1, functionMiB)

/**
 * µUSD of a text that an agent is asked, until its prompt has ended without a model call: of the prompt, and of each
 * KiB of its text.
 */
const promptMicros = ({ reads, writes, writesPerKib }: KeptText) => ({
  each: 2 * requestMicros() + unitsMicros(reads + stoppedMessage.reads, writes + stoppedMessage.writes),
  eachKib: unitsMicros(stoppedMessage.readsPerKib, writesPerKib + stoppedMessage.writesPerKib),
})

const dayMicros = ({ aDay, bytesADay }: DayLimit, { each, eachKib }: { each: number; eachKib: number }): number =>
  aDay * each + (bytesADay / 1024) * eachKib

/**
 * µUSD of the messages that people and their programs may send in a month on a plan, and of keeping those of the month.
 */
export function messagesMonthMicros({ messages }: PlanLimits): number {
  const gibKept = (monthDays * messages.bytesADay) / 1024 ** 3
  return monthDays * dayMicros(messages, promptMicros(sentMessage)) + gibKept * awsPrices.storeGibMonth.micros
}

/** µUSD of a delivery of `bytes` to a hook, beside a wake and model calls. */
export const hookDeliveryMicros = (bytes: number): number =>
  dayMicros({ aDay: 1, bytesADay: bytes }, promptMicros(hookDelivery))

const hookDeliveriesMonthMicros = ({ hooks }: PlanLimits): number =>
  monthDays * dayMicros(hooks, promptMicros(hookDelivery))

const webhookMicros = () => ({
  each:
    invocationsMicros(webhookDelivery.invocations, functionMiB) +
    webhookDelivery.busEvents * awsPrices.busEvent.micros +
    unitsMicros(webhookDelivery.reads, webhookDelivery.writes),
  eachKib: unitsMicros(0, webhookDelivery.writesPerKib),
})

/** µUSD of a delivery of an ordinary size to a webhook endpoint that takes it at once. */
export const webhookDeliveryMicros = (): number => webhookMicros().each

const webhookDeliveriesMonthMicros = (limit: DayLimit): number => monthDays * dayMicros(limit, webhookMicros())

/**
 * µUSD of a trial at its worst, beside its credit: a machine that is awake for all its hours, its files for as long as
 * they are kept, and as many messages as it may send meanwhile.
 */
export const trialMicros = (hours: number): number =>
  hours * machineHourMicros(trialPlan, 'spare') +
  trialPlan.machine.storageGiB * awsPrices.efsGibMonth.micros +
  messagesMonthMicros(trialPlan)

export const sumMicros = (parts: Record<string, number>): number =>
  Math.ceil(Object.values(parts).reduce((sum, part) => sum + part, 0))

/**
 * Hours of a never sleeping month that may be on ordinary capacity before the month costs more than the plan; 0 when
 * none.
 */
export function ordinaryHours(plan: PlanLimits): number {
  const left = centsToMicros(plan.priceCents) - sumMicros(worstMonth(plan, 'spare'))
  const more = machineHourMicros(plan, 'ordinary') - machineHourMicros(plan, 'spare')
  return Math.max(0, Math.min(monthHours, Math.floor(left / more)))
}
