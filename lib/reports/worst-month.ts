import type { PlanLimits } from '../../domain/billing/plans.ts'
import { dayBytes, dayFiles, keptMs } from '../../domain/chat/attachment.ts'
import type { DayLimit } from '../../domain/day-limit.ts'
import { monthHours } from '../../domain/instance/awake-time.ts'
import { markupBasisPoints } from '../../domain/models/prices.ts'
import { centsToMicros } from '../../domain/money.ts'
import { pushLimits } from '../../domain/notifications/device.ts'
import { dayMs } from '../../domain/time.ts'
import { awsPrices, cardFee } from './aws-prices.ts'
import { hookDelivery, type KeptText, sentMessage, stoppedMessage, webhookDelivery } from './counts.ts'
import {
  type Capacity,
  functionMiB,
  invocationsMicros,
  machineHourMicros,
  mostWakes,
  requestsMicros,
  waitingHourMicros,
  wakeMicros,
} from './unit-costs.ts'

/** S3 holds at most this many volumes of the plan as restore points. */
const pointVolumes = 2
/**
 * Whole volumes read a month to check restore points against them (`readAllAfterMs` of the machine's restore points).
 */
export const fullReads = 1

/**
 * µUSD by item: a machine that never sleeps, wakes besides, a full volume with its backups and points, the daily limits
 * of messages, deliveries and pushes, the providers' cost of the included credit, and the card's fee. Without the
 * machine's logs, volume writes and internet traffic, which no plan bounds.
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

/** The daily limit of attachments, kept for a month. */
function attachmentsMonthMicros({ machine }: PlanLimits): number {
  const gibKept = ((keptMs / dayMs + 1) * dayBytes(machine.storageGiB)) / 1024 ** 3
  return gibKept * awsPrices.s3GibMonth.micros + monthDays * dayFiles * awsPrices.s3Put.micros
}

const monthDays = monthHours / 24

const unitsMicros = (reads: number, writes: number): number =>
  reads * awsPrices.storeReadUnit.micros + writes * awsPrices.storeWriteUnit.micros

const requestMicros = (): number => requestsMicros(1) + invocationsMicros(1, functionMiB)

/** µUSD of a prompt that ends without a model call, and of each KiB of its text. */
const promptMicros = ({ reads, writes, writesPerKib }: KeptText) => ({
  each: 2 * requestMicros() + unitsMicros(reads + stoppedMessage.reads, writes + stoppedMessage.writes),
  eachKib: unitsMicros(stoppedMessage.readsPerKib, writesPerKib + stoppedMessage.writesPerKib),
})

const dayMicros = ({ aDay, bytesADay }: DayLimit, { each, eachKib }: { each: number; eachKib: number }): number =>
  aDay * each + (bytesADay / 1024) * eachKib

/** µUSD of a month's messages of people and programs at the plan's limits, and of keeping them. */
export function messagesMonthMicros({ messages }: PlanLimits): number {
  const gibKept = (monthDays * messages.bytesADay) / 1024 ** 3
  return monthDays * dayMicros(messages, promptMicros(sentMessage)) + gibKept * awsPrices.storeGibMonth.micros
}

/** Without a wake and model calls. */
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

export const sumMicros = (parts: Record<string, number>): number =>
  Math.ceil(Object.values(parts).reduce((sum, part) => sum + part, 0))

/** Hours of ordinary capacity after which a never sleeping month costs more than its plan; 0 when none. */
export function ordinaryHours(plan: PlanLimits): number {
  const left = centsToMicros(plan.priceCents) - sumMicros(worstMonth(plan, 'spare'))
  const more = machineHourMicros(plan, 'ordinary') - machineHourMicros(plan, 'spare')
  return Math.max(0, Math.min(monthHours, Math.floor(left / more)))
}
