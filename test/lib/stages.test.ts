import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../lib/build/bundle.ts'
import { withoutFargate } from '../../lib/machines/zones.ts'
import { loadStage, readStage } from '../../lib/stage.ts'
import { statefulTypes } from '../../lib/storage/stateful.ts'
import { at, deployments, local, type Resource, type Synthesis } from './synthesis.ts'

const read = (name: string, settings: object) => () => readStage(name, settings)
const deployed = {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
}
const { mailFrom: _, ...anonymous } = deployed

describe('a stage', () => {
  test('with errors is refused with a line for each error', () => {
    expect(read('Local!', {})).toThrow(/1 to 16 lower-case/)
    expect(read('local', { cell: '000' })).toThrow(/cell: two letters or digits/)
    expect(read('local', { domain: { name: 'berth.example' } })).toThrow(/domain: certificateArn: /)
    expect(read('local', { runtimes: ['clippy'] })).toThrow(/runtimes: there is no runtime clippy. There are: .*codex/)
    expect(read('local', { alarms: true })).toThrow(/alarms/)
    expect(read('prod', { account: '1', region: 'Frankfurt' })).toThrow(
      'The stage prod cannot be deployed:\n  account: the account’s twelve digits\n  region: a Region, such as eu-central-1',
    )
    expect(read('prod', {})).toThrow(/\n {2}account: .*\n {2}region: .*\n {2}mailFrom: .*\n {2}alarmMail: .*$/)
  })

  test('must be named, and has its own file', async () => {
    await expect(loadStage('')).rejects.toThrow(/there is no file of this name in stages. There are: example, local/)
    await expect(loadStage('../lib/stage')).rejects.toThrow(/there is no file/)
    expect((await loadStage('example')).account).toBe('123456789012')
    const folder = mkdtempSync(join(tmpdir(), 'berth-stages-'))
    writeFileSync(join(folder, 'prod.json'), JSON.stringify(deployed))
    expect((await loadStage('prod', folder)).region).toBe('eu-central-1')
    rmSync(folder, { recursive: true })
  })

  test('needs a sender of e-mail and a recipient of alarms, unless it is the laptop or disposable', () => {
    for (const stage of ['prod', 'production', 'staging', 'dev2']) {
      expect(read(stage, anonymous)).toThrow(/mailFrom: the address that mails come from/)
      expect(read(stage, { ...deployed, alarmMail: undefined })).toThrow(/alarmMail: who is told/)
    }
    expect(read('dev', anonymous)().mail.verified).toBe(false)
    expect(read('local', {})().mail.verified).toBe(false)
    const { mailFrom } = deployed
    expect(read('prod', deployed)().mail).toEqual({ from: mailFrom, abuse: mailFrom, verified: true })
  })

  test('has its sender as its abuse contact unless it names another', () => {
    expect(read('local', {})().mail.abuse).toBe('support@berth.example')
    const abuseMail = 'abuse@example.com'
    expect(read('prod', { ...deployed, abuseMail })().mail).toMatchObject({ from: deployed.mailFrom, abuse: abuseMail })
    expect(read('prod', { ...deployed, abuseMail: 'nobody' })).toThrow(/abuseMail: /)
  })

  test('with a mail domain that is not its sender’s is refused', () => {
    const mail = (mailDomain: object) => read('prod', { ...deployed, mailDomain })
    expect(mail({ name: 'example.com' })().mail).toMatchObject({ verified: true, domain: { name: 'example.com' } })
    expect(mail({ name: 'example.org' })).toThrow(/mailDomain: mailFrom is an address of it: …@example.org/)
    expect(mail({ name: 'example.com', hostedZoneId: '1' })).toThrow(/hostedZoneId: Z/)
  })

  test('names its zones where some have no Fargate', () => {
    const inRegion = (region: string, zones?: string[]) => read('prod', { ...deployed, region, zones })
    expect(inRegion('eu-central-1')().zones).toBeUndefined()
    for (const region of Object.keys(withoutFargate)) expect(inRegion(region)).toThrow(/zones: .* has no Fargate/)
    expect(inRegion('us-west-1')).toThrow(
      /zones: usw1-az2 of us-west-1 has no Fargate, so name two other zones of: aws ec2/,
    )
    expect(inRegion('ap-northeast-1', ['apne1-az1', 'apne1-az3'])).toThrow('zones: apne1-az3 has no Fargate')
    expect(inRegion('us-west-1', ['usw1-az1', 'usw1-az3'])().zones).toEqual(['usw1-az1', 'usw1-az3'])
    expect(inRegion('eu-central-1', ['euc1-az1', 'euc1-az1'])).toThrow('zones: two different zones')
    expect(inRegion('eu-central-1', ['euc1-az1'])).toThrow('zones: two zones')
    expect(inRegion('eu-central-1', ['eu-central-1a', 'eu-central-1b'])).toThrow(/the id of a zone, such as euc1-az1/)
  })

  test('has the distribution’s origin, the domain’s, or the one in its file', async () => {
    const { production, productionWithDomain, localWithOrigin } = await deployments()
    const originOf = ({ ofType }: Synthesis) => {
      const [, resource] =
        ofType('AWS::Lambda::Function').find(([, { Properties }]) => /^berth-/.test(String(Properties.FunctionName))) ??
        []
      return JSON.stringify(at(resource, 'Properties', 'Environment', 'Variables', 'PUBLIC_ORIGIN'))
    }
    expect(originOf(await local())).toBe('"http://127.0.0.1:8787"')
    expect(originOf(localWithOrigin)).toBe('"http://127.0.0.1:9000"')
    expect(originOf(productionWithDomain)).toBe('"https://berth.test"')
    expect(originOf(production)).toMatch(/https:\/\/.*Dashboard.*DomainName/)
  })

  test('names its operators to their two functions alone, and has none by default', async () => {
    const named = (await local())
      .ofType('AWS::Lambda::Function')
      .filter(([, { Properties }]) => at({ Properties }, 'Properties', 'Environment', 'Variables', 'OPERATORS'))
    expect(named.map(([, { Properties }]) => Properties.FunctionName)).toEqual([
      'berth-local-operator',
      'berth-local-view',
    ])
    expect(at(named[0]?.[1], 'Properties', 'Environment', 'Variables', 'OPERATORS')).toBe('nobody')
    const { operators, operatorMaxCents, operatorMaxDayCents } = read('prod', {
      ...deployed,
      operators: ['a@b.example/pky_1'],
      operatorMaxCents: 5,
      operatorMaxDayCents: 7,
    })()
    expect([[...operators], operatorMaxCents, operatorMaxDayCents]).toEqual([[['a@b.example', 'pky_1']], 5, 7])
    expect(read('prod', { ...deployed, operators: ['everybody'] })).toThrow('is no e-mail address')
    expect(read('prod', { ...deployed, operatorMaxCents: 0 })).toThrow(/operatorMaxCents/)
    expect(read('prod', { ...deployed, operatorMaxDayCents: 1.5 })).toThrow(/operatorMaxDayCents/)
  })

  test('has trials only if it sets their budget; a laptop has a few', async () => {
    const trial = (trials: object) => read('prod', { ...deployed, trials })
    expect(read('prod', deployed)().trial).toBeNull()
    expect(trial({ budgetMicros: 2_000_000, creditMicros: 100_000, perNetwork: 1 })().trial).toEqual({
      budgetMicros: 2_000_000,
      creditMicros: 100_000,
      hours: 24,
      perNetwork: 1,
      perDomain: 20,
    })
    expect(trial({ budgetMicros: 1000 })).toThrow(/trials: budgetMicros is too little for one trial/)
    expect((await loadStage('local')).trial).toMatchObject({ budgetMicros: 5_000_000 })
    const told = (await local())
      .ofType('AWS::Lambda::Function')
      .filter(([, { Properties }]) => at({ Properties }, 'Properties', 'Environment', 'Variables', 'TRIAL'))
    const names = told.map(([, { Properties }]) => Properties.FunctionName)
    expect(names.sort()).toEqual(['berth-local-auth', 'berth-local-operator', 'berth-local-public'])
  })

  test('prints the values for the next steps of docs/deploy.md', async () => {
    const { bare } = await deployments()
    expect(JSON.stringify(at(bare.outputs.state, 'AgentImage'))).toMatch(/Ref":"Images.*:0\.\d+\.\d+-[0-9a-f]{12}"/)
    const { Origin, DistributionHost, StripeWebhook } = bare.outputs.service
    expect(JSON.stringify(Origin)).toContain('https://')
    expect(JSON.stringify(DistributionHost)).toContain('DomainName')
    expect(JSON.stringify(StripeWebhook)).toContain('/api/webhooks/stripe')
  })

  test('that is deployed includes its dashboard, and without a built one there is no template', async () => {
    const { bare } = await deployments()
    const uploads = bare.ofType('Custom::CDKBucketDeployment').map(([, upload]) => upload)
    const [assets, pages] = [
      uploads.find((upload) => upload.Properties.DestinationBucketKeyPrefix === 'assets'),
      uploads.find((upload) => !upload.Properties.DestinationBucketKeyPrefix),
    ]
    expect(uploads).toHaveLength(2)
    // Files that older pages load are kept; the new pages are uploaded after the files that they load.
    expect(assets?.Properties).toMatchObject({
      Prune: false,
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
    })
    expect(pages?.Properties).toMatchObject({ Prune: false, SystemMetadata: { 'cache-control': 'no-cache' } })
    expect(pages?.DependsOn?.some((id) => id.startsWith('DashboardAssets'))).toBe(true)
    expect((await local()).ofType('Custom::CDKBucketDeployment')).toEqual([])
    const empty = mkdtempSync(join(tmpdir(), 'berth-unbuilt-'))
    // In a process of its own: the CDK keeps tokens in globals.
    const make = `import { makeApp } from './lib/app.ts'
      import { readStage } from './lib/stage.ts'
      const stage = readStage('prod', ${JSON.stringify(deployed)})
      makeApp({ stage, outdir: ${JSON.stringify(join(empty, 'out'))}, built: ${JSON.stringify(empty)} })`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', make], { cwd: root })
    expect([status, String(stderr)]).toEqual([1, expect.stringMatching(/There is no dashboard in .* build it first/)])
    rmSync(empty, { recursive: true })
  })
})

/** Types whose names are parts of another resource's, or only references to it. */
const within = new Set([
  'AWS::IAM::Policy PolicyName',
  'AWS::ApiGateway::Stage StageName',
  'AWS::ApiGatewayV2::Stage StageName',
  'AWS::CloudWatch::Alarm MetricName',
  'AWS::CodeDeploy::DeploymentGroup DeploymentConfigName',
  'AWS::EC2::VPCEndpoint ServiceName',
  'AWS::Lambda::Alias Name',
])
/** A reference to a resource of the same template is not a name. */
const refers = /"Ref":"(?!AWS::)|"Fn::GetAtt"/

/** Every name that the template itself gives, with its resource's type. */
function namesOf({ resources }: Synthesis): string[] {
  const given = resources.flatMap(([, { Type, Properties = {} }]) =>
    Object.entries(Properties).map(([key, value]) => [
      `${Type} ${key}`,
      key.endsWith('Config') ? at(value, 'Name') : value,
    ]),
  )
  return given
    .filter(([kind, value]) => /(Name|Config)$/.test(String(kind)) && !within.has(String(kind)) && value !== undefined)
    .map(([kind, value]) => `${kind} ${JSON.stringify(value)}`)
    .filter((name) => !refers.test(name))
}

test('a stage is synthesised to the same bytes each time', async () => {
  const { bare, bareAgain } = await deployments()
  const files = readdirSync(bare.folder).filter((name) => /\.(template|assets)\.json$|^manifest\.json$/.test(name))
  expect(files).toHaveLength(5)
  const bytesOf = ({ folder }: Synthesis) => files.map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  expect(bytesOf(bareAgain)).toEqual(bytesOf(bare))
})

describe('two stages in one account', () => {
  test('share no name: not of a stack, bus, group, function, nor of a parameter', async () => {
    const { production, bare } = await deployments()
    const [ours, theirs] = [namesOf(production), new Set(namesOf(bare))]
    const kinds = new Set(ours.map((name) => name.split(' ')[0]))
    const types = ['Events::EventBus', 'Scheduler::ScheduleGroup', 'CloudFront::Function', 'SSM::Parameter']
    for (const type of types) expect(kinds).toContain(`AWS::${type}`)
    expect(ours.filter((name) => theirs.has(name))).toEqual([])
  })
})

describe('resources that must never be lost', () => {
  const kept = [...statefulTypes]
  const policiesOf = (stack: Record<string, Resource>, type: string) =>
    Object.values(stack)
      .filter(({ Type }) => Type === type)
      .flatMap((resource) => [resource.DeletionPolicy, resource.UpdateReplacePolicy])

  test('remain when the stack is deleted, for a stage of which only the name is set', async () => {
    const { bare } = await deployments()
    for (const type of kept)
      expect([type, ...new Set(policiesOf(bare.stacks.state, type))]).toEqual([type, 'RetainExceptOnCreate', 'Retain'])
    for (const [, { Properties }] of bare.ofType('AWS::DynamoDB::Table'))
      expect(Properties.DeletionProtectionEnabled).toBe(true)
    expect(bare.ofType('AWS::EFS::FileSystem')[0]?.[1].Properties.BackupPolicy).toEqual({ Status: 'ENABLED' })
  })

  test('are deleted with a disposable stage', async () => {
    const { state } = (await local()).stacks
    for (const type of kept)
      expect([type, policiesOf(state, type).some((policy) => policy?.startsWith('Retain'))]).toEqual([type, false])
  })

  test('are in the stack that a rollback of code does not touch', async () => {
    const { service } = (await deployments()).bare.stacks
    const pages = Object.entries(service).filter(([id, { Type }]) => kept.includes(Type) && !id.startsWith('Dashboard'))
    expect(pages).toEqual([])
  })
})
