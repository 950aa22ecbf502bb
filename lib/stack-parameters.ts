/** Parameters of the service's stack that every deployment gives it. */

/** Which release it is: 16 hexadecimal digits of its content. */
export const releaseParameter = 'Release'

/** How calls go over to it; only where a stage keeps its data. */
export const shiftParameter = 'Shift'
export type Shift = 'canary' | 'at-once'
