import { writeFile } from 'node:fs/promises'
import { costReport } from '../lib/reports/cost-report.ts'
import { factsOfTemplate } from '../lib/reports/template-facts.ts'

/** Writes docs/cost.md and prints it. */
const text = costReport(factsOfTemplate())
await writeFile(new URL('../docs/cost.md', import.meta.url), text)
console.log(text)
