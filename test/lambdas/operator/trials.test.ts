import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { type Console, openConsole, reason } from './console.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('getTrials', () => {
  test('shows today’s granted amount and the budget', async () => {
    const { body } = await operators.asOperator('GET', '/operator/trials')
    const terms = { creditMicros: 250_000, hours: 24, budgetMicros: 10 ** 9 }
    expect(body.trials).toMatchObject({ ...terms, givenMicros: 0, begun: 0, open: true, stopped: null })
  })
})

describe('changeTrials', () => {
  test('stops trials at once with a reason, and resumes them', async () => {
    const act = async (action: string) =>
      (await operators.asOperator('POST', '/operator/trials', { action, reason })).body.trials
    expect(await act('stop')).toMatchObject({ open: false, stopped: reason })
    expect(await act('stop')).toMatchObject({ open: false, stopped: reason })
    expect(await act('resume')).toMatchObject({ open: true, stopped: null })
    const lines = (await operators.trail(operatorsTrail)).filter(({ operation }) => operation === 'changeTrials')
    expect(lines).toMatchObject([
      { record: 'trials', reason },
      { record: 'trials', reason },
    ])
  })
})
