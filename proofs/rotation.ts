/**
 * `npm run prove rotation`: the command that replaces the key between CloudFront and the API, as an operator runs it,
 * against moto (PyPI) in place of AWS. At each step that moto sees, the firewall and the secret accept the key that
 * CloudFront sends.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { CloudFrontClient, CreateDistributionCommand, GetDistributionConfigCommand } from '@aws-sdk/client-cloudfront'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { CreateWebACLCommand, GetWebACLCommand, type Rule, WAFV2Client } from '@aws-sdk/client-wafv2'
import { withEdgeKeys } from '../adapters/aws/edge-key-places.ts'
import { tables } from '../adapters/dynamo/tables.ts'
import { edgeHeaders } from '../lambdas/kit/client-address.ts'
import { deployments } from '../test/lib/synthesis.ts'
import { startMoto } from './tools/moto.ts'
import { createSecret } from './tools/secrets.ts'

const stage = 'proof'
const first = 'a'.repeat(64)
const moto = await startMoto()

/** Sits between the command and moto, and records the state after each call that changes data. */
const seen: string[] = []
const front = createServer(async (request, response) => {
  const body = await buffer(request)
  const { host: _, ...headers } = request.headers
  const answer = await fetch(`${moto.url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(body.byteLength > 0 && { body: new Uint8Array(body) }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const action = String(request.headers['x-amz-target'] ?? request.method)
  if (/Update|Put|PUT/.test(action)) seen.push(await consistency(action))
  const {
    'content-encoding': __,
    'content-length': ___,
    'transfer-encoding': ____,
    ...kept
  } = Object.fromEntries(answer.headers)
  response.writeHead(answer.status, kept).end(bytes)
}).listen(0, '127.0.0.1')
await once(front, 'listening')
const address = front.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`

const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'proof', AWS_SECRET_ACCESS_KEY: 'proof' }
Object.assign(process.env, credentials, { AWS_ENDPOINT_URL: moto.url })
const [firewall, distributions, secrets] = [new WAFV2Client(), new CloudFrontClient(), new SecretsManagerClient()]

const { production } = await deployments()
const template = production.ofType('AWS::WAFv2::WebACL')[0]?.[1].Properties.Rules as Rule[] // safe because CloudFormation and the API use the same names in a rule
const visible = { SampledRequestsEnabled: false, CloudWatchMetricsEnabled: true, MetricName: 'proof' }
const acl = { Name: 'proof-acl', Scope: 'REGIONAL' } as const
const { Summary } = await firewall.send(
  new CreateWebACLCommand({
    ...acl,
    DefaultAction: { Allow: {} },
    VisibilityConfig: visible,
    Rules: withEdgeKeys(template, edgeHeaders.key, [first]),
  }),
)
const aclId = Summary?.Id ?? ''
const { Distribution } = await distributions.send(
  new CreateDistributionCommand({
    DistributionConfig: {
      CallerReference: 'proof',
      Comment: 'proof',
      Enabled: true,
      Origins: {
        Quantity: 1,
        Items: [
          {
            Id: 'api',
            DomainName: 'api.example.com',
            CustomHeaders: { Quantity: 1, Items: [{ HeaderName: edgeHeaders.key, HeaderValue: first }] },
            CustomOriginConfig: { HTTPPort: 80, HTTPSPort: 443, OriginProtocolPolicy: 'https-only' },
          },
        ],
      },
      DefaultCacheBehavior: { TargetOriginId: 'api', ViewerProtocolPolicy: 'https-only' },
    },
  }),
)
const distributionId = Distribution?.Id ?? ''
await createSecret(stage, 'edge-key', JSON.stringify({ key: first }))
await createSecret(stage, 'machine-token-keys', JSON.stringify({ current: first }))
for (const [name, { partition, sort }] of Object.entries<{ partition: string; sort?: string }>(tables)) {
  const keys = [partition, ...(sort ? [sort] : [])]
  await new DynamoDBClient().send(
    new CreateTableCommand({
      TableName: `berth-${stage}-state-Tables${name}00000000-AAAA`,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: keys.map((key) => ({ AttributeName: key, AttributeType: 'S' })),
      KeySchema: keys.map((key, at) => ({ AttributeName: key, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
    }),
  )
}

/** The keys of all three. */
async function state() {
  const { WebACL } = await firewall.send(new GetWebACLCommand({ ...acl, Id: aclId }))
  const rules = JSON.stringify(WebACL?.Rules, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  )
  const config = await distributions.send(new GetDistributionConfigCommand({ Id: distributionId }))
  const sent = config.DistributionConfig?.Origins?.Items?.[0]?.CustomHeaders?.Items?.[0]?.HeaderValue ?? ''
  const secret = await secrets.send(new GetSecretValueCommand({ SecretId: `berth/${stage}/edge-key` }))
  const { key, previous } = JSON.parse(secret.SecretString ?? '{}')
  const accepted = new Set(rules.match(/[0-9a-f]{64}/g))
  return { accepted, sent, known: [key, previous].filter(Boolean) as string[] }
}

async function consistency(action: string): Promise<string> {
  const { accepted, sent, known } = await state()
  const right = accepted.has(sent) && known.includes(sent)
  return `${right ? 'ok  ' : 'FAIL'} after ${action}: ${accepted.size} accepted, ${known.length} known`
}

/** CloudFormation's list of the stack, which moto cannot create for these types: answered as AWS does. */
const listed = createServer(async (request, response) => {
  if ((await text(request)).includes('Action=ListStackResources')) {
    const row = (type: string, id: string) =>
      `<member><ResourceType>${type}</ResourceType><PhysicalResourceId>${id}</PhysicalResourceId><LogicalResourceId>x</LogicalResourceId><ResourceStatus>CREATE_COMPLETE</ResourceStatus><LastUpdatedTimestamp>2026-11-01T00:00:00Z</LastUpdatedTimestamp></member>`
    const rows = [
      row('AWS::WAFv2::WebACL', `${acl.Name}|${aclId}|REGIONAL`),
      row('AWS::CloudFront::Distribution', distributionId),
    ]
    response.writeHead(200, { 'content-type': 'text/xml' })
    response.end(
      `<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult><StackResourceSummaries>${rows.join('')}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`,
    )
  } else response.writeHead(500).end()
}).listen(0, '127.0.0.1')
await once(listed, 'listening')
const listedAt = listed.address()

async function admin(...args: string[]): Promise<{ code: number; out: string }> {
  const child = spawn(process.execPath, ['bin/admin.ts', '--stage', stage, ...args], {
    env: {
      PATH: process.env.PATH,
      USER: 'ada',
      ...credentials,
      AWS_ENDPOINT_URL: url,
      AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${typeof listedAt === 'object' ? listedAt?.port : 0}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, out: out + err }
}

const edge = await admin('rotate', 'edge-key', '--reason', 'proof')
const machine = await admin('rotate', 'machine-token-keys', '--reason', 'proof')
const again = await admin('rotate', 'machine-token-keys', '--reason', 'proof')
const end = await state()
for (const line of seen) console.log(line)
const facts = {
  'the edge key was rotated': edge.code === 0 && end.sent !== first,
  'one key is left everywhere': end.accepted.size === 1 && end.known.length === 1 && end.accepted.has(end.sent),
  'each step kept what is sent accepted': seen.length >= 4 && seen.every((line) => line.startsWith('ok')),
  'the machine-token keys were rotated once': machine.code === 0 && again.code === 2,
}
for (const [fact, holds] of Object.entries(facts)) console.log(`${holds ? 'ok  ' : 'FAIL'} ${fact}`)
if (Object.values(facts).includes(false)) console.log(edge.out, machine.out, again.out)
process.exitCode = Object.values(facts).every(Boolean) ? 0 : 1
await moto.stop()
front.close()
listed.close()
front.closeAllConnections()
listed.closeAllConnections()
