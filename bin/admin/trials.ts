import { trialBudget } from '../../adapters/dynamo/trial/trial-budget.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { iso } from '../../domain/time.ts'
import { type Command, reasonOf, UsageError } from './command.ts'

export const trials: Command = {
  usage: [
    ['trials show', 'show today’s trials (UTC)'],
    ['trials stop --reason <text>', 'start no more trials; trials resume allows them again'],
  ],
  async run(context, [verb]) {
    const budget = trialBudget(context.env)
    if (verb === 'stop') {
      const stopped = await budget.stop(reasonOf(context), iso(Date.now()))
      console.log(stopped ? 'Trials are stopped.' : 'Trials were already stopped.')
    } else if (verb === 'resume') {
      console.log((await budget.resume()) ? 'Trials are allowed again.' : 'Trials were not stopped.')
    } else if (verb !== 'show') throw new UsageError()
    const day = await budget.day(Date.now())
    const state = day.stopped === null ? 'not stopped' : `stopped (${day.stopped})`
    console.log(`Today ${day.trials} trials got ${formatMicros(day.givenMicros)}; trials are ${state}.`)
    return 0
  },
}
