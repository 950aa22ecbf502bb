import { tier } from '../counts.ts'
import { slowSuites, suitesOfNpmTestOnly, suitesWithCounts } from './tiers.ts'

const says = {
  few: `BERTH_TIER=full npm test runs ${slowSuites.length} more suites, and ${suitesWithCounts.length} of these suites with more cases.`,
  full: `npm test runs the other ${suitesOfNpmTestOnly.length} suites.`,
  nightly: 'These were all suites, with all cases.',
}

/** Prints at the end of a run what the other tiers add. */
export default class {
  onRunComplete() {
    process.stderr.write(`\n${says[tier]}\n`)
  }
}
