import { rateLimited } from './errors.ts'
import { dayMs, secondMs } from './time.ts'

export interface DayLimit {
  aDay: number
  bytesADay: number
}

const megabytes = (bytes: number): number => bytes / 1_000_000

/** @param those such as `hooks take` */
export const fullDay = (those: string, { aDay, bytesADay }: DayLimit, nowMs: number) =>
  rateLimited(
    Math.ceil((dayMs - (nowMs % dayMs)) / secondMs),
    `An account's ${those} ${aDay} deliveries or ${megabytes(bytesADay)} MB in a day at most. Try again after 00:00 UTC.`,
  )
