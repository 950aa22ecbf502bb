import { operationLabel } from '../../dashboard/account/operation-label.ts'
import { accountTexts } from '../../dashboard/texts/account.ts'
import { areas } from '../../lambdas/areas.ts'

test('the activity page has words only for operations that leave an entry', () => {
  const operations = areas.flatMap((area) => area.operations)
  const noted = operations.filter(({ commits, audit }) => commits || audit).map(({ id }) => id)
  const byItsOwnCode = ['reportLeakedToken']
  expect([...noted, ...byItsOwnCode]).toEqual(expect.arrayContaining(Object.keys(accountTexts.operations)))
})

test.each([
  ['createLinkCode', 'Created link code'],
  ['savePersona', 'Saved persona'],
  ['replayWebhookDelivery', 'Replayed webhook delivery'],
  ['rerollHook', 'Replaced the secret of hook'],
  ['logout', 'Signed out'],
])('the activity page tells %s in the past tense', (id, label) => {
  expect(operationLabel(id)).toBe(label)
})
