import { readFileSync } from 'node:fs'
import { whatIsWrong } from '../adapters/aws/secrets.ts'
import { newProvidersSecret, operatorModels } from '../adapters/models/upstream.ts'

/**
 * `npm run providers -- <file>`: what the service would read in a `providers` secret. Prints what is wrong with it and
 * exits with 1, or each model that it lists with its price, in µUSD per million tokens.
 */
const [file] = process.argv.slice(2)
const wrong: string[] = []
const offered: string[] = []

const read = newProvidersSecret.safeParse(readJson())
if (!read.success) wrong.push(...whatIsWrong(read.error))
else
  for (const [name, upstream] of Object.entries(read.data)) {
    const models = operatorModels(name, upstream)
    for (const { id, prices } of models) offered.push(`${id}: input ${prices.input}, output ${prices.output}`)
    for (const [index, { id }] of (upstream.models ?? []).entries())
      if (!models.some(({ upstreamModel }) => upstreamModel === id))
        wrong.push(`${name}.models.${index} (${id} has no price: give prices above zero, or "free": true)`)
  }

function readJson(): unknown {
  try {
    return JSON.parse(readFileSync(file ?? 0, 'utf8'))
  } catch (error) {
    wrong.push(error instanceof SyntaxError ? 'the whole (this is not JSON)' : String(error))
    return {}
  }
}

for (const line of wrong.length > 0 ? wrong : offered) console.log(line)
if (wrong.length > 0) process.exitCode = 1
