/**
 * `npm run prove deploy`: the deploy command as an operator runs it, against moto (PyPI) in place of AWS and the
 * service of this machine as the deployed one, with each possible failure. After each failure, the output names the
 * command that completes the unfinished work.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation'
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'
import { startBerth } from '../local/main.ts'
import { startCloud } from './deploy/cloud.ts'
import { startMoto } from './tools/moto.ts'

const top = join(import.meta.dirname, '..')
const name = 'proof'
const file = join(top, 'stages', `${name}.json`)
const folder = mkdtempSync(join(tmpdir(), 'berth-prove-deploy-'))
const calls = join(folder, 'calls')
const settings = {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
}

/** The stand-in precedes the CDK's own command line on the PATH. */
function placeCdk(): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const text = `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'deploy/cdk.ts')}" "$@"\n`
  writeFileSync(join(bin, 'cdk'), text)
  chmodSync(join(bin, 'cdk'), 0o755)
  return bin
}

/** AWS's refusals of a first deployment, in its own words. */
const refused: [what: string, type: string, reason: string, remedy: RegExp][] = [
  [
    'that AWS has not verified the account for CloudFront',
    'AWS::CloudFront::Distribution',
    'Your account must be verified before you can add new CloudFront resources. To verify your account, please contact AWS Support',
    /not verified this account for CloudFront\. Open a support case[^\n]*Then run this again/,
  ],
  [
    'that billing is closed to roles',
    'AWS::Budgets::Budget',
    'User: arn:aws:sts::123456789012:assumed-role/cdk is not authorized to perform: budgets:ModifyBudget',
    /may not create budgets\. Sign in as the account’s root user/,
  ],
  ['that a role was too young', 'AWS::EC2::FlowLog', 'Unable to assume given IAM role', /seconds old\. Run this again/],
  [
    'that a log group is left from an earlier attempt',
    'AWS::Logs::LogGroup',
    "Resource of type 'AWS::Logs::LogGroup' with identifier '/aws/lambda/berth-proof-llm' already exists.",
    /delete-log-group --log-group-name \/aws\/lambda\/berth-proof-llm/,
  ],
  [
    'that a secret is left from an earlier attempt',
    'AWS::SecretsManager::Secret',
    'The operation failed because the secret berth/proof/stripe already exists.',
    /delete-secret [^\n]*--secret-id berth\/proof\/stripe/,
  ],
  [
    'that Fargate has no capacity',
    'AWS::ECS::Service',
    'Capacity is unavailable at this time. Please try again later or in a different availability zone',
    /Fargate has no capacity/,
  ],
  [
    'that the account’s concurrency is too low',
    'AWS::Lambda::Function',
    "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [100].",
    /-c reserve=no/,
  ],
]

const moto = await startMoto()
const aws = await startCloud(moto.url)
/** The quota of a new account, and a raised one. */
const concurrency = (most: number) => ({
  AccountLimit: { ConcurrentExecutions: most, UnreservedConcurrentExecutions: most },
})
/** An account to which AWS has granted everything. */
const granted = {
  '/2016-08-19/account-settings': concurrency(1_000),
  '/v2/email/account': { ProductionAccessEnabled: true, SendingEnabled: true },
  GetServiceQuota: { Quota: { Value: 60 } },
  DescribeBudgets: { Budgets: [] },
}
Object.assign(aws.answers, granted)
const berth = await startBerth({ port: 0, dataDir: join(folder, 'data'), quiet: true })
const cloud = {
  AWS_ENDPOINT_URL: aws.url,
  AWS_REGION: settings.region,
  AWS_ACCESS_KEY_ID: 'proof',
  AWS_SECRET_ACCESS_KEY: 'proof',
}
const env = {
  PATH: [placeCdk(), process.env.PATH].join(delimiter),
  HOME: folder,
  CALLS: calls,
  REAL_CDK: join(top, 'node_modules/.bin/cdk'),
  ORIGIN: berth.url,
}
Object.assign(process.env, cloud)

interface Wanted {
  /** `cdk` is the CDK alone, without our command. */
  command?: 'deploy' | 'rollback' | 'doctor' | 'cdk'
  settings?: object
  args?: string[]
  env?: Record<string, string>
  says: RegExp
  exit?: number
  /** The calls of the CDK's command line: `synth`, or the end of a stack's name. */
  touches: string[]
}

const problems: string[] = []

async function run(
  what: string,
  {
    command = 'deploy',
    settings: said = settings,
    args = ['--stage', name, '--yes'],
    says,
    exit = 1,
    touches,
    env: more = cloud,
  }: Wanted,
) {
  writeFileSync(file, JSON.stringify(said))
  writeFileSync(calls, '')
  const wait = command === 'doctor' ? [] : ['--wait', '5']
  const [program, given] =
    command === 'cdk'
      ? [join(folder, 'bin/cdk'), args]
      : [process.execPath, [join(top, `bin/${command}.ts`), ...args, ...wait]]
  const child = spawn(program, given, {
    cwd: top,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The command ends by calling the service in this process, which must therefore not block.
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const asked = readFileSync(calls, 'utf8').split('\n').filter(Boolean)
  const touched = asked.map((call) => call.replace(`berth-${name}-`, ''))
  const right = status === exit && says.test(out + err) && touched.join() === touches.join()
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: exit ${status}, touched ${touched.join() || 'nothing'}\n${out}${err}`)
}

const { region: _, ...somewhere } = settings
const nothing: string[] = []
await run('says how it is used', { args: [], says: /--stage <name>/, touches: nothing })
await run('knows the stages that there are', {
  args: ['--stage', 'nowhere'],
  says: /There are: example, local, proof/,
  touches: nothing,
})
await run('does not deploy the laptop', {
  args: ['--stage', 'local'],
  says: /Start it with npm start/,
  touches: nothing,
})
await run('names each setting that is missing', { settings: somewhere, says: /\n {2}region: /, touches: nothing })
await run('wants credentials', {
  env: { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true' },
  says: /AWS credentials do not work/,
  touches: nothing,
})
await run('wants those of the account', {
  settings: { ...settings, account: '999999999999' },
  says: /belong to the account 123456789012, but stages\/proof says 999999999999/,
  touches: nothing,
})
await run('wants a Region that was prepared', {
  says: /npx cdk bootstrap aws:\/\/123456789012\/eu-central-1/,
  touches: nothing,
})
await new SSMClient().send(
  new PutParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version', Value: '30', Type: 'String' }),
)

Object.assign(aws.answers, {
  '/2016-08-19/account-settings': concurrency(10),
  '/v2/email/account': { ProductionAccessEnabled: false, SendingEnabled: true },
  GetServiceQuota: { Quota: { Value: 0 } },
  DescribeBudgets: undefined,
})
const denied = { type: 'AccessDeniedException', message: 'You don’t have access' }
aws.refusals.DescribeBudgets = denied
const newAccount = [
  /stop +Lambda concurrency: 10 concurrent executions\. [^\n]*console\.aws[^\n]*L-B99A9384[^\n]*--desired-value 1000/,
  /stop +vCPUs on Fargate Spot: 0\. [^\n]*--service-code fargate --quota-code L-36FBB829/,
  /stop +vCPUs on Fargate: 0\. [^\n]*--quota-code L-3032A538/,
  /warn +permission to send e-mail: in the sandbox[^\n]*ses\/home#\/account[^\n]*put-account-details/,
  /stop +CodeBuild: 0 concurrent builds[^\n]*--service-code codebuild --quota-code L-5ED1D25B/,
  /warn +CloudFront: no distribution yet\. [^\n]*no API tells[^\n]*support case/,
  /warn +budget: no access to billing\. [^\n]*root user/,
]
const allOf = (lines: RegExp[], end: string) =>
  new RegExp(`${lines.map(({ source }) => source).join('[\\s\\S]*')}${end}`)
await run('says of a new account what to request, before it touches anything', {
  says: allOf(newAccount, '[\\s\\S]*not yet granted what this stage needs: [^\\n]*CodeBuild\\. Nothing was changed'),
  touches: nothing,
})
await run('says the same in the doctor', {
  command: 'doctor',
  args: ['--stage', name],
  says: allOf(newAccount, '[\\s\\S]*is not deployed: npm run deploy'),
  touches: nothing,
})
await run('goes on nevertheless when told so', {
  args: ['--stage', name, '--yes', '--anyway'],
  env: { ...cloud, FAILS: 'synth' },
  says: /stop +CodeBuild[\s\S]*cdk synth failed/,
  touches: ['synth'],
})
await run('needs no build for an image of the operator’s own', {
  settings: { ...settings, imageVersion: 'mine-1' },
  says: /ok +CodeBuild: not needed[\s\S]*needs: Lambda concurrency, vCPUs on Fargate Spot, vCPUs on Fargate\. /,
  touches: nothing,
})
Object.assign(aws.answers, granted, { GetServiceQuota: undefined })
aws.refusals.DescribeBudgets = undefined
aws.refusals.GetServiceQuota = denied
await run('warns of what it may not look at, and goes on', {
  env: { ...cloud, FAILS: 'synth' },
  says: /warn +CodeBuild: not checked: these credentials may not look[\s\S]*cdk synth failed/,
  touches: ['synth'],
})
aws.refusals.GetServiceQuota = undefined
Object.assign(aws.answers, granted)
await run('stops where the code makes no template', {
  env: { ...cloud, FAILS: 'synth' },
  says: /cdk synth failed.*Nothing was changed/,
  touches: ['synth'],
})
await run('asks before it touches anything', {
  args: ['--stage', name],
  says: /! add AWS::DynamoDB::Table .*[\s\S]*--yes skips the question/,
  touches: ['synth'],
})
await run('stops where the first stack fails', {
  env: { ...cloud, FAILS: '-state' },
  says: /run this again/,
  touches: ['synth', 'state'],
})
await run('wants the image of yours that the file names, and says how to make it', {
  settings: { ...settings, imageVersion: 'mine-1' },
  says: /docker buildx build .*berth\/agent:mine-1[\s\S]*Then run this again/,
  touches: ['synth', 'state'],
})
aws.builds = 'fail'
await run('says how an image’s build failed', {
  says: /The build of \d\S+ failed\. Its log: aws codebuild batch-get-builds[\s\S]*run this again/,
  touches: ['synth', 'state', 'service'],
})
aws.builds = 'make nothing'
await run('does not go on without the image that a build should have made', {
  says: /The build of \S+ succeeded, but the repository has no such image/,
  touches: ['synth', 'state', 'service'],
})
aws.builds = 'succeed'
aws.events = []
aws.refusals.StartBuild = {
  type: 'AccountLimitExceededException',
  message: 'Cannot have more than 0 builds in queue for the account',
}
await run('says what to request when CodeBuild builds nothing for this account', {
  says: /CodeBuild allows this account no build now[^\n]*L-5ED1D25B[^\n]*Then run this again/,
  touches: ['synth', 'state', 'service'],
})
aws.refusals.StartBuild = undefined
for (const [what, type, reason, remedy] of refused) {
  aws.events = [{ id: 'Thing', type, reason }]
  await run(`explains ${what}`, {
    env: { ...cloud, FAILS: '-service' },
    says: remedy,
    touches: ['synth', 'state', 'service'],
  })
}
aws.events = []
await run('stops where the second stack fails', {
  env: { ...cloud, FAILS: '-service' },
  says: /run this again/,
  touches: ['synth', 'state', 'service'],
})
await run('says what does not answer', {
  env: { ...cloud, ORIGIN: 'http://127.0.0.1:9' },
  says: /Deployed, but the smoke test failed:[\s\S]*api\/health answered/,
  touches: ['synth', 'state', 'service'],
})
await run('deploys', {
  exit: 0,
  says: /ok: MCP requires a sign-in[\s\S]*The stage proof is deployed\.[\s\S]*Origin: http/,
  touches: ['synth', 'state', 'service'],
})
const version = readFileSync(join(folder, 'image'), 'utf8')
const started = aws.built.filter((each) => each.startsWith('agent ')).length
const pinned = /^\d[\w.-]+@sha256:[0-9a-f]{64}$/.test(version) && started === 3
console.log(`${pinned ? 'ok  ' : 'FAIL'} gives the service the image by its digest, and builds it once`)
if (!pinned) problems.push(`the version was ${version}; built ${aws.built.join()}`)
/** The release of the service's stack, and its parameters. */
const given = (): Record<string, string> => JSON.parse(readFileSync(join(folder, 'given'), 'utf8'))
function check(what: string, right: boolean) {
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: the stack was given ${JSON.stringify(given())}`)
}
const { Release: first, AtOnce } = given()
check('names the release, and moves calls by a canary', AtOnce === undefined && /^[0-9a-f]{16}$/.test(first ?? ''))
const back = { command: 'rollback' as const, exit: 0, touches: ['service'] }
await run('goes back nowhere while there is one release', {
  ...back,
  exit: 1,
  says: /There is no earlier release/,
  touches: nothing,
})
await run('can be repeated', { exit: 0, says: /a tenth[\s\S]*is deployed/, touches: ['synth', 'state', 'service'] })
check('is the same release then, which publishes nothing', given().Release === first)
await run('says what to do when an alarm took it back', {
  env: { ...cloud, FAILS: '-service' },
  says: /an alarm rang: docs\/runbook\.md#a-deployment-that-was-rolled-back/,
  touches: ['synth', 'state', 'service'],
})
await run('asks no alarm when told so', {
  args: ['--stage', name, '--yes', '--at-once'],
  exit: 0,
  says: /is deployed/,
  touches: ['synth', 'state', 'service'],
})
check('and moves all calls of this release at once', given().AtOnce === first)

aws.answers['/2016-08-19/account-settings'] = concurrency(200)
await run('deploys without reserved concurrency where the account has too little', {
  exit: 0,
  settings: { ...settings, operatorMaxCents: 2 },
  says: /concurrency is too low to reserve \d+[\s\S]*is deployed\./,
  touches: ['synth', 'state', 'service'],
})
const reserves = readFileSync(join(top, 'cdk.out', `berth-${name}-service.template.json`), 'utf8')
if (reserves.includes('ReservedConcurrentExecutions')) problems.push('functions reserve what the account has not')
aws.answers['/2016-08-19/account-settings'] = concurrency(1_000)
await run('does not note as a release what was not well', {
  env: { ...cloud, ORIGIN: 'http://127.0.0.1:9' },
  settings: { ...settings, operatorMaxCents: 1 },
  says: /or roll back: npm run rollback/,
  touches: ['synth', 'state', 'service'],
})
const image = /image: \d\S+/.source
const unwell = given()
await run('goes back to the last that was well', { ...back, says: new RegExp(`${image}[\\s\\S]*runs the release of`) })
check('at once, after a canary', unwell.AtOnce === undefined && given().AtOnce === given().Release)
check('which is another release', unwell.Release !== given().Release)
const kept = readFileSync(join(folder, 'released'), 'utf8')
const app = mkdtempSync(join(folder, 'app-'))
for (const [path, body] of Object.entries<string>(JSON.parse(kept))) writeFileSync(join(app, path), body)
const listed = spawnSync(join(top, 'node_modules/.bin/cdk'), ['list', '--app', app], { encoding: 'utf8', cwd: top })
const readable = listed.stdout.trim() === `berth-${name}-service`
console.log(`${readable ? 'ok  ' : 'FAIL'} from a folder that the CDK’s own command line reads`)
if (!readable) problems.push(`cdk list: ${listed.stdout}${listed.stderr}`)
await run('then to the one before, which was deployed three times', { ...back, says: /runs the release of/ })
check('which is the first', given().Release === first)
await run('and no further', { ...back, exit: 1, says: /no earlier release/, touches: nothing })

// The CDK alone.
const alone = { command: 'cdk' as const, touches: nothing }
const exact = (line: string) => new RegExp(`^${line}\n[^\n]*Subprocess exited with error 1\n$`)
await run('the CDK alone says in one sentence that a stage is missing', {
  ...alone,
  args: ['ls'],
  says: exact('Add the name of a stage, a file in stages/: for example npx cdk deploy --all -c stage=prod'),
  touches: ['ls'],
})
await run('the CDK alone says in one sentence that the credentials belong to another account', {
  ...alone,
  settings: { ...settings, account: '999999999999' },
  args: ['ls', '-c', `stage=${name}`],
  says: exact('These credentials belong to the account 123456789012[^\n]*'),
  touches: ['ls'],
})
await run('or lead to another Region', {
  ...alone,
  settings: { ...settings, region: 'eu-west-1' },
  args: ['ls', '-c', `stage=${name}`],
  says: exact('The Region is eu-central-1[^\n]*export AWS_REGION=eu-west-1'),
  touches: ['ls'],
})
await run('the CDK alone lists both stacks without a warning about its context', {
  ...alone,
  args: ['ls', '-c', `stage=${name}`],
  exit: 0,
  says: new RegExp(`^(?![\\s\\S]*reserved context)[\\s\\S]*berth-${name}-state\nberth-${name}-service\n`),
  touches: ['ls'],
})
const images = aws.built.length
await run('the CDK alone deploys all, in the right order', {
  ...alone,
  args: ['deploy', '--all', '-c', `stage=${name}`],
  settings: { ...settings, runtimes: ['pi'] },
  exit: 0,
  says: /^/,
  touches: ['synth', 'state', 'service'],
})
check('with a new image and no parameter', aws.built.length === images + 1 && Object.keys(given()).join() === 'Release')
await run('a rollback from there goes to the newest release that was noted', { ...back, says: /runs the release of/ })
check('which is the first again', given().Release === first)

// Another stack with a table that the code does not have: as if a table were removed from the code.
const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
}
const other = 'berth-older-state'
await new CloudFormationClient().send(
  new CreateStackCommand({ StackName: other, TemplateBody: JSON.stringify({ Resources: { TablesGone: table } }) }),
)
writeFileSync(join(top, 'stages', 'older.json'), JSON.stringify(settings))
const older = ['--stage', 'older', '--yes']
await run('takes no table away unasked', {
  args: older,
  says: /with data from the stack: TablesGone\. Nothing was changed\. To allow it: --replace TablesGone/,
  touches: ['synth'],
})
await run('and does when it is named', {
  args: [...older, '--replace', 'TablesGone'],
  exit: 0,
  says: /The stage older is deployed/,
  touches: ['synth', other, 'berth-older-service'],
})

for (const made of [file, join(top, 'stages', 'older.json')]) rmSync(made)
await berth.stop()
aws.stop()
await moto.stop()
rmSync(folder, { recursive: true })
for (const problem of problems) console.log(`\n${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0
