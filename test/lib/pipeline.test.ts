import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { at, deployments, type Resource, statementsOf } from './synthesis.ts'

describe('the role of GitHub’s jobs', () => {
  let resources: Resource[]
  beforeAll(async () => {
    const file = join((await deployments()).productionWithDomain.folder, 'berth-production-pipeline.template.json')
    resources = Object.values(JSON.parse(readFileSync(file, 'utf8')).Resources)
  })
  const propertiesOf = (type: string) => resources.find(({ Type }) => Type === type)?.Properties

  test('can be assumed by jobs of this repository’s environment, and by no others', () => {
    const statement = at(propertiesOf('AWS::IAM::Role'), 'AssumeRolePolicyDocument', 'Statement', 0)
    expect(statement).toMatchObject({
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: {
        StringEquals: {
          'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
          'token.actions.githubusercontent.com:sub': 'repo:berth/berth:environment:prod',
        },
      },
    })
  })

  test('may do what a deployment and a rollback do, on this stage alone', () => {
    const statements = statementsOf(at(propertiesOf('AWS::IAM::Policy'), 'PolicyDocument'))
    const actions = statements.flatMap((statement) => statement.actions)
    expect(actions).toEqual(
      expect.arrayContaining(['sts:AssumeRole', 'cloudformation:DescribeStackEvents', 'ssm:PutParameter']),
    )
    const everywhere = statements
      .filter((statement) => statement.resources.includes('*'))
      .flatMap((statement) => statement.actions)
    // It only reads what preflight checks.
    expect(everywhere).toEqual([
      'budgets:ViewBudget',
      'cloudfront:ListDistributions',
      'ec2:DescribeAvailabilityZones',
      'lambda:GetAccountSettings',
      'servicequotas:GetServiceQuota',
      'ses:GetAccount',
    ])
    const writes = statements.filter((statement) => statement.actions.includes('ssm:PutParameter'))
    for (const { resources: named } of writes) expect(JSON.stringify(named)).toMatch(/parameter\/berth\/production\//)
  })
})
