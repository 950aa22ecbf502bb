import { areas } from '../../../lambdas/areas.ts'
import { at, deployments, local, type Resource, type Synthesis } from '../synthesis.ts'

let production: Synthesis
let laptop: Synthesis

beforeAll(async () => {
  ;[{ production }, laptop] = await Promise.all([deployments(), local()])
})

const textOf = (value: unknown) => JSON.stringify(value)
const ofArea = ({ ofType }: Synthesis, type: string, name: string) => {
  const [id] =
    ofType('AWS::Lambda::Function').find(([, { Properties }]) => String(Properties.FunctionName).endsWith(name)) ?? []
  return ofType(type).filter(([, { Properties }]) => at(Properties.FunctionName, 'Ref') === id)
}
const releaseOf = ({ outputs }: Synthesis) => String(at(outputs.service.Release, 'Value'))
const groups = () => production.ofType('AWS::CodeDeploy::DeploymentGroup')
const resourceOf = (id: unknown): Resource | undefined => production.stacks.service[String(id)]

describe('a function', () => {
  test.each(areas.map(({ name }) => name))(
    'such as %s is called by its alias, which points to the version that a release publishes',
    (name) => {
      for (const synthesis of [production, laptop]) {
        const stage = synthesis === laptop ? 'local' : 'production'
        const versions = ofArea(synthesis, 'AWS::Lambda::Version', `berth-${stage}-${name}`)
        const aliases = ofArea(synthesis, 'AWS::Lambda::Alias', `berth-${stage}-${name}`)
        expect([versions.length, aliases.length]).toEqual([1, 1])
        expect(aliases[0]?.[1].Properties).toMatchObject({
          Name: 'live',
          FunctionVersion: { 'Fn::GetAtt': [versions[0]?.[0], 'Version'] },
        })
      }
    },
  )

  test('is published again with each release, which Lambda skips for unchanged code', () => {
    const release = releaseOf(production)
    expect(release).toMatch(/^(?!0{16})[0-9a-f]{16}$/)
    const described = (type: string) =>
      production.ofType(type).filter(([, { Properties }]) => textOf(Properties.Description ?? '').includes(release))
    expect(described('AWS::Lambda::Version')).toHaveLength(areas.length)
    expect(described('AWS::Lambda::Function')).toHaveLength(areas.length)
  })

  test('belongs to the same release exactly when the template is the same', async () => {
    const { bare, bareAgain, staging } = await deployments()
    expect(releaseOf(bareAgain)).toBe(releaseOf(bare))
    expect(releaseOf(staging)).not.toBe(releaseOf(bare))
    expect(releaseOf(production)).not.toBe(releaseOf(bare))
  })

  test('cannot be invoked without its alias', () => {
    for (const synthesis of [production, laptop]) {
      const invoked = [
        ...synthesis.ofType('AWS::ApiGateway::RestApi').flatMap(([, { Properties }]) => urisIn(Properties.Body)),
        ...synthesis
          .ofType('AWS::ApiGatewayV2::Integration')
          .map(([, integration]) => integration.Properties.IntegrationUri ?? ''),
        ...synthesis.ofType('AWS::Events::Rule').flatMap(([, rule]) => rule.Properties.Targets),
        ...synthesis.ofType('AWS::Lambda::EventSourceMapping').map(([, mapping]) => mapping.Properties.FunctionName),
        ...synthesis.ofType('AWS::Lambda::Permission').map(([, permission]) => permission.Properties.FunctionName),
        ...synthesis.ofType('AWS::Lambda::EventInvokeConfig').map(([, config]) => config.Properties.Qualifier),
      ].map(textOf)
      expect(invoked.length).toBeGreaterThan(100)
      // The measurements of alarms have one version.
      const isMock = (text: string) =>
        text === '""' || text.includes('"AlarmsReminders') || text.includes('"AlarmsEdgeMetric')
      expect(invoked.filter((text) => !isMock(text) && !/:live\/|live[0-9A-F]{8}"/.test(text))).toEqual([])
    }
  })
})

/** The addresses of all integrations of an OpenAPI body. */
const urisIn = (body: unknown): unknown[] =>
  typeof body !== 'object' || body === null
    ? []
    : Object.entries(body).flatMap(([key, value]) => (key === 'uri' ? [value] : urisIn(value)))

describe('calls', () => {
  const called = areas.filter(({ operations, socket }) => operations.length > 0 || socket)

  test('from people, programs and machines shift in a canary deployment, except on a laptop and in dev; jobs shift at once', async () => {
    const { dev } = await deployments()
    for (const { ofType } of [laptop, dev]) {
      expect(ofType('AWS::CodeDeploy::DeploymentGroup')).toEqual([])
      expect(ofType('AWS::Lambda::Alias').filter(([, alias]) => 'UpdatePolicy' in alias)).toEqual([])
    }
    const shifted = areas.filter(({ name }) => {
      const [[, alias] = []] = ofArea(production, 'AWS::Lambda::Alias', `berth-production-${name}`)
      const group = at(alias, 'UpdatePolicy', 'CodeDeployLambdaAliasUpdate', 'DeploymentGroupName', 'Ref')
      // The deployment group is complete before calls shift.
      if (group) expect(alias?.DependsOn).toContain(group)
      return resourceOf(group)?.Type === 'AWS::CodeDeploy::DeploymentGroup'
    })
    expect(shifted.map(({ name }) => name)).toEqual(called.map(({ name }) => name))
    expect(groups()).toHaveLength(called.length)
  })

  test('shift at once, despite any alarm, if the deployment says so', () => {
    const condition = Object.keys(production.conditions.service)[0]
    expect(production.conditions.service).toEqual({
      [String(condition)]: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'AtOnce' }, releaseOf(production)] }] },
    })
    for (const [, { Properties }] of groups()) {
      expect(Properties.DeploymentConfigName).toEqual({
        'Fn::If': [condition, 'CodeDeployDefault.LambdaCanary10Percent5Minutes', 'CodeDeployDefault.LambdaAllAtOnce'],
      })
      expect(at(Properties.AlarmConfiguration, 'Enabled')).toEqual({ 'Fn::If': [condition, true, false] })
    }
  })

  test('shift back on an alarm about users’ experience or money, and on no lasting one: CodeDeploy accepts ten', () => {
    for (const [, { Properties }] of groups()) {
      expect(Properties.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
      })
      const ids = (at(Properties.AlarmConfiguration, 'Alarms') as object[]).map((alarm) => at(alarm, 'Name', 'Ref')) // safe because a group has a list
      expect(ids.map((id) => resourceOf(id)?.Type)).toEqual(ids.map(() => 'AWS::CloudWatch::Alarm'))
      expect(ids.map((id) => String(id).replace(/^Alarms|[0-9A-F]{8}$/g, ''))).toEqual([
        'api5xx',
        'CostAboveHoldMicros',
        'SettlementFailed',
        'WebhookFailed',
        'functionerrors1',
        'functionerrors2',
        'functionerrors3',
        'functionerrors4',
      ])
    }
  })
})

test('pages are published once all functions that they call are deployed', () => {
  const [[, upload] = []] = production.ofType('Custom::CDKBucketDeployment').filter(([id]) => id.includes('Upload'))
  const aliases = production.ofType('AWS::Lambda::Alias').map(([id]) => id)
  expect(aliases).toHaveLength(areas.length)
  expect(upload?.DependsOn).toEqual(expect.arrayContaining(aliases))
})
