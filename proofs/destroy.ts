/**
 * `npm run prove destroy`: the command that takes a stage down, as an operator runs it, against moto (PyPI) in place of
 * AWS: a stage that keeps its data and a disposable one, each with the resources that make CloudFormation fail.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CloudFormationClient, CreateStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { DescribeRepositoriesCommand, ECRClient, PutImageCommand } from '@aws-sdk/client-ecr'
import { CreateAccessPointCommand, DescribeFileSystemsCommand, EFSClient } from '@aws-sdk/client-efs'
import { CreateRoleCommand, IAMClient, ListRolesCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam'
import { ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { startMoto } from './tools/moto.ts'

const top = join(import.meta.dirname, '..')
const moto = await startMoto()
const cloud = {
  AWS_ENDPOINT_URL: moto.url,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'proof',
  AWS_SECRET_ACCESS_KEY: 'proof',
}
Object.assign(process.env, cloud)
const s3 = new S3Client({ forcePathStyle: true })
const formation = new CloudFormationClient()

const template = (Resources: object) => JSON.stringify({ Resources })
const keep = { DeletionPolicy: 'Retain' }
const policy = (Service: string) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service }, Action: 'sts:AssumeRole' }],
  })

/** Both stacks of a stage as far as the emulator knows their types, with the data of a stage in use. */
async function makeStage(stage: string, kept: boolean): Promise<void> {
  const state = {
    Users: {
      Type: 'AWS::DynamoDB::Table',
      ...(kept && keep),
      Properties: {
        TableName: `${stage}-users`,
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      },
    },
    Files: { Type: 'AWS::S3::Bucket', ...(kept && keep), Properties: { BucketName: `${stage}-files` } },
    Images: { Type: 'AWS::ECR::Repository', ...(kept && keep), Properties: { RepositoryName: `${stage}-images` } },
    Volumes: { Type: 'AWS::EFS::FileSystem', ...(kept && keep), Properties: {} },
  }
  const service = { Cluster: { Type: 'AWS::ECS::Cluster', Properties: { ClusterName: `${stage}-machines` } } }
  await formation.send(new CreateStackCommand({ StackName: `berth-${stage}-state`, TemplateBody: template(state) }))
  await formation.send(new CreateStackCommand({ StackName: `berth-${stage}-service`, TemplateBody: template(service) }))
  for (const key of ['a', 'b/c']) await s3.send(new PutObjectCommand({ Bucket: `${stage}-files`, Key: key, Body: 'x' }))
  await new ECRClient().send(
    new PutImageCommand({
      repositoryName: `${stage}-images`,
      imageTag: '1',
      imageManifest: '{"schemaVersion": 2}',
      imageManifestMediaType: 'application/vnd.oci.image.manifest.v1+json',
    }),
  )
  const { FileSystems = [] } = await new EFSClient().send(new DescribeFileSystemsCommand({}))
  for (const { FileSystemId } of FileSystems)
    await new EFSClient().send(new CreateAccessPointCommand({ ClientToken: `${stage}${FileSystemId}`, FileSystemId }))
  const RoleName = `berth-${stage}-ins_1`
  const iam = new IAMClient()
  await iam.send(
    new CreateRoleCommand({
      RoleName,
      Path: `/berth/${stage}/machines/`,
      AssumeRolePolicyDocument: policy('ecs-tasks.amazonaws.com'),
    }),
  )
  await iam.send(
    new PutRolePolicyCommand({
      RoleName,
      PolicyName: 'volume',
      PolicyDocument: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'elasticfilesystem:ClientMount', Resource: '*' }],
      }),
    }),
  )
}

const isThere = (stack: string): Promise<boolean> =>
  formation.send(new DescribeStacksCommand({ StackName: stack })).then(
    ({ Stacks = [] }) => Stacks[0]?.StackStatus !== 'DELETE_COMPLETE',
    () => false,
  )

/** The remaining resources of a stage. */
async function left(stage: string): Promise<string> {
  const [tables, buckets, repositories, roles] = [
    (await new DynamoDBClient().send(new ListTablesCommand({}))).TableNames ?? [],
    ((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name = '' }) => Name),
    ((await new ECRClient().send(new DescribeRepositoriesCommand({}))).repositories ?? []).map(
      ({ repositoryName = '' }) => repositoryName,
    ),
    (await new IAMClient().send(new ListRolesCommand({ PathPrefix: `/berth/${stage}/` }))).Roles ?? [],
  ]
  const stacks = []
  for (const each of ['state', 'service']) if (await isThere(`berth-${stage}-${each}`)) stacks.push(each)
  const named = [...tables, ...buckets, ...repositories].filter((name) => name.startsWith(`${stage}-`))
  return [...stacks, ...named, ...roles.map(() => 'role')].join(' ')
}

const problems: string[] = []
async function run(
  what: string,
  stage: string,
  wanted: { args?: string[]; says: RegExp; exit?: number; left: string },
) {
  const file = join(top, 'stages', `${stage}.json`)
  const settings = {
    account: '123456789012',
    region: 'eu-central-1',
    mailFrom: 'a@b.example',
    alarmMail: 'a@b.example',
  }
  writeFileSync(file, JSON.stringify(settings))
  const { args = ['--stage', stage, '--yes'], says, exit = 0 } = wanted
  const child = spawn(process.execPath, [join(top, 'bin/destroy.ts'), ...args], {
    env: { PATH: process.env.PATH, ...cloud },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  rmSync(file)
  const seen = await left(stage)
  const right = status === exit && says.test(out + err) && seen === wanted.left
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: exit ${status}, left ${seen}\n${out}${err}`)
}

try {
  await makeStage('kept', true)
  await makeStage('dev', false)
  const [kept, dev] = ['kept', 'dev'].map((stage) => `state service ${stage}-users ${stage}-files ${stage}-images role`)
  await run('says how it is used', 'kept', { args: [], says: /--stage <name>/, exit: 1, left: kept ?? '' })
  await run('asks first, and says what would go and what would stay', 'kept', {
    args: ['--stage', 'kept'],
    says: /To be removed:[\s\S]*berth-kept-service: 1 resources\nTo be kept:[\s\S]*AWS::S3::Bucket kept-files: \$0\.02\d* a GiB-month[\s\S]*--yes skips the question/,
    exit: 1,
    left: kept ?? '',
  })
  await run('says of a stage that may be thrown away that its data goes', 'dev', {
    args: ['--stage', 'dev'],
    says: /! berth-dev-state: 4 resources, with all accounts, wallets, files and secrets\nTo be kept:\n {2}nothing/,
    exit: 1,
    left: dev ?? '',
  })
  await run('takes the service down, and leaves what holds data', 'kept', {
    says: /Deleted the roles of 1 machines[\s\S]*is removed\. These resources remain:[\s\S]*AWS::DynamoDB::Table kept-users/,
    left: 'state kept-users kept-files kept-images',
  })
  await run('has nothing to do the second time', 'kept', {
    says: /To be removed:\nTo be kept:/,
    left: 'state kept-users kept-files kept-images',
  })
  await run('takes all of a stage down that may be thrown away', 'dev', {
    says: /Deleted 2 objects of dev-files[\s\S]*Deleted 1 images of dev-images[\s\S]*These resources remain:\n {2}nothing/,
    left: '',
  })
  await run('says when there is nothing', 'dev', {
    says: /The stage dev does not exist in this account/,
    exit: 1,
    left: '',
  })
} finally {
  await moto.stop()
}
for (const problem of problems) console.log(`\n${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0
