import { writeFile } from 'node:fs/promises'
import { costReport } from '../lib/cost-report.ts'
import { factsOfTemplate } from '../lib/template-facts.ts'

/** Prints what the service costs, and writes docs/cost.md. */
const text = costReport(factsOfTemplate())
await writeFile(new URL('../docs/cost.md', import.meta.url), text)
console.log(text)
