/** The runner's own log: one line each, with the time in ISO 8601 UTC. */
import { appendFileSync } from 'node:fs'

export function openLog(path: string): (line: string) => void {
  return (line) => appendFileSync(path, `${new Date().toISOString()} ${line}\n`)
}
