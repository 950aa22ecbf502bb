import { trialBudget } from '../../adapters/dynamo/trial/trial-budget.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { iso } from '../../domain/time.ts'
import { type Command, reasonOf, UsageError } from './command.ts'

export const trials: Command = {
  usage: [
    ['trials show', 'what trials were given today (UTC)'],
    ['trials stop --reason <text>', 'no trial begins from now on; trials resume takes it back'],
  ],
  async run(context, [verb]) {
    const budget = trialBudget(context.env)
    if (verb === 'stop') {
      const stopped = await budget.stop(reasonOf(context), iso(Date.now()))
      console.log(stopped ? 'Stopped.' : 'They were stopped before.')
    } else if (verb === 'resume') {
      console.log((await budget.resume()) ? 'They go on.' : 'Nobody had stopped them.')
    } else if (verb !== 'show') throw new UsageError()
    const day = await budget.day(Date.now())
    const state = day.stopped === null ? 'not stopped' : `stopped (${day.stopped})`
    console.log(`Today ${day.trials} trials were given ${formatMicros(day.givenMicros)}; trials are ${state}.`)
    return 0
  },
}
