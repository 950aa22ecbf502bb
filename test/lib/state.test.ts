import { type TableShape, tables } from '../../adapters/dynamo/tables.ts'
import { secrets } from '../../adapters/registry.ts'
import { sideTables } from '../../bin/drill/side-tables.ts'
import { at, deployments, type Synthesis, statementsOf } from './synthesis.ts'

let production: Synthesis
let bare: Synthesis
let staging: Synthesis

beforeAll(async () => {
  ;({ production, bare, staging } = await deployments())
})

interface Attribute {
  AttributeName: string
  AttributeType: string
}
const attributesOf = (table: unknown) => at(table, 'AttributeDefinitions') as Attribute[] // safe because every table has keys

const textOf = (value: unknown) => JSON.stringify(value)

describe('tables', () => {
  test.each(Object.entries<TableShape>(tables))('%s matches the domain’s description', (name, shape) => {
    const found = production
      .ofType('AWS::DynamoDB::Table')
      .find(([id]) => id.startsWith(`Tables${name}`))?.[1].Properties
    expect(found).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    })
    const keys = [{ AttributeName: shape.partition, KeyType: 'HASH' }]
    if (shape.sort) keys.push({ AttributeName: shape.sort, KeyType: 'RANGE' })
    expect(found?.KeySchema).toEqual(keys)
    expect(found?.TimeToLiveSpecification).toEqual(shape.ttl && { AttributeName: 'ttl', Enabled: true })
    const indexes = Object.entries(shape.indexes ?? {}).map(([IndexName, { partition, sort }]) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partition, KeyType: 'HASH' },
        { AttributeName: sort, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    }))
    expect(found?.GlobalSecondaryIndexes ?? []).toEqual(indexes)
    const types = Object.fromEntries(
      Object.values(shape.indexes ?? {}).map(({ sort, sortType }) => [sort, sortType === 'number' ? 'N' : 'S']),
    )
    for (const attribute of attributesOf(found))
      expect([attribute.AttributeName, attribute.AttributeType]).toEqual([
        attribute.AttributeName,
        types[attribute.AttributeName] ?? 'S',
      ])
  })

  test('are each found by the restore drill by logical id, and restored under a name that no stage’s table has', () => {
    const state = production
      .ofType('AWS::DynamoDB::Table')
      .map(([id, { Type }]) => ({ id, type: Type, name: `of ${id}` }))
    const found = sideTables('prod', state)
    expect(found.map(({ table, source }) => [table, source.replace(/[0-9A-F]{8}$/, '')])).toEqual(
      Object.keys(tables).map((name) => [name, `of Tables${name}`]),
    )
    for (const { target } of found) expect(target).not.toMatch(/^berth-[a-z0-9-]+-(state|service)-/)
    expect(() => sideTables('prod', state.slice(1))).toThrow('has no table')
  })

  test('include no others', () => {
    expect(production.ofType('AWS::DynamoDB::Table')).toHaveLength(Object.keys(tables).length)
  })
})

describe('secrets', () => {
  test('are one for each name, and the template contains no true value', () => {
    const found = production.ofType('AWS::SecretsManager::Secret').map(([, { Properties }]) => Properties)
    const byName = Object.fromEntries(found.map((secret) => [String(secret.Description).split(': ').at(-1), secret]))
    expect(Object.keys(byName).sort()).toEqual(Object.keys(secrets).sort())
    expect(JSON.parse(String(byName.stripe?.SecretString))).toEqual({ secretKey: '', webhookSecrets: [] })
    expect(JSON.parse(String(byName.providers?.SecretString))).toEqual({})
    expect(byName['machine-token-keys']?.GenerateSecretString).toMatchObject({
      GenerateStringKey: 'current',
      PasswordLength: 64,
      ExcludePunctuation: true,
    })
  })
})

describe('the network', () => {
  test('lets nobody in, and machines out to HTTP, HTTPS and their volumes only', () => {
    expect(production.ofType('AWS::EC2::NatGateway')).toEqual([])
    const groups = production.ofType('AWS::EC2::SecurityGroup')
    // The groups of machines, of volumes, and of the listener at Discord.
    expect(groups).toHaveLength(3)
    for (const [, { Properties }] of groups) expect(Properties.SecurityGroupIngress).toBeUndefined()
    const machines = groups.find(([id]) => id.includes('Machines'))
    expect(machines?.[1].Properties.SecurityGroupEgress).toEqual([
      { CidrIp: '0.0.0.0/0', Description: 'HTTP', FromPort: 80, IpProtocol: 'tcp', ToPort: 80 },
      { CidrIp: '0.0.0.0/0', Description: 'HTTPS', FromPort: 443, IpProtocol: 'tcp', ToPort: 443 },
    ])
    const out = production.ofType('AWS::EC2::SecurityGroupEgress').map(([, { Properties }]) => Properties)
    expect(out).toMatchObject([{ FromPort: 2049, ToPort: 2049, IpProtocol: 'tcp' }])
    const inward = production.ofType('AWS::EC2::SecurityGroupIngress').map(([, { Properties }]) => Properties)
    expect(inward).toMatchObject([{ FromPort: 2049, ToPort: 2049, IpProtocol: 'tcp' }])
    expect(textOf(inward[0]?.SourceSecurityGroupId)).toContain('Machines')
  })

  test('is in two zones, those that the stage names or the first two', async () => {
    const zonesOf = (synthesis: Synthesis) =>
      synthesis
        .ofType('AWS::EC2::Subnet')
        .map(([, { Properties }]) => [Properties.AvailabilityZoneId, Properties.AvailabilityZone])
    expect(zonesOf((await deployments()).staging)).toEqual([
      ['euc1-az1', undefined],
      ['euc1-az3', undefined],
    ])
    expect(zonesOf(bare)).toEqual([0, 1].map((i) => [undefined, { 'Fn::Select': [i, { 'Fn::GetAZs': '' }] }]))
  })

  test('keeps flow logs and DNS logs for three months', () => {
    const [[, flows] = []] = production.ofType('AWS::EC2::FlowLog')
    expect(flows?.Properties).toMatchObject({ ResourceType: 'VPC', TrafficType: 'REJECT' })
    const [[, all] = []] = staging.ofType('AWS::EC2::FlowLog')
    expect(all?.Properties.TrafficType).toBe('ALL')
    expect(textOf(flows?.Properties.LogFormat)).toMatch(/\$\{interface-id\}.*\$\{ecs-task-id\}/)
    const logs = production.ofType('AWS::Logs::LogGroup').filter(([id]) => id.includes('Egress'))
    expect(logs.map(([, { Properties, DeletionPolicy }]) => [Properties.RetentionInDays, DeletionPolicy])).toEqual([
      [90, 'RetainExceptOnCreate'],
      [90, 'RetainExceptOnCreate'],
    ])
    const [[, names] = []] = production.ofType('AWS::Route53Resolver::ResolverQueryLoggingConfigAssociation')
    const [vpc] = production.ofType('AWS::EC2::VPC')[0] ?? []
    expect(names?.Properties.ResourceId).toEqual({ Ref: vpc })
    expect(flows?.Properties.ResourceId).toEqual({ Ref: vpc })
  })

  test('resolves no name that the stage’s file blocks, nor names below it, and blocks nothing else', () => {
    expect(bare.ofType('AWS::Route53Resolver::FirewallRuleGroup')).toEqual([])
    const [[own, list] = []] = production.ofType('AWS::Route53Resolver::FirewallDomainList')
    expect(list?.Properties.Domains).toEqual(['evil.example', '*.evil.example'])
    const [[group, rules] = []] = production.ofType('AWS::Route53Resolver::FirewallRuleGroup')
    const block = { Action: 'BLOCK', BlockResponse: 'NXDOMAIN' }
    expect(rules?.Properties.FirewallRules).toEqual([
      { ...block, Priority: 1, FirewallDomainListId: { 'Fn::GetAtt': [own, 'Id'] } },
      { ...block, Priority: 2, FirewallDomainListId: 'rslvr-fdl-0123456789abcdef' },
    ])
    const [[, used] = []] = production.ofType('AWS::Route53Resolver::FirewallRuleGroupAssociation')
    expect(used?.Properties.FirewallRuleGroupId).toEqual({ 'Fn::GetAtt': [group, 'Id'] })
  })

  test('reaches S3 and DynamoDB without leaving AWS', () => {
    const names = production.ofType('AWS::EC2::VPCEndpoint').map(([, { Properties }]) => textOf(Properties.ServiceName))
    expect(names.map((name) => /\.(s3|dynamodb)"/.exec(name)?.[1]).sort()).toEqual(['dynamodb', 's3'])
  })
})

describe('volumes', () => {
  const properties = () => production.ofType('AWS::EFS::FileSystem')[0]?.[1].Properties

  test('are encrypted, in every zone, and cheap when idle', () => {
    expect(properties()).toMatchObject({ Encrypted: true, ThroughputMode: 'elastic' })
    expect(properties()?.AvailabilityZoneName).toBeUndefined()
    expect(textOf(properties()?.LifecyclePolicies)).toContain('TransitionToIA')
    expect(production.ofType('AWS::EFS::MountTarget')).toHaveLength(2)
  })

  test('refuse a mount without an access point, without TLS, or as root, and grant nothing by default', () => {
    const statements = statementsOf(properties()?.FileSystemPolicy)
    expect(statements.map(({ effect }) => effect)).toEqual(['Deny', 'Deny', 'Deny'])
    expect(statements.map(({ conditions }) => conditions)).toEqual([
      { Null: { 'elasticfilesystem:AccessPointArn': 'true' } },
      { Bool: { 'aws:SecureTransport': 'false' } },
      undefined,
    ])
    expect(statements.map(({ actions }) => actions)).toEqual([
      ['elasticfilesystem:ClientMount'],
      ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'],
      ['elasticfilesystem:ClientRootAccess'],
    ])
    const principals = at(properties()?.FileSystemPolicy, 'Statement') as { Principal: unknown }[] // safe because statementsOf read the same list
    for (const { Principal } of principals) expect(Principal).toEqual({ AWS: '*' })
  })
})
