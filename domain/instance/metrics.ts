import * as z from 'zod'
import { hourMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** A machine's measurements of itself. Sizes in bytes. */
export const measurement = z.strictObject({
  cpuPercent: z
    .number()
    .min(0)
    .max(100)
    .meta({ description: 'The share of the plan’s processor, over the last minute.' }),
  memoryBytes: z.int().min(0),
  memoryLimitBytes: z.int().min(0),
  diskBytes: z.int().min(0).meta({ description: 'Used on the volume.' }),
  uptimeSeconds: z.int().min(0).meta({ description: 'Since the machine started.' }),
})
export type Measurement = z.infer<typeof measurement>

export const sample = measurement.extend({ at: timestamp }).meta({ id: 'Sample' })
export type Sample = z.infer<typeof sample>

/** How far back samples are shown, and how long they are kept, ms. One a minute is kept: the latest. */
export const samplesShownMs = hourMs
export const samplesKeptMs = 2 * hourMs

/** Most samples of one report: those of an hour. */
export const maxSamples = 60
