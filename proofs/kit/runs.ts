/** Recorded runs of proofs and benches, one file each in `bench/runs`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Inputs, root } from './inputs.ts'

export interface Run {
  /** The start of the run, ISO 8601 in UTC. */
  date: string
  commit: string
  seconds: number
  cores: number
  /** False for a measurement that missed one of its aims. */
  holds: boolean
  inputs: Inputs
  /** The texts that documents quote, by name; a text of several lines is a list of them. */
  quotes: Record<string, string | string[]>
}

const fileOf = (name: string): string => join(root, 'bench/runs', `${name.replaceAll(':', '-')}.json`)

export const readRun = (name: string): Run | undefined =>
  existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : undefined

export const writeRun = (name: string, run: Run): void =>
  writeFileSync(fileOf(name), `${JSON.stringify(run, null, 2)}\n`)
