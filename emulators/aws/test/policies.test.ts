import { decide, grantsOf, isConditional, readPolicy } from '../policies.ts'

const policy = (...Statement: object[]) => readPolicy({ Version: '2012-10-17', Statement }, 'a test')
const allow = (Action: string | string[], Resource: string | string[], Condition = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  Condition,
})
const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/things'
const may = (statement: object, action: string, resource: string, context = {}) =>
  decide([policy(statement)], { action, resource, context }).allowed

describe('a policy', () => {
  test.each<[string, object, string, string, boolean]>([
    ['allows its own actions', allow('dynamodb:GetItem', table), 'dynamodb:GetItem', table, true],
    ['no other action', allow('dynamodb:GetItem', table), 'dynamodb:PutItem', table, false],
    ['no other resource', allow('dynamodb:GetItem', table), 'dynamodb:GetItem', `${table}s`, false],
    ['no index of a table', allow('dynamodb:Query', table), 'dynamodb:Query', `${table}/index/due`, false],
    ['actions in any case', allow('DynamoDB:getitem', table), 'dynamodb:GetItem', table, true],
    ['wildcards in actions', allow('s3:Get*', '*'), 's3:GetObject', 'arn:aws:s3:::b/k', true],
    ['wildcards in resources', allow('s3:GetObject', 'arn:aws:s3:::b/*'), 's3:GetObject', 'arn:aws:s3:::b/a/b', true],
    ['`?` for one character', allow('s3:GetObject', 'arn:aws:s3:::b/?'), 's3:GetObject', 'arn:aws:s3:::b/ab', false],
    ['a dot is a dot', allow('s3:GetObject', 'arn:aws:s3:::b.c/k'), 's3:GetObject', 'arn:aws:s3:::bxc/k', false],
    ['no wildcard over an ARN’s parts', allow('a:B', 'arn:aws:a:*:role/x'), 'a:B', 'arn:aws:a:r:1:role/x', false],
    ['several statements', allow(['a:B', 'a:C'], ['x', 'y']), 'a:C', 'y', true],
  ])('%s', (_, statement, action, resource, expected) => {
    expect(may(statement, action, resource)).toBe(expected)
  })

  test.each<[string, object, Record<string, string>, boolean]>([
    ['StringEquals', { StringEquals: { 'ses:FromAddress': 'a@b' } }, { 'ses:FromAddress': 'a@b' }, true],
    [
      'StringEquals, in another case',
      { StringEquals: { 'ses:FromAddress': 'a@b' } },
      { 'ses:FromAddress': 'A@b' },
      false,
    ],
    ['a key that the request lacks', { StringEquals: { 'ses:FromAddress': 'a@b' } }, {}, false],
    [
      'any of several values',
      { StringEquals: { 'ecs:CreateAction': ['RunTask', 'X'] } },
      { 'ecs:CreateAction': 'X' },
      true,
    ],
    ['StringLike', { StringLike: { 's3:prefix': ['a/*'] } }, { 's3:prefix': 'a/b' }, true],
    ['StringLike with another value', { StringLike: { 's3:prefix': ['a/*'] } }, { 's3:prefix': 'b/a/' }, false],
    [
      'ArnEquals',
      { ArnEquals: { 'ecs:cluster': 'arn:aws:ecs:r:1:cluster/c' } },
      { 'ecs:cluster': 'arn:aws:ecs:r:1:cluster/c' },
      true,
    ],
    [
      'ArnLike',
      { ArnLike: { 'aws:SourceArn': 'arn:aws:ecs:r:1:*' } },
      { 'aws:SourceArn': 'arn:aws:ecs:r:1:task/x' },
      true,
    ],
    ['Bool', { Bool: { 'aws:SecureTransport': 'true' } }, { 'aws:SecureTransport': 'false' }, false],
    ['Null, for a present key', { Null: { 'aws:ResourceTag/stage': 'true' } }, { 'aws:ResourceTag/stage': 'x' }, false],
    ['Null, for a missing key', { Null: { 'aws:ResourceTag/stage': 'true' } }, {}, true],
    [
      'all conditions must hold',
      { StringEquals: { 'aws:RequestTag/stage': 'x', 'ecs:CreateAction': 'RunTask' } },
      { 'aws:RequestTag/stage': 'x' },
      false,
    ],
  ])('on a condition: %s', (_, condition, context, expected) => {
    expect(may(allow('a:B', '*', condition), 'a:B', 'x', context)).toBe(expected)
  })

  test('denies before it allows, and names the deciding statement', () => {
    const deny = { Effect: 'Deny', Action: 'a:B', Resource: 'arn:aws:a:::x' }
    const policies = [policy(allow('a:*', '*')), policy(deny)]
    expect(decide(policies, { action: 'a:B', resource: 'arn:aws:a:::y' })).toEqual({
      allowed: true,
      by: { action: 'a:*', resource: '*' },
    })
    expect(decide(policies, { action: 'a:B', resource: 'arn:aws:a:::x' })).toMatchObject({ why: /explicit deny/ })
    expect(decide([], { action: 'a:B', resource: 'x' })).toMatchObject({
      why: /no identity-based policy allows the a:B/,
    })
  })

  test.each<[string, object]>([
    ['an unknown operator', allow('a:B', '*', { StringNotEquals: { 's3:prefix': 'a' } })],
    ['a set operator', allow('a:B', '*', { 'ForAllValues:StringEquals': { 's3:prefix': 'a' } })],
    ['a key that no request has', allow('a:B', '*', { StringEquals: { 'dynamodb:LeadingKeys': 'a' } })],
    ['NotAction', { Effect: 'Allow', NotAction: 'a:B', Resource: '*' }],
    ['NotResource', { Effect: 'Deny', Action: 'a:B', NotResource: 'x' }],
    ['another effect', { Effect: 'Perhaps', Action: 'a:B', Resource: '*' }],
  ])('with %s is refused when it is read, by the name of its owner', (_, statement) => {
    expect(() => policy(statement)).toThrow('policy of a test')
  })

  test('lists its grants, and marks those with a condition', () => {
    const given = policy(allow(['a:B', 'a:C'], 'x'), allow('a:D', 'y', { StringEquals: { 's3:prefix': 'p' } }))
    expect(grantsOf([given])).toEqual([
      { action: 'a:B', resource: 'x' },
      { action: 'a:C', resource: 'x' },
      { action: 'a:D', resource: 'y' },
    ])
    expect(isConditional([given], { action: 'a:B', resource: 'x' })).toBe(false)
    expect(isConditional([given], { action: 'a:D', resource: 'y' })).toBe(true)
  })
})
