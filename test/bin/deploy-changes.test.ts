import { changesOf, describeChanges, isLoss } from '../../bin/deploy/changes.ts'
import { deployments } from '../lib/synthesis.ts'

const table = (key: string, more: object = {}) => ({
  Type: 'AWS::DynamoDB::Table',
  Properties: { KeySchema: [{ AttributeName: key, KeyType: 'HASH' }], ...more },
})
const topic = { Type: 'AWS::SNS::Topic', Properties: {} }
const template = (Resources: object) => ({ Resources })

test('a first deployment lists every resource as new, those with data first', async () => {
  const { state } = (await deployments()).bare.stacks
  const changes = changesOf({}, template(state))
  expect(new Set(changes.map(({ does }) => does))).toEqual(new Set(['add']))
  expect(changes.filter(isLoss)).toEqual([])
  const lines = describeChanges(changes)
  const [first, ...rest] = [lines.findIndex((line) => line.startsWith('  ')), ...lines.map((line) => line[0])]
  expect(first).toBeGreaterThan(10)
  expect(rest.slice(first)).not.toContain('!')
})

test('the same template changes nothing', async () => {
  const { state } = (await deployments()).bare.stacks
  expect(describeChanges(changesOf(template(state), template(state)))).toEqual(['nothing changes'])
})

test.each([
  ['another key replaces it', { Users: table('name') }, 'replace'],
  ['it is removed from the template', {}, 'delete'],
])('a table is deleted when %s', (_, after, does) => {
  const changes = changesOf(template({ Users: table('id') }), template(after))
  expect(changes).toEqual([{ id: 'Users', type: 'AWS::DynamoDB::Table', does }])
  expect(changes.filter(isLoss)).toHaveLength(1)
})

test('a retained table that the template no longer has is orphaned, which counts as a loss too', () => {
  const kept = { ...table('id'), DeletionPolicy: 'Retain' }
  const changes = changesOf(template({ Users: kept }), template({}))
  expect(changes.map(({ does }) => does)).toEqual(['leave behind'])
  expect(changes.filter(isLoss)).toHaveLength(1)
})

test('resources without data may be deleted, and a table may change in place', () => {
  const before = template({ Users: table('id'), Gone: topic, Other: topic })
  const changes = changesOf(before, template({ Users: table('id', { BillingMode: 'PAY_PER_REQUEST' }) }))
  expect(changes.filter(isLoss)).toEqual([])
  expect(describeChanges(changes)).toEqual(['! change AWS::DynamoDB::Table Users', '  delete AWS::SNS::Topic × 2'])
})
