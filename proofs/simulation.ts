/**
 * Model calls of users who disconnect, refresh, pause and delete their accounts at any time, through the unchanged
 * proxy, to providers that record their own bills. bench/simulation.md quotes it.
 * `SEED`, `CALLS` and `USERS` change the run, which is then only printed: `CALLS=100000` takes an hour.
 */
import { type Fate, fates } from '../test/lambdas/llm/simulation/call.ts'
import type { FateSum, SimulationResult } from '../test/lambdas/llm/simulation/result.ts'
import { simulate } from '../test/lambdas/llm/simulation/simulation.ts'
import { recordRun } from './kit/record.ts'

const { SEED, CALLS, USERS } = process.env

const dollars = (micros: number): string => (micros / 1e6).toFixed(6)
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ' ')

function rowOf([fate, sum]: [string, FateSum]): string {
  const cells = [
    fates[fate as Fate], // safe because the result has these names
    grouped(sum.calls),
    dollars(sum.costMicros),
    dollars(sum.billedMicros),
    dollars(sum.billedMicros - sum.costMicros),
    dollars(sum.unpaidMicros),
    dollars(sum.unseenMicros),
  ]
  return `| ${cells.join(' | ')} |`
}

/** The difference between all counted calls together and their observed usage. */
function countedApart({ cut, broken }: SimulationResult['fates']): string {
  const seen = cut.costMicros - cut.unseenMicros + broken.costMicros - broken.unseenMicros
  return percent((cut.billedMicros + broken.billedMicros) / seen - 1)
}

function reportOf(result: SimulationResult, seconds: number): string {
  const { happened, closed, mistakes } = result
  const most = [result.fates.cut, result.fates.broken]
  return `Seed ${result.seed}: ${grouped(result.admitted)} calls with money held, ${grouped(result.calls)} asked for, ${result.virtualMinutes} minutes of the users' time in ${Math.round(seconds / 60)} minutes.
**${mistakes.length === 0 ? 'Everything held.' : `${mistakes.length} did not hold.`}** Dollars, at our prices:

| calls | number | the provider's cost | billed | difference | bills of failed calls | of the cost: never sent |
|---|---|---|---|---|---|---|
${Object.entries(result.fates).map(rowOf).join('\n')}

"Never sent" is what a provider made and nobody saw: reasoning before it was cut, documents that did not come. It is not billed, since nobody can count it.
Counted calls were together ${countedApart(result.fates)} off what was seen of them, a single one at most ${percent(Math.max(...most.map(({ mostBelow }) => mostBelow)))} below and ${percent(Math.max(...most.map(({ mostAbove }) => mostAbove)))} above
(prompts of a few words, where the JSON around them counts more than they do).

| what happened meanwhile | times |
|---|---|
| refreshes, pauses | ${grouped(happened.refreshes)}, ${grouped(happened.pauses)} |
| accounts deleted; with a subscription told later | ${grouped(happened.deletions)}; ${grouped(happened.lateStarts)} |
| clients that left | ${grouped(happened.leavings)} |
| calls with a token of a generation that was gone | ${grouped(happened.dead)} |
| calls whose store failed; for good | ${grouped(happened.faults)}; ${grouped(happened.expired)} |
| calls of closed accounts, begun after their end or open 15 s later | ${grouped(closed.calls)}, for ${dollars(closed.micros)} |
${mistakes.length > 0 ? `\nThis did not hold:\n\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}\n` : ''}`
}

const began = performance.now()
const secondsSoFar = () => (performance.now() - began) / 1_000
const result = await simulate({
  seed: Number(SEED ?? 20_261_122),
  calls: Number(CALLS ?? 25_000),
  users: Number(USERS ?? 250),
  changesAnHour: 28,
  closedAccountsBuyNothing: true,
  progress: (admitted) => console.log(`  ${admitted} calls, ${Math.round(admitted / secondsSoFar())} a second`),
})
const report = reportOf(result, secondsSoFar())
console.log(report)
if (!SEED && !CALLS && !USERS) recordRun('simulation', { users: result.users, report }, result.mistakes.length === 0)
for (const mistake of result.mistakes) console.log(mistake)
console.log(result.mistakes.length === 0 ? 'Everything held.' : `${result.mistakes.length} did not hold.`)
process.exit(result.mistakes.length === 0 ? 0 : 1)
