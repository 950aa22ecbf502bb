/** Writes small cloud assemblies, as `cdk synth` would, for the tests of the local runner. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../local/template/json.ts'

interface StackSource {
  resources?: JsonObject
  outputs?: JsonObject
  rest?: JsonObject
  dependsOn?: string[]
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'berth-test-'))
}

/** `bundles` are the sources of index.js, by the names that `lambda()` refers to. */
export function writeAssembly(stacks: Record<string, StackSource>, bundles: Record<string, string> = {}): string {
  const folder = temporaryFolder()
  const artifacts: JsonObject = {}
  for (const [name, { resources = {}, outputs = {}, rest = {}, dependsOn = [] }] of Object.entries(stacks)) {
    artifacts[name] = {
      type: 'aws:cloudformation:stack',
      properties: { templateFile: `${name}.template.json` },
      dependencies: dependsOn,
    }
    write(folder, `${name}.template.json`, { Resources: resources, Outputs: outputs, ...rest })
    const files = Object.keys(bundles).map((bundle) => [
      bundle,
      {
        source: { path: `asset.${bundle}`, packaging: 'zip' },
        destinations: { local: { objectKey: `${bundle}.zip` } },
      },
    ])
    write(folder, `${name}.assets.json`, { files: Object.fromEntries(files) })
  }
  for (const [bundle, source] of Object.entries(bundles)) {
    mkdirSync(join(folder, `asset.${bundle}`))
    writeFileSync(join(folder, `asset.${bundle}`, 'index.js'), source)
  }
  write(folder, 'manifest.json', { version: '1', artifacts })
  return folder
}

function write(folder: string, name: string, content: Json): void {
  writeFileSync(join(folder, name), JSON.stringify(content))
}

export function lambda(bundle: string, variables: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: 'assets', S3Key: `${bundle}.zip` },
      Environment: { Variables: variables },
      Handler: 'index.handler',
      Timeout: 5,
      ...more,
    },
  }
}

interface Proxy {
  /** A function's logical id. */
  fn: string
  stream?: true
  timeoutMs?: number
}

/** A REST API with the stage `api`; `routes` maps `METHOD /path` to integrations, `more` extends the body. */
export function restApi(
  routes: Record<string, Proxy | { integration: JsonObject }>,
  more: JsonObject = {},
): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const [route, target] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const name = method === 'ANY' ? 'x-amazon-apigateway-any-method' : method.toLowerCase()
    const operationId = `op${route.replace(/\W+/g, '_')}`
    const integration = 'integration' in target ? target.integration : lambdaProxy(target)
    paths[path] = { ...paths[path], [name]: { operationId, 'x-amazon-apigateway-integration': integration } }
  }
  const body = { openapi: '3.0.1', 'x-amazon-apigateway-binary-media-types': ['image/*'], paths, ...more }
  return {
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api', Body: body, MinimumCompressionSize: 1024 } },
    Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'api', RestApiId: { Ref: 'Api' } } },
  }
}

function lambdaProxy({ fn, stream, timeoutMs }: Proxy): JsonObject {
  const version = stream ? '2021-11-15' : '2015-03-31'
  const prefix = `arn:aws:apigateway:us-east-1:lambda:path/${version}/functions/`
  const tail = stream ? '/response-streaming-invocations' : '/invocations'
  return {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: { 'Fn::Join': ['', [prefix, { 'Fn::GetAtt': [fn, 'Arn'] }, tail]] },
    ...(stream && { responseTransferMode: 'STREAM' }),
    ...(timeoutMs && { timeoutInMillis: timeoutMs }),
  }
}
