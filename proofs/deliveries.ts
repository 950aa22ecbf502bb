/**
 * A million deliveries of chat platforms, fuzzed: people's messages and agents' answers pass through the service's own
 * code over a store in memory, whose behaviour a contract test compares with the real store. bench/channels.md quotes
 * it. `SEED` and `DELIVERIES` change the run, which is then only printed.
 */
import { type ManyResult, runEpisodes } from '../test/app/channels/simulation/many.ts'
import { recordRun } from './kit/record.ts'

const { SEED, DELIVERIES } = process.env

const grouped = (count: number | undefined): string => String(count ?? 0).replace(/\B(?=(\d{3})+$)/g, ' ')

function reportOf({ counts, episodes, mistakes }: ManyResult, seed: number, seconds: number): string {
  const of = (...names: string[]) => names.map((name) => grouped(counts[name])).join(', ')
  return `${grouped(counts.deliveries)} requests to webhooks in ${grouped(episodes)} episodes
from seed ${seed}, ${Math.round(seconds)} s of processor time. **${mistakes.length === 0 ? 'Everything held.' : `${mistakes.length} did not hold.`}**

| what happened | times |
|---|---|
| runs of functions; crashes before or after a write; failures of the store | ${of('runs', 'crashes', 'faults')} |
| calls of platforms; accepted | ${of('calls', 'accepted')} |
| of these refused with 429, unavailable, accepted with the answer lost, slower than 5 s | ${of('limited', 'unavailable', 'lost', 'slow')} |
| calls about one message while its platform had asked another message of the chat to wait | ${of('early')} |
| messages of people that were kept; prompts of agents; strangers' lines that went along | ${of('messages', 'prompts', 'contextLines')} |
| ignored with a reason; failed after all tries | ${of('ignored', 'failedInbound')} |
| replies; prompts that ended without one; questions | ${of('replies', 'ended', 'questions')} |
| outgoing messages sent; of these lines of the service; parts; files | ${of('sent', 'lines', 'parts', 'files')} |
| outgoing messages that failed after all tries; failed deliveries that were replayed | ${of('failedOutgoing', 'replayed')} |
| messages left behind; moments at which one may be: a crash or a lost answer between acceptance and our write | ${of('orphans', 'orphansAllowed')} |
${mistakes.map((mistake) => `- ${mistake}\n`).join('')}`
}

const seed = Number(SEED ?? 20_261_123)
const began = process.cpuUsage()
const result = await runEpisodes(Number(DELIVERIES ?? 1_000_000), seed, {
  progress: (made) => console.log(`  ${grouped(made)} deliveries`),
})
const { user, system } = process.cpuUsage(began)
const report = reportOf(result, seed, (user + system) / 1e6)
console.log(report)
if (!SEED && !DELIVERIES) recordRun('deliveries', { report }, result.mistakes.length === 0)
for (const mistake of result.mistakes) console.log(mistake)
process.exitCode = result.mistakes.length === 0 ? 0 : 1
