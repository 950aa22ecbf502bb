/**
 * `npm run prove deploy`: the deploy command as an operator runs it, against moto (PyPI) in place of AWS and the
 * service of this machine as the deployed one, with each possible failure. After each failure, the output names the
 * command that completes the unfinished work.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CloudFormationClient, CreateStackCommand, DeleteStackCommand } from '@aws-sdk/client-cloudformation'
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'
import { deployAlone } from './deploy/alone.ts'
import { checkNewAccount, explainRefusals } from './deploy/new-account.ts'
import {
  aws,
  check,
  cloud,
  concurrency,
  end,
  folder,
  given,
  name,
  problems,
  run,
  settings,
  top,
} from './deploy/operator.ts'

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

await checkNewAccount()
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
const failed = `berth-${name}-state`
await new CloudFormationClient().send(
  new CreateStackCommand({ StackName: failed, TemplateBody: '{"Resources": {"Left": {"Type": "AWS::SNS::Topic"}}}' }),
)
aws.rolledBack.add(failed)
await run('says how to remove a first stack whose creation failed', {
  says: /from a first deployment that failed[^\n]*Delete it:\s+aws \S+ update-termination-protection --no-enable-termination-protection --stack-name berth-proof-state\s+aws \S+ delete-stack --stack-name berth-proof-state\s+aws \S+ wait stack-delete-complete[\s\S]*Then run this again/,
  touches: ['synth'],
})
await new CloudFormationClient().send(new DeleteStackCommand({ StackName: failed }))
aws.rolledBack.delete(failed)
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
await explainRefusals()
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

await deployAlone(first ?? '')
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

rmSync(join(top, 'stages', 'older.json'))
await end()
for (const problem of problems) console.log(`\n${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0
