import type { Plan } from '../../domain/billing/plans.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { billingTexts } from '../texts/billing.ts'

const words = billingTexts.plans

export const planContents = ({ machine, schedules, includedMicros }: Plan): string[] => [
  words.included(formatMicros(includedMicros)),
  words.machine(cores(machine.cpu), gib(machine.memoryMiB)),
  words.storage(machine.storageGiB),
  words.sleeps,
  words.schedules(schedules.most, schedules.leastMinutes),
]

/** CPU units are 1/1024 of a core. */
const cores = (units: number): number => units / 1024
const gib = (mebibytes: number): string => (mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`)
