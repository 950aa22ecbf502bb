import type { Area } from './kit/operation.ts'
import { publicArea } from './public/index.ts'

/** Every area of the service: one Lambda each. */
export const areas: readonly Area[] = [publicArea]

export const operations = areas.flatMap((area) => area.operations)
