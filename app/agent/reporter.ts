import type { Observation } from '../../domain/agent/observation.ts'

/** The machine that reports. */
export interface Reporter {
  userId: string
  instanceId: string
  generation: number
  /** ms since 1970. */
  now: number
}

export type Report<K extends Observation['kind']> = Extract<Observation, { kind: K }>
