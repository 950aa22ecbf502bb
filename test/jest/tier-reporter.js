import { tier } from '../counts.ts'
import { counted, done, left } from './tiers.ts'

const says = {
  few: `BERTH_TIER=full npm test runs ${left.length} more suites, and ${counted.length} of these suites with more cases.`,
  full: `npm test runs the other ${done.length} suites.`,
  nightly: 'These were all suites, with all cases.',
}

/** Prints at the end of a run what the other tiers add. */
export default class {
  onRunComplete() {
    process.stderr.write(`\n${says[tier]}\n`)
  }
}
