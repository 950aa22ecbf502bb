import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeApp } from '../../lib/app.ts'
import { readStage } from '../../lib/stage.ts'
import { at, deployments, local, type Resource, type Synthesis } from './synthesis.ts'

const read = (context: Record<string, unknown>) => () => readStage((key) => context[key])
const mailFrom = 'hello@example.com'

describe('a stage', () => {
  test('that is wrong is refused with the value’s name', () => {
    expect(read({ stage: 'Local!' })).toThrow(/stage: 1 to 16 lower-case/)
    expect(read({ stage: 'local', cell: '000' })).toThrow(/cell: two letters or digits/)
    expect(read({ stage: 'local', domainName: 'berth.example' })).toThrow(/certificateArn/)
  })

  test('is always named: there is none to get by forgetting', () => {
    expect(read({})).toThrow(/stage: say which deployment this is, such as -c stage=prod/)
  })

  test('says where its mails come from, unless it is the laptop or may be thrown away', () => {
    for (const stage of ['prod', 'production', 'staging', 'dev2']) expect(read({ stage })).toThrow(/Give mailFrom/)
    for (const stage of ['dev', 'local']) expect(read({ stage })().mail.verified).toBe(false)
    expect(read({ stage: 'prod', mailFrom })().mail).toEqual({ from: mailFrom, verified: true })
  })

  test('has the distribution’s origin, the domain’s, or the one given', async () => {
    const { production, productionWithDomain, localWithOrigin } = await deployments()
    const originOf = ({ ofType }: Synthesis) => {
      const [, one] =
        ofType('AWS::Lambda::Function').find(([, { Properties }]) => /^berth-/.test(String(Properties.FunctionName))) ??
        []
      return JSON.stringify(at(one, 'Properties', 'Environment', 'Variables', 'PUBLIC_ORIGIN'))
    }
    expect(originOf(await local())).toBe('"http://127.0.0.1:8787"')
    expect(originOf(localWithOrigin)).toBe('"http://127.0.0.1:9000"')
    expect(originOf(productionWithDomain)).toBe('"https://berth.test"')
    expect(originOf(production)).toMatch(/https:\/\/.*Dashboard.*DomainName/)
    const domain = { domainName: 'berth.test', certificateArn: 'arn:aws:acm:us-east-1:1:certificate/x' }
    expect(read({ stage: 'local', ...domain })().origin).toBe('http://127.0.0.1:8787')
  })

  test('prints what the next steps of docs/deploy.md ask for', async () => {
    const { bare } = await deployments()
    expect(JSON.stringify(at(bare.outputs.state, 'AgentImage'))).toMatch(/Ref":"Images.*:0\.\d+\.\d+"/)
    const { Origin, DistributionHost, StripeWebhook } = bare.outputs.service
    expect(JSON.stringify(Origin)).toContain('https://')
    expect(JSON.stringify(DistributionHost)).toContain('DomainName')
    expect(JSON.stringify(StripeWebhook)).toContain('/api/webhooks/stripe')
  })

  test('that is deployed brings its dashboard, and without a built one there is no template', async () => {
    const { bare } = await deployments()
    expect(bare.ofType('Custom::CDKBucketDeployment')).toHaveLength(1)
    expect((await local()).ofType('Custom::CDKBucketDeployment')).toEqual([])
    const empty = mkdtempSync(join(tmpdir(), 'berth-unbuilt-'))
    const make = () => makeApp({ context: { stage: 'dev' }, outdir: join(empty, 'out'), built: empty })
    expect(make).toThrow(/There is no dashboard in .* build it first/)
    rmSync(empty, { recursive: true })
  })
})

/** Of names that belong to something else's, or only refer to it. */
const within = new Set([
  'AWS::IAM::Policy PolicyName',
  'AWS::ApiGateway::Stage StageName',
  'AWS::ApiGatewayV2::Stage StageName',
  'AWS::CloudWatch::Alarm MetricName',
  'AWS::EC2::VPCEndpoint ServiceName',
])
/** What refers to a resource of the same template is no name of the template's own. */
const refers = /"Ref":"(?!AWS::)|"Fn::GetAtt"/

/** Every name that the template itself gives, with its resource's type. */
function namesOf({ resources, outputs }: Synthesis): string[] {
  const given = resources.flatMap(([, { Type, Properties = {} }]) =>
    Object.entries(Properties).map(([key, value]) => [
      `${Type} ${key}`,
      key.endsWith('Config') ? at(value, 'Name') : value,
    ]),
  )
  const exported = Object.values(outputs).flatMap((all) =>
    Object.values(all).map((one) => ['exportName', at(one, 'Export', 'Name')]),
  )
  return [...given, ...exported]
    .filter(([kind, value]) => /(Name|Config)$/.test(String(kind)) && !within.has(String(kind)) && value !== undefined)
    .map(([kind, value]) => `${kind} ${JSON.stringify(value)}`)
    .filter((name) => !refers.test(name))
}

describe('two stages in one account', () => {
  test('share no name: not of a stack, secret, bus, group, function, nor of what one stack takes from the other', async () => {
    const { production, bare } = await deployments()
    const [ours, theirs] = [namesOf(production), new Set(namesOf(bare))]
    const kinds = new Set(ours.map((name) => name.split(' ')[0]))
    const types = ['Events::EventBus', 'SecretsManager::Secret', 'Scheduler::ScheduleGroup', 'CloudFront::Function']
    for (const type of types) expect(kinds).toContain(`AWS::${type}`)
    expect(ours).toContainEqual(expect.stringMatching(/^exportName "berth-production-state:/))
    expect(ours.filter((name) => theirs.has(name))).toEqual([])
  })
})

describe('what must never be lost', () => {
  const kept = [
    'AWS::DynamoDB::Table',
    'AWS::SecretsManager::Secret',
    'AWS::EFS::FileSystem',
    'AWS::ECR::Repository',
    'AWS::KMS::Key',
    'AWS::S3::Bucket',
    'AWS::Scheduler::ScheduleGroup',
  ]
  const policiesOf = (stack: Record<string, Resource>, type: string) =>
    Object.values(stack)
      .filter(({ Type }) => Type === type)
      .flatMap((one) => [one.DeletionPolicy, one.UpdateReplacePolicy])

  test('stays when the stack goes, though nothing but the stage’s name was said', async () => {
    const { bare } = await deployments()
    for (const type of kept) expect([type, ...new Set(policiesOf(bare.stacks.state, type))]).toEqual([type, 'Retain'])
    for (const [, { Properties }] of bare.ofType('AWS::DynamoDB::Table'))
      expect(Properties.DeletionProtectionEnabled).toBe(true)
    expect(bare.ofType('AWS::EFS::FileSystem')[0]?.[1].Properties.BackupPolicy).toEqual({ Status: 'ENABLED' })
  })

  test('goes with a stage that may be thrown away', async () => {
    const { state } = (await local()).stacks
    for (const type of kept) expect([type, policiesOf(state, type).includes('Retain')]).toEqual([type, false])
  })

  test('is in the stack that code does not roll back', async () => {
    const { service } = (await deployments()).bare.stacks
    const pages = Object.entries(service).filter(([id, { Type }]) => kept.includes(Type) && !id.startsWith('Dashboard'))
    expect(pages).toEqual([])
  })
})
