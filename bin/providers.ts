import { readProvidersFile } from '../adapters/models/providers-file.ts'

/**
 * `npm run providers -- <file>`: checks a file in the form of the `providers` secret. Prints the faults and exits with
 * 1, or prints each listed model with its price in µUSD per million tokens.
 */
const [file] = process.argv.slice(2)
const { models, faults } = readProvidersFile(file ?? 0)

for (const fault of faults) console.log(fault)
if (faults.length > 0) process.exitCode = 1
else for (const { id, prices } of models) console.log(`${id}: input ${prices.input}, output ${prices.output}`)
