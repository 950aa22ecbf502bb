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
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'

const [command = '', ...args] = process.argv.slice(2)
const what = command === 'deploy' ? (args[0] ?? '') : command
appendFileSync(process.env.CALLS ?? '', `${what}\n`)
if (process.env.FAILS && what.endsWith(process.env.FAILS)) process.exit(1)
const isOurs = command === 'deploy' ? /-(state|service)$/.test(what) : command === 'synth' && args.includes('--output')
if (!isOurs) process.exit(real())
if (command === 'synth') synth(args[args.indexOf('--context') + 1] ?? '', args[args.indexOf('--output') + 1] ?? '')

/** The CDK's own, with all its arguments. @returns its exit status */
function real(): number {
  return spawnSync(process.env.REAL_CDK ?? '', process.argv.slice(2), { stdio: 'inherit' }).status ?? 1
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
  Properties: { Name?: string; SecretString?: string; Value?: { Ref?: string } }
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
  Outputs: Object.fromEntries(Object.entries(outputs).map(([key, Value]) => [key, { Value }])),
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
  await publishValues(await makeSecrets())
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

/** The emulator's stacks make no secrets. @returns the ARNs by logical id */
async function makeSecrets(): Promise<Record<string, string>> {
  const arns: Record<string, string> = {}
  for (const [id, { Type, Properties }] of resources) {
    if (Type !== 'AWS::SecretsManager::Secret') continue
    const secret = { Name: `${what}-${id}`, SecretString: Properties.SecretString ?? '{}' }
    arns[id] = (await new SecretsManagerClient().send(new CreateSecretCommand(secret))).ARN ?? ''
  }
  return arns
}

/** The values that other stacks and commands read. Those of resources that the emulator does not make are their ids. */
async function publishValues(arns: Record<string, string>): Promise<void> {
  for (const [id, { Type, Properties }] of resources) {
    if (Type !== 'AWS::SSM::Parameter') continue
    const Value = arns[Properties.Value?.Ref ?? ''] ?? id
    await new SSMClient().send(new PutParameterCommand({ Name: Properties.Name, Value, Type: 'String' }))
  }
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
