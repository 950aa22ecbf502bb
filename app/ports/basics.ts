import type { AlarmName, MeasureName } from '../../domain/alarms.ts'
import type { Prefix } from '../../domain/ids.ts'

export interface Clock {
  now(): number
  sleep(ms: number): Promise<void>
}

export interface Ids {
  next(prefix: Prefix): string
  random(alphabet: string, length: number): string
}

/** Log lines that are also metrics. */
export interface Alarms {
  /** Notifies the operators; `facts` must not contain secrets. */
  raise(name: AlarmName, value: number, facts: Record<string, string | number>): void
  /** `facts` are logged next to the metric; they are not its dimensions. */
  measure(name: MeasureName, value: number, dimensions?: Record<string, string>, facts?: Record<string, string>): void
}

/** Facts of the stage, from the template's environment. */
export interface Settings {
  stage: string
  production: boolean
  /** The origin that cookies and redirects belong to. */
  publicOrigin: string
  /** Two characters that name this cell in every token. */
  cell: string
  imageVersion: string
  /** `INFO` logs a line for each request and job, `ERROR` only failures. */
  logLevel: 'INFO' | 'ERROR'
}

/** Ports that every operation has. */
export interface Basics {
  clock: Clock
  ids: Ids
  settings: Settings
  alarms: Alarms
}
