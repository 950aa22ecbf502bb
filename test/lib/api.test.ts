import { codes } from '../../domain/errors.ts'
import { areas, operations } from '../../lambdas/areas.ts'
import { errorBody, statusOf } from '../../lambdas/kit/errors.ts'
import { at, type Synthesis, synthesise, unbundled } from './synthesis.ts'

let synthesis: Synthesis

beforeAll(() => {
  synthesis = synthesise(unbundled())
}, 60_000)

interface Method {
  address: string
  operation: string
  integration: unknown
}

function methods(): Method[] {
  const parts = new Map(synthesis.ofType('AWS::ApiGateway::Resource'))
  const pathOf = (ref: unknown): string => {
    const found = parts.get(String(at(ref, 'Ref')))
    return found ? `${pathOf(found.Properties.ParentId)}/${found.Properties.PathPart}` : ''
  }
  return synthesis.ofType('AWS::ApiGateway::Method').map(([, { Properties }]) => ({
    address: `${Properties.HttpMethod} ${pathOf(Properties.ResourceId)}`,
    operation: String(Properties.OperationName),
    integration: Properties.Integration,
  }))
}

describe('methods', () => {
  test('are the operations, each at each of its addresses, and no others', () => {
    const wanted = operations.flatMap(({ id, http }) =>
      [http.path, ...(http.aliases ?? [])].map((path) => `${http.method} ${path} ${id}`),
    )
    expect(
      methods()
        .map(({ address, operation }) => `${address} ${operation}`)
        .sort(),
    ).toEqual(wanted.sort())
  })

  test('lead to the function of the operation’s area', () => {
    const functions = new Map(synthesis.ofType('AWS::Lambda::Function'))
    const areaOf = new Map(areas.flatMap(({ name, operations: own }) => own.map(({ id }) => [id, name])))
    for (const { operation, integration } of methods()) {
      const uri = JSON.stringify(at(integration, 'Uri'))
      const [, id = ''] = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(uri) ?? []
      expect(functions.get(id)?.Properties.FunctionName).toBe(`berth-local-${areaOf.get(operation)}`)
    }
  })

  test('stream for fifteen minutes when their area streams, and only then', () => {
    const streaming = new Set(
      areas.filter(({ stream }) => stream).flatMap((area) => area.operations.map(({ id }) => id)),
    )
    expect(streaming.size).toBeGreaterThan(0)
    for (const { operation, integration } of methods()) {
      const uri = JSON.stringify(at(integration, 'Uri'))
      const seen = {
        mode: at(integration, 'ResponseTransferMode'),
        timeout: at(integration, 'TimeoutInMillis'),
        streamingUri: /2021-11-15\/functions\/.*response-streaming-invocations/.test(uri),
      }
      expect([operation, seen]).toEqual([
        operation,
        streaming.has(operation)
          ? { mode: 'STREAM', timeout: 900_000, streamingUri: true }
          : { mode: undefined, timeout: undefined, streamingUri: false },
      ])
    }
  })

  test('have at most one variable beside each fixed part, as API Gateway demands', () => {
    const variables = synthesis
      .ofType('AWS::ApiGateway::Resource')
      .filter(([, { Properties }]) => String(Properties.PathPart).startsWith('{'))
      .map(([, { Properties }]) => JSON.stringify(Properties.ParentId))
    expect(new Set(variables).size).toBe(variables.length)
  })

  test('need one permission a function, so that no function policy outgrows its 20 KB', () => {
    const permissions = synthesis.ofType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties)
    const ofApi = permissions.filter(({ Principal }) => Principal === 'apigateway.amazonaws.com')
    expect(ofApi).toHaveLength(areas.filter((area) => area.operations.length > 0).length)
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
  const responses = () => synthesis.ofType('AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties)

  test('are in the error shape with the status of their code', () => {
    expect(responses().length).toBeGreaterThan(15)
    for (const { StatusCode, ResponseTemplates } of responses()) {
      expect(Object.keys(ResponseTemplates as object)).toEqual(['application/json'])
      const body = errorBody.strict().parse(JSON.parse(String(at(ResponseTemplates, 'application/json'))))
      const code = codes.find((one) => one === body.error)
      expect(code && String(statusOf[code])).toBe(StatusCode)
    }
  })

  test('carry the request’s id, and are kept by nobody', () => {
    for (const { ResponseParameters } of responses()) {
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.Cache-Control': "'no-store'",
      })
    }
  })

  test('say when to come back when, and only when, there is too much', () => {
    for (const { ResponseParameters, ResponseTemplates, StatusCode } of responses()) {
      const body = JSON.parse(String(at(ResponseTemplates, 'application/json')))
      const header = at(ResponseParameters, 'gatewayresponse.header.Retry-After')
      expect(header).toBe(StatusCode === '429' ? `'${body.retryAfterSeconds}'` : undefined)
    }
  })

  test.each([
    ['MISSING_AUTHENTICATION_TOKEN', 'not-found'],
    ['INVALID_SIGNATURE', 'not-found'],
    ['DEFAULT_4XX', 'not-found'],
    ['THROTTLED', 'rate-limited'],
    ['REQUEST_TOO_LARGE', 'validation'],
    ['BAD_REQUEST_BODY', 'validation'],
    ['INTEGRATION_FAILURE', 'internal'],
    ['INTEGRATION_TIMEOUT', 'internal'],
    ['WAF_FILTERED', 'forbidden'],
    ['DEFAULT_5XX', 'internal'],
  ])('%s is %s', (type, code) => {
    const found = responses().find(({ ResponseType }) => ResponseType === type)
    expect(JSON.parse(String(at(found, 'ResponseTemplates', 'application/json'))).error).toBe(code)
  })
})
