import { accountTexts } from '../../dashboard/texts/account.ts'
import { areas } from '../../lambdas/areas.ts'

test('the activity page has words only for operations that leave an entry', () => {
  const operations = areas.flatMap((area) => area.operations)
  const noted = operations.filter(({ commits, audit }) => commits || audit).map(({ id }) => id)
  const byItsOwnCode = ['reportLeakedToken']
  expect([...noted, ...byItsOwnCode]).toEqual(expect.arrayContaining(Object.keys(accountTexts.operations)))
})
