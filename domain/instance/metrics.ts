import * as z from 'zod'
import { hourMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** Sizes in bytes. */
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

/** One sample a minute is kept. */
export const samplesShownMs = hourMs
export const samplesKeptMs = 2 * hourMs

export const maxSamples = 60
