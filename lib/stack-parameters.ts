/** Parameters of the service's stack that every deployment sets. */

/** The release: 16 hexadecimal digits of a hash of its content. */
export const releaseParameter = 'Release'

/** The shift of calls to the new release; only for stages that keep their data. */
export const shiftParameter = 'Shift'
export type Shift = 'canary' | 'at-once'
