/** Writes small cloud assemblies, as `cdk synth` would, for the tests of the local runner. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../local/json.ts'

export interface StackSource {
  resources?: JsonObject
  outputs?: JsonObject
  rest?: JsonObject
  dependsOn?: string[]
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'berth-test-'))
}

/** `bundles` are the sources of index.js, by the name that `lambda()` refers to. */
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

/** A REST API with the stage `api`; routes are `METHOD /path` to a function's logical id. */
export function restApi(routes: Record<string, { fn: string; stream?: true; timeoutMs?: number }>): JsonObject {
  const resources: JsonObject = {
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api', BinaryMediaTypes: ['image/*'] } },
    Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'api', RestApiId: { Ref: 'Api' } } },
  }
  for (const [route, { fn, stream, timeoutMs }] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const resource = addPath(resources, path)
    const tail = stream ? '/response-streaming-invocations' : '/invocations'
    const version = stream ? '2021-11-15' : '2015-03-31'
    const prefix = `arn:aws:apigateway:us-east-1:lambda:path/${version}/functions/`
    resources[`Method${Object.keys(resources).length}`] = {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        HttpMethod: method,
        ResourceId: resource,
        OperationName: `op${Object.keys(resources).length}`,
        Integration: {
          Type: 'AWS_PROXY',
          Uri: { 'Fn::Join': ['', [prefix, { 'Fn::GetAtt': [fn, 'Arn'] }, tail]] },
          ...(stream && { ResponseTransferMode: 'STREAM' }),
          ...(timeoutMs && { TimeoutInMillis: timeoutMs }),
        },
      },
    }
  }
  return resources
}

function addPath(resources: JsonObject, path: string): Json {
  let parent: Json = { 'Fn::GetAtt': ['Api', 'RootResourceId'] }
  let id = 'Path'
  for (const part of path.split('/').filter(Boolean)) {
    id += `_${Buffer.from(part).toString('hex')}`
    resources[id] = { Type: 'AWS::ApiGateway::Resource', Properties: { ParentId: parent, PathPart: part } }
    parent = { Ref: id }
  }
  return parent
}
