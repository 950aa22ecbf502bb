import { type Plan, planById } from '../../domain/billing/plans.ts'
import { monthHours, type ScheduleMonth, scheduledAwakeMs } from '../../domain/instance/awake-time.ts'
import { hourMs } from '../../domain/time.ts'
import { awsPrices } from './aws-prices.ts'
import { idleConnections, idleHour, invocationMs, wake } from './counts.ts'

/** `spare` costs a third and may be taken back. */
export type Capacity = 'spare' | 'ordinary'

/** µUSD of an hour of a machine with its address. */
export function machineHourMicros({ machine }: Pick<Plan, 'machine'>, capacity: Capacity): number {
  const { fargateVcpuHour, fargateGibHour, spotVcpuHour, spotGibHour, publicIpv4Hour } = awsPrices
  const [vcpu, gib] = capacity === 'spare' ? [spotVcpuHour, spotGibHour] : [fargateVcpuHour, fargateGibHour]
  return (machine.cpu / 1024) * vcpu.micros + (machine.memoryMiB / 1024) * gib.micros + publicIpv4Hour.micros
}

export const invocationsMicros = (count: number, memoryMiB: number, ms = invocationMs): number =>
  count * (awsPrices.lambdaRequest.micros + (memoryMiB / 1024) * (ms / 1000) * awsPrices.lambdaGibSecond.micros)

/** µUSD of requests to the API, without their functions. */
export const requestsMicros = (count: number): number =>
  count * (awsPrices.restRequest.micros + awsPrices.firewallRequest.micros)

export const functionMiB = 512

/** µUSD of an hour in which a machine and its dashboard wait: functions, store and connections, without the machine. */
export const waitingHourMicros = (): number =>
  invocationsMicros(idleHour.invocations, functionMiB) +
  requestsMicros(idleHour.invocations) +
  idleHour.storeRequests * awsPrices.storeWriteUnit.micros +
  idleConnections * 60 * awsPrices.socketMinute.micros

/** µUSD of a wake and the sleep after it, without the machine. */
export const wakeMicros = (): number =>
  invocationsMicros(wake.invocations, functionMiB) +
  requestsMicros(wake.apiRequests) +
  wake.storeRequests * awsPrices.storeWriteUnit.micros +
  wake.busEvents * awsPrices.busEvent.micros +
  awsPrices.timerEvent.micros

/** µUSD a month, rounded up: the awake machine and the wakes. */
export const scheduleMicros = ({ runs, awakeMinutes }: ScheduleMonth, plan: string): number =>
  Math.ceil((awakeMinutes / 60) * machineHourMicros(planById(plan), 'spare') + runs * wakeMicros())

/** Wakes of the worst month: one as soon as the machine sleeps again, as far as the plan's schedules allow. */
export function mostWakes({ schedules }: Pick<Plan, 'schedules'>): number {
  const awake = Math.floor((monthHours * hourMs) / scheduledAwakeMs)
  return Math.min(awake, Math.floor((schedules.most * monthHours * 60) / schedules.leastMinutes))
}
