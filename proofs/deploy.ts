/**
 * `npm run prove deploy`: the deploy command as an operator runs it, against moto (PyPI) in place of AWS and the
 * service of this machine as the deployed one, with each possible failure. After each failure, the output names the
 * command that completes the unfinished work.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

const moto = await startMoto()
const aws = await startCloud(moto.url)
/** The quota of a new account, and a raised one. */
const concurrency = (most: number) => ({
  AccountLimit: { ConcurrentExecutions: most, UnreservedConcurrentExecutions: most },
})
aws.answers['/2016-08-19/account-settings'] = concurrency(1_000)
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
  command?: 'deploy' | 'rollback'
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
  const child = spawn(process.execPath, [join(top, `bin/${command}.ts`), ...args, '--wait', '5'], {
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
  says: /Building the image \d[\s\S]*The image’s build failed[\s\S]*continues with the build/,
  touches: ['synth', 'state'],
})
aws.builds = 'make nothing'
await run('does not go on without the image that a build should have made', {
  says: /Building the image \d[\s\S]*The build of \S+ succeeded, but berth\/agent has no such image/,
  touches: ['synth', 'state'],
})
aws.builds = 'succeed'
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
const [version] = (
  existsSync(join(folder, 'parameters')) ? readFileSync(join(folder, 'parameters'), 'utf8') : ''
).split('\n')
const started = aws.built.filter((each) => each.startsWith('agent ')).length
const pinned = /^AgentVersion=\d[\w.-]+@sha256:[0-9a-f]{64}$/.test(version ?? '') && started === 3
console.log(`${pinned ? 'ok  ' : 'FAIL'} gives the service the image by its digest, and builds it once`)
if (!pinned) problems.push(`the version was ${version}; built ${aws.built.join()}`)
/** The last parameters of the service's stack. */
const given = (): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(folder, 'parameters'), 'utf8')
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
function check(what: string, right: boolean) {
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: the stack was given ${JSON.stringify(given())}`)
}
const { Release: first, Shift: shift } = given()
check('names the release, and moves calls by a canary', shift === 'canary' && /^[0-9a-f]{16}$/.test(first ?? ''))
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
check('and moves all calls at once', given().Shift === 'at-once')

aws.answers['/2016-08-19/account-settings'] = concurrency(10)
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
const image = /AgentVersion: \d\S+@sha256:/.source
const unwell = given()
await run('goes back to the last that was well', { ...back, says: new RegExp(`${image}[\\s\\S]*runs the release of`) })
check('at once, after a canary', unwell.Shift === 'canary' && given().Shift === 'at-once')
check('which is another release', unwell.Release !== given().Release)
const kept = readFileSync(join(folder, 'released'), 'utf8')
const app = mkdtempSync(join(folder, 'app-'))
for (const [path, body] of Object.entries<string>(JSON.parse(kept))) writeFileSync(join(app, path), body)
const listed = spawnSync(join(top, 'node_modules/.bin/cdk'), ['list', '--app', app], { encoding: 'utf8', cwd: top })
const readable = listed.stdout.trim() === `berth-${name}-service`
console.log(`${readable ? 'ok  ' : 'FAIL'} from a folder that the CDK’s own command line reads`)
if (!readable) problems.push(`cdk list: ${listed.stdout}${listed.stderr}`)
await run('then to the one before', { ...back, says: /runs the release of/ })
await run('then one more', { ...back, says: /runs the release of/ })
await run('and to the first', { ...back, says: /runs the release of/ })
await run('and no further', { ...back, exit: 1, says: /no earlier release/, touches: nothing })

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
