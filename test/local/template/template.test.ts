import { invokedBy } from '../../../local/functions/invoked.ts'
import type { Json, JsonObject } from '../../../local/template/json.ts'
import { asObject } from '../../../local/template/json.ts'
import { readTemplate } from '../../../local/template/template.ts'
import { lambda, writeAssembly } from '../assembly.ts'

const table = { Type: 'AWS::DynamoDB::GlobalTable', Properties: { KeySchema: [] } }

/** The variables of one function, in a template that also contains `rest`. */
function resolved(variables: JsonObject, rest: JsonObject = {}, resources: JsonObject = {}): JsonObject {
  const folder = writeAssembly({ S: { resources: { Fn: lambda('one', variables), ...resources }, rest } }, { one: '' })
  const [fn] = readTemplate(folder, { Given: 'given' }).ofType('AWS::Lambda::Function')
  return asObject(asObject(fn?.properties.Environment).Variables)
}

describe('intrinsics', () => {
  test('Ref and Fn::GetAtt return names and ARNs that follow from logical ids alone', () => {
    const variables = {
      NAME: { Ref: 'T' },
      ARN: { 'Fn::GetAtt': ['T', 'Arn'] },
      STREAM: { 'Fn::GetAtt': ['T', 'StreamArn'] },
      FS: { Ref: 'Fs' },
    }
    const resources = { T: table, Fs: { Type: 'AWS::EFS::FileSystem' } }
    const first = resolved(variables, {}, resources)
    expect(first).toEqual(resolved(variables, {}, resources))
    expect(first).toMatchObject({ NAME: 'S-T', ARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/S-T' })
    expect(first.STREAM).toMatch(/^arn:aws:dynamodb:.*:table\/S-T\/stream\//)
    expect(first.FS).toMatch(/^fs-[0-9a-f]{17}$/)
  })

  test('functions on texts are evaluated', () => {
    const variables: Record<string, Json> = {
      JOIN: { 'Fn::Join': ['-', ['a', { Ref: 'AWS::Region' }, { 'Fn::Select': [1, { 'Fn::Split': [',', 'x,y'] }] }]] },
      SUB: { 'Fn::Sub': '$' + '{AWS::Partition}/$' + '{T.Arn}/$' + '{!Literal}' },
      SUB2: { 'Fn::Sub': ['$' + '{a}+$' + '{AWS::AccountId}', { a: { Ref: 'T' } }] },
      B64: { 'Fn::Base64': 'hi' },
    }
    expect(resolved(variables, {}, { T: table })).toEqual({
      JOIN: 'a-us-east-1-y',
      SUB: 'aws/arn:aws:dynamodb:us-east-1:000000000000:table/S-T/$' + '{Literal}',
      SUB2: 'S-T+000000000000',
      B64: 'aGk=',
    })
  })

  test('conditions, mappings and parameters are evaluated, and AWS::NoValue removes a property', () => {
    const rest = {
      Parameters: { Given: { Type: 'String', Default: 'no' }, Default: { Type: 'String', Default: 'default' } },
      Mappings: { Map: { 'us-east-1': { cell: '7' } } },
      Conditions: {
        IsGiven: { 'Fn::Equals': [{ Ref: 'Given' }, 'given'] },
        Never: { 'Fn::Not': [{ Condition: 'IsGiven' }] },
      },
    }
    const variables = {
      A: { 'Fn::If': ['IsGiven', 'yes', 'no'] },
      B: { 'Fn::If': ['Never', 'yes', { Ref: 'AWS::NoValue' }] },
      C: { 'Fn::FindInMap': ['Map', { Ref: 'AWS::Region' }, 'cell'] },
      D: { Ref: 'Default' },
    }
    expect(resolved(variables, rest)).toEqual({ A: 'yes', C: '7', D: 'default' })
    const off = { Type: 'AWS::DynamoDB::Table', Condition: 'Never' }
    const folder = writeAssembly({ S: { resources: { Off: off, On: table }, rest } })
    expect(readTemplate(folder, { Given: 'given' }).resources.map(({ logicalId }) => logicalId)).toEqual(['On'])
  })

  test.each([
    ['an unknown intrinsic', { 'Fn::Magic': [] }, 'Fn::Magic'],
    ['a Ref to nothing', { Ref: 'Ghost' }, 'S/Ghost'],
  ])('%s is an error that names it', (_, value, named) => {
    expect(() => resolved({ A: value })).toThrow(named)
  })
})

test('stacks are read after the stacks that they depend on, and read their SSM parameters', () => {
  const published = {
    Type: 'AWS::SSM::Parameter',
    Properties: { Name: '/table', Value: { 'Fn::GetAtt': ['T', 'Arn'] } },
  }
  const reading = {
    resources: { Fn: lambda('one', { TABLE: { Ref: 'Table' } }) },
    rest: { Parameters: { Table: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/table' } } },
  }
  expect(() => readTemplate(writeAssembly({ Service: reading }, { one: '' }))).toThrow('the SSM parameter /table')
  const folder = writeAssembly(
    { Service: { ...reading, dependsOn: ['State'] }, State: { resources: { T: table, P: published } } },
    { one: '' },
  )
  const template = readTemplate(folder)
  expect(template.resources.map(({ stack }) => stack)).toEqual(['State', 'Service'])
  expect(template.ofType('AWS::Lambda::Function')[0]?.properties.Environment).toEqual({
    Variables: { TABLE: 'arn:aws:dynamodb:us-east-1:000000000000:table/State-T' },
  })
  expect(template.assetFolder('one.zip')).toBe(`${folder}/asset.one`)
})

test('an unlisted type is an error that names it; a cloud-only type is left out with its reason', () => {
  expect(() => readTemplate(writeAssembly({ S: { resources: { Q: { Type: 'AWS::Kinesis::Stream' } } } }))).toThrow(
    'AWS::Kinesis::Stream (S/Q)',
  )
  const folder = writeAssembly({
    S: { resources: { A: { Type: 'AWS::CloudWatch::Alarm', Properties: { X: { 'Fn::Magic': 1 } } } } },
  })
  const template = readTemplate(folder)
  expect(template.resources).toEqual([])
  expect(template.cloudOnly.get('AWS::CloudWatch::Alarm')).toMatch(/metrics/)
})

test('an alias is treated as its function, by its name and by its ARN', () => {
  const alias = {
    Type: 'AWS::Lambda::Alias',
    Properties: { FunctionName: { Ref: 'Fn' }, FunctionVersion: { 'Fn::GetAtt': ['V', 'Version'] }, Name: 'live' },
  }
  const version = { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Fn' } } }
  const resources = { Fn: lambda('one', { SELF: { Ref: 'A' } }), V: version, A: alias }
  const template = readTemplate(writeAssembly({ S: { resources } }, { one: '' }))
  const [fn] = template.ofType('AWS::Lambda::Function')
  const arn = `${fn?.arn}:live`
  expect(fn?.properties.Environment).toEqual({ Variables: { SELF: arn } })
  for (const named of [arn, 'S-Fn:live']) expect(invokedBy(template, named)).toEqual({ arn, fn })
  for (const named of [fn?.arn ?? '', 'S-Fn']) expect(invokedBy(template, named)).toEqual({ arn: fn?.arn, fn })
  expect(invokedBy(template, 'S-Fn:old')).toBeUndefined()
})
