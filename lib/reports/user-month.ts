import { planById } from '../../domain/billing/plans.ts'
import { monthHours } from '../../domain/instance/awake-time.ts'
import { awsPrices } from './aws-prices.ts'
import { idleHour, invocationLogBytes, modelCallSeconds, modelCallStore, userMonth, wake } from './counts.ts'
import { memoryOf, type TemplateFacts } from './quotas.ts'
import { invocationsMicros, machineHourMicros, requestsMicros, waitingHourMicros, wakeMicros } from './unit-costs.ts'

const mib = 2 ** 20
const gib = 2 ** 30
const starter = planById('starter')

/** Our own cost of a machine's model call, µUSD, without the provider's price. */
export const modelCallMicros = (facts: TemplateFacts): number =>
  requestsMicros(1) +
  invocationsMicros(1, memoryOf(facts, 'llm'), modelCallSeconds * 1000) +
  modelCallStore.units * awsPrices.storeWriteUnit.micros

const invocations = (): number =>
  userMonth.awakeHours * idleHour.invocations + userMonth.wakes * wake.invocations + userMonth.modelCalls

/** µUSD of all flows of a user's machine, besides the rejected ones. */
export const acceptedFlowsMicros = (): number =>
  ((userMonth.awakeHours * userMonth.acceptedFlows * userMonth.flowBytes) / gib) * awsPrices.logGib.micros

/** µUSD of a user's name queries to a DNS firewall, which only a stage with blocked names has. */
export const nameQueriesMicros = userMonth.nameQueries * awsPrices.nameQuery.micros

/** µUSD by item, of an ordinary month of a user, without the provider and the card. */
export function userMonthMicros(facts: TemplateFacts): Record<string, number> {
  const month = userMonth
  const { micros: address } = awsPrices.publicIpv4Hour
  const machine =
    (1 - month.ordinaryShare) * machineHourMicros(starter, 'spare') +
    month.ordinaryShare * machineHourMicros(starter, 'ordinary')
  const rare = month.volumeGib * month.rareShare
  const logGib =
    (invocations() * invocationLogBytes) / gib +
    ((month.machineLogMib + month.nameLogMib + (month.rejectedLogMib * month.awakeHours) / monthHours) * mib) / gib
  return {
    machine: month.awakeHours * (machine - address),
    'public IPv4 address': month.awakeHours * address,
    'waiting: functions, store, connections': month.awakeHours * waitingHourMicros(),
    'model calls, without the provider': month.modelCalls * modelCallMicros(facts),
    wakes: month.wakes * wakeMicros(),
    'volume: storage':
      (month.volumeGib - rare) * awsPrices.efsGibMonth.micros + rare * awsPrices.efsRareGibMonth.micros,
    'volume: reads and writes':
      month.readGib * awsPrices.efsReadGib.micros +
      month.writtenGib * awsPrices.efsWriteGib.micros +
      rare * awsPrices.efsRareGib.micros,
    'volume: backups and restore points':
      month.volumeGib * (awsPrices.backupGibMonth.micros + 2 * awsPrices.s3GibMonth.micros),
    'tables: storage and continuous backups':
      month.storeGib * (awsPrices.storeGibMonth.micros + awsPrices.storeBackupGibMonth.micros),
    logs: logGib * awsPrices.logGib.micros,
    'data to the internet': month.outGib * awsPrices.outGib.micros,
    'messages over WebSockets': month.socketMessages * awsPrices.socketMessage.micros,
    CloudFront:
      month.edgeGib * awsPrices.edgeGib.micros +
      month.edgeRequests * (awsPrices.edgeRequest.micros + awsPrices.edgeFunction.micros),
    'e-mails': month.mails * awsPrices.mail.micros,
    'secrets and keys':
      invocations() * month.coldShare * month.secretsRead * awsPrices.secretRequest.micros +
      month.wakes * month.keyCalls * awsPrices.keyRequest.micros,
  }
}
