import { once } from 'node:events'
import { WebSocket } from 'ws'
import { rewriteToIndex } from '../../lib/edge/cloudfront-functions.ts'
import type { Berth, MakeBuild } from '../../local/main.ts'
import { startBerth } from '../../local/main.ts'
import type { JsonObject } from '../../local/template/json.ts'
import { until } from '../until.ts'
import { lambda, restApi, temporaryFolder, writeAssembly } from './assembly.ts'

/** Writes each message to the table, whose stream goes to `push`. */
const socket = `
const { SOCKET_API, AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID, TABLE } = process.env
exports.handler = async ({ requestContext: { connectionId, eventType }, body }) => {
  if (eventType !== 'MESSAGE') return { statusCode: 200 }
  const { text } = JSON.parse(body)
  const Item = { id: { S: 'push#' + text }, to: { S: connectionId } }
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.PutItem', 'x-amz-date': '20260101T000000Z',
    authorization: 'AWS4-HMAC-SHA256 Credential=' + AWS_ACCESS_KEY_ID + '/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=local' }
  const answer = await fetch(AWS_ENDPOINT_URL_DYNAMODB, { method: 'POST', headers, body: JSON.stringify({ TableName: TABLE, Item }) })
  return { statusCode: answer.status }
}`
const push = `
exports.handler = async ({ Records }) => {
  for (const { dynamodb: { NewImage } } of Records) {
    await fetch(process.env.SOCKET_API + '/@connections/' + encodeURIComponent(NewImage.to.S), {
      method: 'POST', headers: { authorization: 'AWS4-HMAC-SHA256 Credential=' + process.env.AWS_ACCESS_KEY_ID + '/x' }, body: PREFIX + NewImage.id.S })
  }
}`

const integrationUri = (fn: string) => ({
  'Fn::Join': [
    '',
    ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/', { 'Fn::GetAtt': [fn, 'Arn'] }, '/invocations'],
  ],
})
const SOCKET_API = { 'Fn::Join': ['', ['https://', { Ref: 'Socket' }, '.execute-api.us-east-1.amazonaws.com/socket']] }
const ApiId = { Ref: 'Socket' }
const Role = { 'Fn::GetAtt': ['Role', 'Arn'] }
const things = 'arn:aws:dynamodb:us-east-1:000000000000:table/things'
const reading = ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((name) => `dynamodb:${name}`)
const Statement = [
  { Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: things },
  { Effect: 'Allow', Action: reading, Resource: `${things}/stream/*` },
  { Effect: 'Allow', Action: 'dynamodb:ListStreams', Resource: '*' },
  { Effect: 'Allow', Action: 'execute-api:ManageConnections', Resource: '*' },
]

function assembly(prefix: string): string {
  const resources: JsonObject = {
    ...restApi({ 'GET /health': { fn: 'SocketFn' } }),
    SocketFn: lambda('socket', { SOCKET_API, TABLE: { Ref: 'T' } }, { Role }),
    PushFn: lambda('push', { SOCKET_API }, { Role }),
    Role: { Type: 'AWS::IAM::Role', Properties: {} },
    Rights: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyName: 'rights',
        Roles: [{ Ref: 'Role' }],
        PolicyDocument: { Version: '2012-10-17', Statement },
      },
    },
    Permission: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: { 'Fn::GetAtt': ['SocketFn', 'Arn'] },
        Principal: 'apigateway.amazonaws.com',
        SourceArn: 'arn:aws:execute-api:us-east-1:000000000000:*',
      },
    },
    Pages: { Type: 'AWS::CloudFront::Function', Properties: { FunctionCode: rewriteToIndex } },
    Socket: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' },
    },
    SocketStage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId, StageName: 'socket' } },
    ToFn: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { ApiId, IntegrationType: 'AWS_PROXY', IntegrationUri: integrationUri('SocketFn') },
    },
    ...Object.fromEntries(
      ['$connect', 'say'].map((RouteKey, index) => [
        `Route${index}`,
        {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { ApiId, RouteKey, Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'ToFn' }]] } },
        },
      ]),
    ),
    T: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        TableName: 'things',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['T', 'StreamArn'] },
        FunctionName: { Ref: 'PushFn' },
        StartingPosition: 'LATEST',
        FilterCriteria: {
          Filters: [{ Pattern: JSON.stringify({ dynamodb: { Keys: { id: { S: [{ prefix: 'push#' }] } } } }) }],
        },
      },
    },
  }
  return writeAssembly({ S: { resources } }, { socket, push: push.replace('PREFIX', JSON.stringify(prefix)) })
}

describe('a running service', () => {
  const dataDir = temporaryFolder()
  let deploy: (folder: string) => Promise<void>
  let berth: Berth
  const makeBuild: MakeBuild = async () => ({
    assembly: assembly('1 '),
    pages: () => async (_, response) => void response.end('pages'),
    watch: (given) => {
      deploy = given
    },
  })

  beforeAll(async () => {
    berth = await startBerth({ dataDir, port: 0, print: () => {} }, {}, makeBuild)
  })
  afterAll(() => berth.stop())

  async function connect() {
    const client = new WebSocket(`${berth.url.replace('http', 'ws')}/socket`)
    const texts: string[] = []
    client.on('message', (data) => texts.push(data.toString()))
    await once(client, 'open')
    return { client, texts, say: (text: string) => client.send(JSON.stringify({ action: 'say', text })) }
  }

  test('pushes the records of a stream to every connected client, also after a redeploy', async () => {
    const { client, texts, say } = await connect()
    say('a')
    await until(() => texts.length === 1)
    await deploy(assembly('2 '))
    say('b')
    await until(() => texts.length === 2)
    expect(texts).toEqual(['1 push#a', '2 push#b'])
    client.close()
  })

  test('ends its connections when it stops, and starts with nothing to push again', async () => {
    const first = await connect()
    const closed = once(first.client, 'close')
    await berth.stop()
    expect((await closed)[0]).toBe(1001)
    berth = await startBerth({ dataDir, port: 0, print: () => {} }, {}, makeBuild)
    const { texts, say, client } = await connect()
    say('c')
    await until(() => texts.length > 0)
    expect(texts).toEqual(['1 push#c'])
    client.close()
  })
})
