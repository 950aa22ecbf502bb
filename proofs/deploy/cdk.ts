/**
 * Replaces the CDK's command line where there is no AWS: `synth` is the real one, `deploy` creates the parts of the
 * stack that the emulator knows, with the outputs of a deployment. `FAILS` names the command or stack that fails.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation'
import { CodeBuildClient, CreateProjectCommand } from '@aws-sdk/client-codebuild'
import { CreateRepositoryCommand, ECRClient } from '@aws-sdk/client-ecr'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'

const [command = '', ...args] = process.argv.slice(2)
const what = command === 'deploy' ? (args[0] ?? '') : command
appendFileSync(process.env.CALLS ?? '', `${what}\n`)
if (process.env.FAILS && what.endsWith(process.env.FAILS)) process.exit(1)
const isOurs = command === 'deploy' ? /-(state|service)$/.test(what) : command === 'synth' && args.includes('--output')
if (!isOurs) process.exit(real())
if (command === 'synth') synth(args[args.indexOf('--context') + 1] ?? '', args[args.indexOf('--output') + 1] ?? '')

/** The CDK's own, with all its arguments. @returns its exit status */
function real(): number {
  // The emulator finds the exports of other stacks for a stack that is created, but not for a change set.
  const method = command === 'deploy' ? ['--method=direct'] : []
  return spawnSync(process.env.REAL_CDK ?? '', [...process.argv.slice(2), ...method], { stdio: 'inherit' }).status ?? 1
}

/** The code is the same each time, so each stage's file is synthesised only once. */
function synth(stage: string, output: string): never {
  const file = join(import.meta.dirname, '../../stages', stage.replace('stage=', ''))
  const said = readFileSync(existsSync(`${file}.ts`) ? `${file}.ts` : `${file}.json`)
  const kept = join(process.env.CALLS ?? '', '..', `${stage}-${createHash('sha256').update(said).digest('hex')}`)
  if (!existsSync(kept)) {
    if (real() !== 0) process.exit(1)
    cpSync(output, kept, { recursive: true })
  }
  rmSync(output, { recursive: true, force: true })
  cpSync(kept, output, { recursive: true })
  process.exit()
}

const template = JSON.parse(readFileSync(join(args[args.indexOf('--app') + 1] ?? '', `${what}.template.json`), 'utf8'))
interface Resource {
  Type: string
  Properties: { Name?: string; SecretString?: string }
}
const resources = Object.entries<Resource>(template.Resources)
const known = resources.filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table')
const isState = what.endsWith('-state')
const repository = 'berth/agent'
/** The tag at the end of the address in the template. */
const tag = /:([\w.-]+)"\]\]/.exec(JSON.stringify(template.Outputs?.AgentImage ?? ''))?.[1]
const project = `${what}-images`
const outputs: Record<string, string> = isState
  ? { AgentImage: `123456789012.dkr.ecr.eu-central-1.amazonaws.com/${repository}:${tag}`, ImageBuilds: project }
  : { Origin: process.env.ORIGIN ?? '', StripeWebhook: `${process.env.ORIGIN}/api/webhooks/stripe` }
const body = {
  // A stack is never empty.
  Resources: { ...Object.fromEntries(known), Emulated: { Type: 'AWS::SNS::Topic' } },
  Outputs: { ...Object.fromEntries(Object.entries(outputs).map(([key, Value]) => [key, { Value }])), ...exported() },
}
const parameters = args.flatMap((arg, i) => (args[i - 1] === '--parameters' ? [arg.slice(arg.indexOf(':') + 1)] : []))
if (!isState) writeFileSync(join(process.env.CALLS ?? '', '..', 'parameters'), parameters.join('\n'))
await publishTemplate()
const app = args[args.indexOf('--app') + 1] ?? ''
if (!app.endsWith('cdk.out'))
  writeFileSync(
    join(process.env.CALLS ?? '', '..', 'released'),
    JSON.stringify(Object.fromEntries(readdirSync(app).map((file) => [file, readFileSync(join(app, file), 'utf8')]))),
  )
const given = { StackName: what, TemplateBody: JSON.stringify(body) }
const client = new CloudFormationClient()
const isThere = await client.send(new DescribeStacksCommand({ StackName: what })).then(
  () => true,
  () => false,
)
await client.send(isThere ? new UpdateStackCommand(given) : new CreateStackCommand(given))
if (isState && !isThere) {
  await makeSecrets()
  await new ECRClient().send(new CreateRepositoryCommand({ repositoryName: repository })).catch(() => undefined)
  await new CodeBuildClient().send(
    new CreateProjectCommand({
      name: project,
      serviceRole: 'arn:aws:iam::123456789012:role/builds',
      source: { type: 'S3', location: 'assets/source.zip' },
      artifacts: { type: 'NO_ARTIFACTS' },
      environment: { type: 'ARM_CONTAINER', image: 'standard', computeType: 'BUILD_GENERAL1_SMALL' },
    }),
  )
}

/** The exports of the stack to other stacks, by its own names. */
function exported(): Record<string, object> {
  const all = Object.entries<{ Export?: object }>(template.Outputs ?? {}).filter(([, { Export }]) => Export)
  const arnFor = (key: string) => `arn:aws:codebuild:eu-central-1:123456789012:project/${key}`
  return Object.fromEntries(all.map(([key, { Export }]) => [key, { Value: arnFor(key), Export }]))
}

/** The emulator's stacks make no secrets. */
async function makeSecrets(): Promise<void> {
  const secrets = resources.filter(([, { Type }]) => Type === 'AWS::SecretsManager::Secret')
  for (const [, { Properties }] of secrets)
    await new SecretsManagerClient().send(
      new CreateSecretCommand({ Name: Properties.Name, SecretString: Properties.SecretString ?? '{}' }),
    )
}

/** As the CDK's command line does: uploads the template to the bucket of assets, under the key of its manifest. */
async function publishTemplate(): Promise<void> {
  const { artifacts } = JSON.parse(readFileSync(join(args[args.indexOf('--app') + 1] ?? '', 'manifest.json'), 'utf8'))
  const [, , bucket = '', key] = String(artifacts[what].properties.stackTemplateAssetObjectUrl)
    .replace(/\$\{AWS::AccountId\}/g, '123456789012')
    .replace(/\$\{AWS::Region\}/g, 'eu-central-1')
    .split('/')
  const s3 = new S3Client({ forcePathStyle: true })
  await s3
    .send(
      new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: { LocationConstraint: 'eu-central-1' } }),
    )
    .catch(() => {})
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: JSON.stringify(template) }))
}
