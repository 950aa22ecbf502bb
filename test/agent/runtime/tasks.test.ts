import { full } from '../../counts.ts'
import { runTask } from '../evaluation/run.ts'
import { tasks } from '../evaluation/tasks.ts'

// The format of the service's own models, and Claude's; outside the full tier each task runs in one of them.
const models = ['local/echo', 'anthropic/claude-sonnet-4-6']

describe.each(models)('the reference agent, with %s', (name) => {
  const chosen = tasks.filter((_, i) => full || models[i % 2] === name)
  it.each(chosen.map((task) => [task.name, task] as const))('%s', async (_, task) => {
    expect((await runTask(task, { name, runsCommands: true })).wrong).toEqual([])
  })
})
