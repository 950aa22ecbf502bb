/**
 * The reference agent does the tasks of test/agent/evaluation: with a script in both formats, which costs nothing, and
 * with a real model for each key in the environment. ANTHROPIC_API_KEY with ANTHROPIC_BASE_URL, OPENAI_API_KEY with
 * OPENAI_BASE_URL, and BERTH_EVALUATION_MODEL select the model, as `provider/model` in the price list. Commands that a
 * real model writes run only in a container (BERTH_CONTAINER=1); without a container, tasks that need commands are
 * skipped.
 */
import { costMicros, inputTokensOf, noUsage, pricesFor, type Usage } from '../domain/models/cost.ts'
import { pricesOf } from '../domain/models/prices.ts'
import { type Model, type Result, runTask, type Task } from '../test/agent/evaluation/run.ts'
import { tasks } from '../test/agent/evaluation/tasks.ts'
import { recordRun } from './kit/record.ts'

const { env } = process
const wanted = env.BERTH_EVALUATION_MODEL

const withoutProvider = (name: string): string => name.replace(/^(anthropic|openai)\//, '')
const baseOf = (given: string | undefined, usual: string): string => (given ?? usual).replace(/\/+(v1\/*)?$/, '')

function realModels(): Model[] {
  const runsCommands = env.BERTH_CONTAINER === '1'
  const models: Model[] = []
  const isClaude = wanted === undefined || /claude/i.test(wanted)
  if (env.ANTHROPIC_API_KEY && isClaude) {
    const name = wanted ?? 'anthropic/claude-sonnet-4-6'
    const baseUrl = baseOf(env.ANTHROPIC_BASE_URL, 'https://api.anthropic.com')
    const headers = { 'x-api-key': env.ANTHROPIC_API_KEY }
    models.push({ name, runsCommands, upstream: { baseUrl, headers, model: withoutProvider(name) } })
  }
  if (env.OPENAI_API_KEY && (wanted === undefined || !isClaude)) {
    const name = wanted ?? 'openai/gpt-5-mini'
    const baseUrl = baseOf(env.OPENAI_BASE_URL, 'https://api.openai.com')
    const headers = { authorization: `Bearer ${env.OPENAI_API_KEY}` }
    models.push({ name, runsCommands, upstream: { baseUrl, headers, model: withoutProvider(name) } })
  }
  return models
}

/** Dollars by the price list, with the markup that users pay; null for a model without a price. */
function dollarsOf(name: string, usage: Usage, calls: number): number | null {
  const prices = pricesOf(name)
  if (!prices) return null
  const aCall = inputTokensOf(usage) / Math.max(calls, 1)
  return costMicros(usage, pricesFor(prices, aCall)) / 1e6
}

const show = (dollars: number | null): string => (dollars === null ? 'no price' : `$${dollars.toFixed(4)}`)

function report(name: string, task: Task, { wrong, calls, usage, ms }: Result): void {
  const input = inputTokensOf(usage)
  const cached = input > 0 ? Math.round((usage.cachedInput / input) * 100) : 0
  const facts = [`${calls} calls`, `${input} tokens in, ${cached} % cached`, `${usage.output} out`]
  const cost = show(dollarsOf(name, usage, calls))
  console.log(`${wrong.length === 0 ? 'ok    ' : 'FAILED'} ${task.name}: ${[...facts, cost, `${ms} ms`].join(', ')}`)
  for (const said of wrong) console.log(`       ${said}`)
}

/** @returns the number of failed tasks */
async function evaluate(model: Model): Promise<number> {
  const isReal = model.upstream !== undefined
  const chosen = tasks.filter(({ scripted, commands }) => !(isReal && scripted) && !(commands && !model.runsCommands))
  console.log(`\n${model.name}, ${isReal ? `at ${model.upstream?.baseUrl}` : 'on a script'}: ${chosen.length} tasks`)
  const total = { failed: 0, calls: 0, dollars: 0, usage: { ...noUsage } }
  for (const task of chosen) {
    const result = await runTask(task, model)
    report(model.name, task, result)
    if (result.wrong.length > 0) total.failed++
    total.calls += result.calls
    total.dollars += dollarsOf(model.name, result.usage, result.calls) ?? 0
    for (const key of ['input', 'cachedInput', 'cacheWrite', 'output'] as const) total.usage[key] += result.usage[key]
  }
  const { cachedInput, output } = total.usage
  const share = Math.round((cachedInput / Math.max(inputTokensOf(total.usage), 1)) * 100)
  console.log(
    `${chosen.length - total.failed} of ${chosen.length} tasks done; ${total.calls} calls, ${inputTokensOf(total.usage)} tokens in ` +
      `(${share} % cached), ${output} out, ${show(total.dollars)}, ${show(total.dollars / chosen.length)} a task` +
      (isReal ? '' : ', if a provider counted four characters a token'),
  )
  return total.failed
}

const played: Model[] = ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4-6'].map((name) => ({
  name,
  runsCommands: true,
}))
const real = realModels()
let failed = 0
for (const model of [...played, ...real]) failed += await evaluate(model)
if (real.length === 0) console.log('\nNo real model was asked: neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set.')
if (failed === 0) recordRun('agent-tasks', { tasks: tasks.length })
process.exitCode = failed > 0 ? 1 : 0
