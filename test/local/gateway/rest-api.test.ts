import { readRestApi } from '../../../local/gateway/rest-api.ts'
import type { JsonObject } from '../../../local/template/json.ts'
import { readTemplate } from '../../../local/template/template.ts'
import { restApi, writeAssembly } from '../assembly.ts'

describe('an integration that does not run here is refused at the start', () => {
  const proxy = (tail: string): JsonObject => ({
    type: 'aws_proxy',
    uri: `arn:aws:apigateway:us-east-1:lambda:path/x/functions/arn:aws:lambda:us-east-1:0:function:f/${tail}`,
  })
  test.each<[string, JsonObject, RegExp]>([
    ['HTTP', { type: 'http_proxy', uri: 'https://a.example' }, /GET \/x is no Lambda proxy integration/],
    ['none', {}, /GET \/x is no/],
    ['a stream in its uri only', proxy('response-streaming-invocations'), /GET \/x streams in .* not in both/],
    ['a stream in its mode only', { ...proxy('invocations'), responseTransferMode: 'STREAM' }, /not in both/],
    ['a MOCK', { type: 'mock' }, /is no Lambda proxy/],
  ])('%s', (_, integration, message) => {
    const folder = writeAssembly({ S: { resources: restApi({ 'GET /x': { integration } }) } })
    expect(() => readRestApi(readTemplate(folder))).toThrow(message)
  })

  test('and so is an API without a body', () => {
    const Api = { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api' } }
    const folder = writeAssembly({ S: { resources: { ...restApi({}), Api } } })
    expect(() => readRestApi(readTemplate(folder))).toThrow(/Api has no Body/)
  })
})
