import { writeFileSync } from 'node:fs'

/** A program's report to `npm run prove`, which records its run. */
export interface Report {
  holds: boolean
  quotes: Record<string, string | number>
}

/**
 * A program calls this once, at its end, with the texts and numbers that documents quote, by name. `npm run prove`
 * records the run; a program that is started in another way, or only in part, records nothing.
 * @param name the program's name in `proofs/proofs.ts`
 * @param holds false for a measurement that missed an aim: it is recorded all the same, and `--stale` names it
 */
export function recordRun(name: string, quotes: Report['quotes'] = {}, holds = true): void {
  const { BERTH_RUN_REPORT, BERTH_RUN_NAME } = process.env
  if (!BERTH_RUN_REPORT) return
  if (BERTH_RUN_NAME !== name) throw new Error(`${BERTH_RUN_NAME} records its run as ${name}`)
  const report: Report = { holds, quotes }
  writeFileSync(BERTH_RUN_REPORT, JSON.stringify(report))
}
