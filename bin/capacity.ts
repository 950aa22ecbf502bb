import { writeFile } from 'node:fs/promises'
import { capacityReport } from '../lib/reports/capacity-report.ts'
import { factsOfTemplate } from '../lib/reports/template-facts.ts'

/** Prints the first limits for these numbers of users. Without arguments it also writes docs/capacity.md. */
const users = process.argv.slice(2).map(Number)
if (users.some((count) => !Number.isSafeInteger(count) || count < 1)) {
  console.error('Give whole numbers of users, such as: npm run capacity -- 100 1000 10000')
  process.exitCode = 1
} else {
  const text = users.length > 0 ? capacityReport(factsOfTemplate(), users) : capacityReport(factsOfTemplate())
  if (users.length === 0) await writeFile(new URL('../docs/capacity.md', import.meta.url), text)
  console.log(text)
}
