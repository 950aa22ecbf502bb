import { writeFile } from 'node:fs/promises'
import { costReport } from '../lib/reports/cost-report.ts'
import { factsOfTemplate } from '../lib/reports/template-facts.ts'

const text = costReport(factsOfTemplate())
await writeFile(new URL('../docs/cost.md', import.meta.url), text)
console.log(text)
