import { actText, knownActs } from '../../dashboard/texts/operator-acts.ts'
import { areas } from '../../lambdas/areas.ts'

const recorded = areas
  .flatMap(({ operations }) => operations)
  .filter(({ commits, audit }) => commits || audit)
  .map(({ id }) => id)

test('every operation in an audit trail has words for operators', () => {
  expect(recorded.filter((id) => !knownActs.includes(id))).toEqual([])
})

test('an operation of a later release is shown by its id, in words', () => {
  expect([actText('pauseEverything'), actText('admin.some.act')]).toEqual(['Pause everything', 'Admin some act'])
})
