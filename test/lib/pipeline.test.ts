import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib/core'
import { PipelineStack } from '../../lib/pipeline-stack.ts'
import { readStage } from '../../lib/stage.ts'
import { StateStack } from '../../lib/state-stack.ts'
import { at, statementsOf } from './synthesis.ts'

const stage = readStage('prod', {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
  pipeline: { repository: 'berth/berth', environment: 'prod' },
})

describe('the role of GitHub’s jobs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-pipeline-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const app = new App({ outdir: folder, analyticsReporting: false, treeMetadata: false })
  const state = new StateStack(app, 'berth-prod-state', stage)
  new PipelineStack(app, 'berth-prod-pipeline', { stage, state })
  app.synth()
  const file = readdirSync(folder).find((name) => name.endsWith('pipeline.template.json')) ?? ''
  const resources = Object.values<{ Type: string; Properties: Record<string, unknown> }>(
    JSON.parse(readFileSync(join(folder, file), 'utf8')).Resources,
  )
  const propertiesOf = (type: string) => resources.find(({ Type }) => Type === type)?.Properties

  test('is given to jobs of this repository’s environment, and to no others', () => {
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
    const actions = statements.flatMap((one) => one.actions)
    expect(actions).toEqual(expect.arrayContaining(['sts:AssumeRole', 'codebuild:StartBuild', 'ssm:PutParameter']))
    for (const { resources: named } of statements) expect(named).not.toContain('*')
    const writes = statements.filter((one) => one.actions.includes('ssm:PutParameter'))
    for (const { resources: named } of writes) expect(JSON.stringify(named)).toMatch(/parameter\/berth\/prod\//)
  })
})
