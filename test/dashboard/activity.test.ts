import { accountTexts } from '../../dashboard/texts/account.ts'
import { areas } from '../../lambdas/areas.ts'

/** Operators' actions that concern no user: only their own trail has them. */
const operatorsOwn = [
  'broadcastNotice',
  'changeRollout',
  'changeTrials',
  'checkBooks',
  'listOperatorsTrail',
  'withdrawNotice',
]

test('the activity page has words for each operation that leaves an entry, and for no other', () => {
  const operations = areas.flatMap((area) => area.operations)
  const noted = operations.filter(({ commits, audit }) => commits || audit).map(({ id }) => id)
  const byItsOwnCode = ['eraseAccount', 'reportLeakedToken']
  const told = [...noted.filter((id) => !operatorsOwn.includes(id)), ...byItsOwnCode]
  expect(Object.keys(accountTexts.operations).sort()).toEqual(told.sort())
})
