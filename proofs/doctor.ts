/**
 * `npm run prove doctor`: the operator's check against moto (PyPI) in place of AWS, this machine's service and its
 * emulators of Stripe and of a model: for a stage without any setup, and for the same stage with a complete one.
 * Answers that moto lacks (SES's account, quotas, Lambda's account) have the shapes that AWS documents.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation'
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'
import { drillParameter } from '../lib/parameters.ts'
import { startBerth } from '../local/main.ts'
import { startCloud } from './deploy/cloud.ts'
import { startMoto } from './tools/moto.ts'
import { createSecret } from './tools/secrets.ts'

const top = join(import.meta.dirname, '..')
const stage = 'proof'
const file = join(top, 'stages', `${stage}.json`)
const folder = mkdtempSync(join(tmpdir(), 'berth-prove-doctor-'))
const moto = await startMoto()
const aws = await startCloud(moto.url)
const berth = await startBerth({ port: 0, dataDir: folder, quiet: true })
const region = 'eu-central-1'
const cloud = {
  AWS_ENDPOINT_URL: aws.url,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: 'proof',
  AWS_SECRET_ACCESS_KEY: 'proof',
}
Object.assign(process.env, cloud)
const secrets = new SecretsManagerClient({ endpoint: aws.url })

/** A secret of the local service. */
async function localSecret(name: string): Promise<string> {
  const endpoint = readFileSync(join(folder, 'data/secrets.endpoint'), 'utf8').trim()
  // The account's owner.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const local = new SecretsManagerClient({ endpoint, region: 'us-east-1', credentials })
  const { SecretString = '{}' } = await local.send(new GetSecretValueCommand({ SecretId: `berth/local/${name}` }))
  return SecretString
}

async function makeStage(): Promise<void> {
  const outputs = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).map(([key, Value]) => [key, { Value }]))
  const make = (end: string, Resources: object, Outputs: object = {}) =>
    new CloudFormationClient().send(
      new CreateStackCommand({
        StackName: `berth-${stage}-${end}`,
        TemplateBody: JSON.stringify({ Resources, Outputs }),
      }),
    )
  const table = {
    AttributeDefinitions: [{ AttributeName: 'userId', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'userId', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  }
  await make('state', {
    Tablesconnections: { Type: 'AWS::DynamoDB::Table', Properties: table },
    VolumesFileSystem: { Type: 'AWS::EFS::FileSystem', Properties: {} },
  })
  await make(
    'service',
    {
      MachinesCluster: { Type: 'AWS::ECS::Cluster', Properties: { ClusterName: 'machines' } },
      AlarmsPage: {
        Type: 'AWS::SNS::Topic',
        Properties: { Subscription: [{ Protocol: 'email', Endpoint: 'ops@example.com' }] },
      },
      AlarmsTicket: {
        Type: 'AWS::SNS::Topic',
        Properties: { Subscription: [{ Protocol: 'email', Endpoint: 'ops@example.com' }] },
      },
    },
    outputs({
      Origin: berth.url,
      DistributionHost: 'd1.cloudfront.net',
      StripeWebhook: `${berth.url}/api/webhooks/stripe`,
    }),
  )
  await createSecret(stage, 'stripe', '{"secretKey": "", "webhookSecrets": []}')
  for (const name of ['providers', 'telegram', 'slack', 'discord'] as const) await createSecret(stage, name, '{}')
}

const problems: string[] = []
async function run(what: string, settings: object, wanted: { exit: number; lines: RegExp[] }): Promise<void> {
  writeFileSync(
    file,
    JSON.stringify({
      account: '123456789012',
      region,
      mailFrom: 'a@b.example',
      alarmMail: 'ops@example.com',
      ...settings,
    }),
  )
  const child = spawn(process.execPath, [join(top, 'bin/doctor.ts'), '--stage', stage], {
    env: { PATH: process.env.PATH, ...cloud },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const unseen = wanted.lines.filter((line) => !line.test(out))
  const right = status === wanted.exit && unseen.length === 0 && !/sk_test|Bearer|whsec_/.test(out + err)
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: exit ${status}, not seen: ${unseen.join(' ')}\n${out}${err}`)
}

const quota = (Value: number) => ({ Quota: { Value } })
try {
  await run('wants a stage that is deployed', {}, { exit: 1, lines: [] })
  await makeStage()
  Object.assign(aws.answers, {
    '/v2/email/account': { ProductionAccessEnabled: false, SendingEnabled: true, SendQuota: { Max24HourSend: 200 } },
    GetServiceQuota: quota(6),
    '/2016-08-19/account-settings': { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } },
  })
  await run(
    'says of each thing that is not set up what to do',
    { domain: { name: 'nothing.invalid', certificateArn: 'arn:x' } },
    {
      exit: 1,
      lines: [
        /^ok +stacks: state CREATE_COMPLETE, service CREATE_COMPLETE/m,
        /^wrong +permission to send e-mail: in the sandbox.*put-account-details/m,
        /^wrong +sender of e-mails: a@b\.example is not verified/m,
        /^ok +vCPUs on Fargate Spot: 0 of 6/m,
        /^wrong +functions: 10 concurrent executions.*L-B99A9384 --desired-value 1000/m,
        /^ok +EFS access points: 0 of 10,000/m,
        /^ok +recipients of pages: ops@example\.com/m,
        /^ok +recipients of tickets: ops@example\.com/m,
        /^wrong +last restore drill: not yet run/m,
        /^ok +the service answers/m,
        /^ok +clock: \d s/m,
        /^wrong +DNS: nothing\.invalid resolves to nothing\. Make the name a CNAME or an alias of d1\.cloudfront\.net/m,
        /^wrong +Stripe: no key/m,
        /^wrong +model providers: none/m,
        /problems\.$/m,
      ],
    },
  )
  Object.assign(aws.answers, {
    '/v2/email/account': {
      ProductionAccessEnabled: true,
      SendingEnabled: true,
      SendQuota: { Max24HourSend: 200, SentLast24Hours: 170 },
    },
    '/2016-08-19/account-settings': {
      AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 420 },
    },
  })
  await new SESv2Client().send(new CreateEmailIdentityCommand({ EmailIdentity: 'b.example' })).catch(() => {})
  const now = new Date().toISOString()
  await new SSMClient().send(new PutParameterCommand({ Name: drillParameter(stage), Value: now, Type: 'String' }))
  const put = async (name: string, value: string) =>
    secrets.send(new PutSecretValueCommand({ SecretId: `berth/${stage}/${name}`, SecretString: value }))
  await put('stripe', await localSecret('stripe'))
  await put('providers', await localSecret('providers'))
  await run(
    'finds what was set up, and calls each provider',
    {},
    {
      exit: 1,
      lines: [
        /^wrong +permission to send e-mail: 170 of 200/m,
        /^wrong +functions: 1000 concurrent executions: 420 unreserved, 0 reserved/m,
        /^ok +last restore drill: 0 days ago/m,
        /^ok +DNS: no domain of its own/m,
        /^ok +Stripe: a test key/m,
        /^ok +model providers: \S+\/\S+ answers/m,
      ],
    },
  )
  const broken = JSON.parse(await localSecret('providers'))
  for (const provider of Object.values<{ baseUrl: string }>(broken)) provider.baseUrl = 'http://127.0.0.1:9/v1'
  await put('providers', JSON.stringify(broken))
  await run(
    'says which provider it cannot reach',
    {},
    { exit: 1, lines: [/^wrong +model providers: .*cannot be reached/m] },
  )
} finally {
  rmSync(file, { force: true })
  await berth.stop()
  aws.stop()
  await moto.stop()
  rmSync(folder, { recursive: true })
}
for (const problem of problems) console.log(`\n${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0
