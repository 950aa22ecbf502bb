import { maxMachineTasks, tasksSince, withTask } from '../../../domain/instance/machine-tasks.ts'

const arn = (id: string) => `arn:aws:ecs:us-east-1:000000000000:task/machines/${id}`

describe('the machines whose log can be read', () => {
  const tasks = withTask(withTask([], arn('first'), 1_000), arn('second'), 5_000)

  it('are kept newest first, each once, up to a limit', () => {
    expect(withTask(tasks, arn('second'), 9_000)).toEqual(tasks)
    expect(withTask(tasks, null, 9_000)).toEqual(tasks)
    const many = Array.from({ length: 20 }, (_, index) => String(index)).reduce(
      (all, id) => withTask(all, arn(id), 0),
      tasks,
    )
    expect(many).toHaveLength(maxMachineTasks)
    expect(many[0]?.id).toBe('19')
  })

  it('are those that may have written since the requested time, including one whose start was not noted', () => {
    expect(tasksSince({ tasks, taskArn: null }, 5_001, 9_000)).toEqual(['second'])
    expect(tasksSince({ tasks, taskArn: null }, 5_000, 9_000)).toEqual(['second', 'first'])
    expect(tasksSince({ tasks, taskArn: arn('third') }, 0, 9_000)).toEqual(['third', 'second', 'first'])
  })
})
