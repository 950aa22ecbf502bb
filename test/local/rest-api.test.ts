import { asObject, type JsonObject } from '../../local/json.ts'
import { readRestApi } from '../../local/rest-api.ts'
import { readTemplate } from '../../local/template.ts'
import { notAllowed, restApi, writeAssembly } from './assembly.ts'

describe('an integration that does not run here is refused at the start', () => {
  const proxy = (tail: string): JsonObject => ({
    type: 'aws_proxy',
    uri: `arn:aws:apigateway:us-east-1:lambda:path/x/functions/arn:aws:lambda:us-east-1:0:function:f/${tail}`,
  })
  const mock = notAllowed('GET')
  test.each<[string, JsonObject, RegExp]>([
    [
      'HTTP',
      { type: 'http_proxy', uri: 'https://a.example' },
      /GET \/x is neither a Lambda proxy integration nor a MOCK/,
    ],
    ['none', {}, /GET \/x is neither/],
    ['a stream in its uri only', proxy('response-streaming-invocations'), /GET \/x streams in .* not in both/],
    ['a stream in its mode only', { ...proxy('invocations'), responseTransferMode: 'STREAM' }, /not in both/],
    [
      'a MOCK that lets bodies through',
      { ...mock, passthroughBehavior: 'when_no_match' },
      /more than one fixed answer/,
    ],
    [
      'a MOCK that chooses',
      { ...mock, responses: { ...asObject(mock.responses), '2..': {} } },
      /more than one fixed answer/,
    ],
    ['a MOCK that computes', { ...mock, requestTemplates: { 'text/plain': '#set($a = 1)' } }, /evaluates no templates/],
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
