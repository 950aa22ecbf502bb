/** Deploys a stack as CloudFormation does, as far as the emulator and this proof know its resources. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
import { isComplete, onEvent } from '../../adapters/aws/deployment/image-provider.ts'

interface Resource {
  Type: string
  Properties: {
    Name?: string
    SecretString?: string
    Value?: { Ref?: string }
    tag?: string
    folder?: string
    isYours?: string
  }
}

interface Template {
  Resources: Record<string, Resource>
  Outputs?: Record<string, { Value?: unknown }>
  Parameters?: Record<string, { Default?: string }>
}

const repository = 'berth/agent'
const account = '123456789012'
const region = 'eu-central-1'

/**
 * @param app the folder of the templates
 * @param folder keeps what the stack was given, for the proof
 * @returns false when the stack failed
 */
export async function deployStack(
  stack: string,
  app: string,
  given: Record<string, string>,
  folder: string,
): Promise<boolean> {
  const template: Template = JSON.parse(readFileSync(join(app, `${stack}.template.json`), 'utf8'))
  const required = Object.entries(template.Parameters ?? {}).filter(([, { Default }]) => Default === undefined)
  const missing = required.filter(([name]) => given[name] === undefined).map(([name]) => name)
  if (missing.length > 0) return fail(stack, `Parameters: [${missing.join(', ')}] must have values`)
  const isState = stack.endsWith('-state')
  await publishTemplate(stack, app, template)
  if (!isState) {
    const Release = String(template.Outputs?.Release?.Value)
    writeFileSync(join(folder, 'given'), JSON.stringify({ ...given, Release }))
    if (!app.endsWith('cdk.out') && !app.endsWith('all'))
      writeFileSync(
        join(folder, 'released'),
        JSON.stringify(
          Object.fromEntries(readdirSync(app).map((file) => [file, readFileSync(join(app, file), 'utf8')])),
        ),
      )
    for (const image of Object.values(template.Resources).filter(({ Type }) => Type === 'Custom::BerthImage'))
      if (!(await buildImage(stack, image, folder))) return false
  }
  await createStack(stack, template, isState)
  return true
}

/** The custom resource, called as the CDK's provider calls it. */
async function buildImage(stack: string, { Properties }: Resource, folder: string): Promise<boolean> {
  const project = stack.replace(/-service$/, '-state-images')
  const request = {
    RequestType: 'Create' as const,
    RequestId: crypto.randomUUID(),
    ServiceToken: '',
    ResponseURL: '',
    StackId: '',
    LogicalResourceId: 'Imagesagent',
    ResourceType: 'Custom::BerthImage',
    ResourceProperties: { ServiceToken: '', ...Properties, repository, project },
  }
  try {
    const begun = { ...request, ...(await onEvent(request)) }
    let done = await isComplete(begun)
    for (; !done.IsComplete; done = await isComplete(begun)) await sleep(200)
    writeFileSync(join(folder, 'image'), done.Data?.Version ?? '')
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return fail(stack, `Received response status [FAILED] from custom resource. Message returned: ${message}`)
  }
}

/** Prints the failure as the CDK does, and puts it into the stack's events. */
async function fail(stack: string, reason: string): Promise<false> {
  console.log(`${stack} | CREATE_FAILED | ${reason}`)
  const event = { id: 'Imagesagent', type: 'Custom::BerthImage', reason }
  await fetch(`${process.env.AWS_ENDPOINT_URL}/proof/events`, { method: 'POST', body: JSON.stringify([event]) })
  return false
}

async function createStack(stack: string, template: Template, isState: boolean): Promise<void> {
  const known = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table')
  /** The tag at the end of the address in the template. */
  const tag = /:([\w.-]+)"\]\]/.exec(JSON.stringify(template.Outputs?.AgentImage ?? ''))?.[1]
  const outputs: Record<string, string> = isState
    ? { AgentImage: `${account}.dkr.ecr.${region}.amazonaws.com/${repository}:${tag}` }
    : {
        Origin: process.env.ORIGIN ?? '',
        StripeWebhook: `${process.env.ORIGIN}/api/webhooks/stripe`,
        Release: String(template.Outputs?.Release?.Value),
      }
  const body = {
    // A stack is never empty.
    Resources: { ...Object.fromEntries(known), Emulated: { Type: 'AWS::SNS::Topic' } },
    Outputs: Object.fromEntries(Object.entries(outputs).map(([key, Value]) => [key, { Value }])),
  }
  const given = { StackName: stack, TemplateBody: JSON.stringify(body) }
  const client = new CloudFormationClient()
  const isThere = await client.send(new DescribeStacksCommand({ StackName: stack })).then(
    () => true,
    () => false,
  )
  await client.send(isThere ? new UpdateStackCommand(given) : new CreateStackCommand(given))
  if (!isState || isThere) return
  await publishValues(template, await makeSecrets(stack, template))
  await new ECRClient().send(new CreateRepositoryCommand({ repositoryName: repository })).catch(() => undefined)
  await new CodeBuildClient().send(
    new CreateProjectCommand({
      name: `${stack}-images`,
      serviceRole: `arn:aws:iam::${account}:role/builds`,
      source: { type: 'S3', location: 'assets/source.zip' },
      artifacts: { type: 'NO_ARTIFACTS' },
      environment: { type: 'ARM_CONTAINER', image: 'standard', computeType: 'BUILD_GENERAL1_SMALL' },
    }),
  )
}

/** The emulator's stacks make no secrets. @returns the ARNs by logical id */
async function makeSecrets(stack: string, { Resources }: Template): Promise<Record<string, string>> {
  const arns: Record<string, string> = {}
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    if (Type !== 'AWS::SecretsManager::Secret') continue
    const secret = { Name: `${stack}-${id}`, SecretString: Properties.SecretString ?? '{}' }
    arns[id] = (await new SecretsManagerClient().send(new CreateSecretCommand(secret))).ARN ?? ''
  }
  return arns
}

/** The values that other stacks and commands read. Those of resources that the emulator does not make are their ids. */
async function publishValues({ Resources }: Template, arns: Record<string, string>): Promise<void> {
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    if (Type !== 'AWS::SSM::Parameter') continue
    const Value = arns[Properties.Value?.Ref ?? ''] ?? id
    await new SSMClient().send(new PutParameterCommand({ Name: Properties.Name, Value, Type: 'String' }))
  }
}

/** As the CDK's command line does: uploads the template to the bucket of assets, under the key of its manifest. */
async function publishTemplate(stack: string, app: string, template: Template): Promise<void> {
  const { artifacts } = JSON.parse(readFileSync(join(app, 'manifest.json'), 'utf8'))
  const [, , bucket = '', key] = String(artifacts[stack].properties.stackTemplateAssetObjectUrl)
    .replace(/\$\{AWS::AccountId\}/g, account)
    .replace(/\$\{AWS::Region\}/g, region)
    .split('/')
  const s3 = new S3Client({ forcePathStyle: true })
  await s3
    .send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: { LocationConstraint: region } }))
    .catch(() => {})
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: JSON.stringify(template) }))
}
