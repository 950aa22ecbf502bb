import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { rewriteToIndex } from '../../../lib/edge/cloudfront-functions.ts'
import { createFunctions } from '../../../local/functions/functions.ts'
import { createApiHandler } from '../../../local/gateway/api-handler.ts'
import { apiBehaviors } from '../../../local/gateway/behaviors.ts'
import { edgeErrors } from '../../../local/gateway/edge-errors.ts'
import { createGateway } from '../../../local/gateway/gateway.ts'
import { readRestApi } from '../../../local/gateway/rest-api.ts'
import { createStaticHandler, pagesFunction, securityHeaders } from '../../../local/gateway/static-handler.ts'
import type { JsonObject } from '../../../local/template/json.ts'
import { readTemplate } from '../../../local/template/template.ts'
import { until } from '../../until.ts'
import { lambda, restApi, temporaryFolder, writeAssembly } from '../assembly.ts'

const echo = `
const { env } = require('node:process')
exports.handler = async (event, context) => {
  const act = event.queryStringParameters?.act
  if (act === 'throw') throw new TypeError('broken')
  if (act === 'slow') await new Promise((done) => setTimeout(done, 1200))
  if (act === 'malformed') return { body: 'no status' }
  if (act === 'badheader') return { statusCode: 200, headers: { x: 'a\\nb' } }
  if (act === 'exit') process.exit(1)
  if (act === 'env') return { statusCode: 200, body: JSON.stringify({ same: env === process.env, global: globalThis.process.env === env, env }) }
  if (act === 'image') return { statusCode: 200, headers: { 'Content-Type': 'image/png' }, body: Buffer.from([0, 255]).toString('base64'), isBase64Encoded: true }
  if (act === 'headers') return { statusCode: 201, headers: { 'X-Request-Id': 'mine', connection: 'close', 'content-length': '9' }, multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] } }
  if (act === 'large') return { statusCode: 200, body: 'x'.repeat(Number(event.queryStringParameters.size)) }
  if (act === 'challenge') return { statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: '{}' }
  console.log('seen', event.path)
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ event, left: context.getRemainingTimeInMillis(), name: context.functionName }) }
}`

const streaming = `
let finished = 0
exports.handler = awslambda.streamifyResponse(async (event, stream, context) => {
  const act = event.queryStringParameters?.act
  if (act === 'throw') throw new Error('before the head')
  if (act === 'finished') { const out = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: {} }); out.end(String(finished)); return }
  const out = awslambda.HttpResponseStream.from(stream, { statusCode: 202, headers: { 'content-type': 'text/event-stream' }, cookies: ['a=1'] })
  out.write('')
  for (let i = 0; i < 5; i++) {
    await new Promise((done) => setTimeout(done, 60))
    if (act === 'break' && i === 2) throw new Error('in the middle')
    out.write('data: ' + i + '\\n\\n')
  }
  finished += 1
  out.end()
})`

const gatewayResponse = (status: string, code: string): JsonObject => ({
  statusCode: status,
  responseParameters: { 'gatewayresponse.header.X-Request-Id': 'context.requestId' },
  responseTemplates: { 'application/json': `{"error":"${code}","message":$context.error.messageString}` },
})

const resources: JsonObject = {
  Fn: lambda('echo', { TABLE: { Ref: 'AWS::Region' }, ORIGIN: 'https://cloud.example' }),
  Quick: lambda('echo', {}, { Timeout: 1 }),
  Flow: lambda('flow'),
  Headers: {
    Type: 'AWS::CloudFront::ResponseHeadersPolicy',
    Properties: { ResponseHeadersPolicyConfig: { SecurityHeadersConfig: { FrameOptions: { FrameOption: 'DENY' } } } },
  },
  Challenge: {
    Type: 'AWS::CloudFront::ResponseHeadersPolicy',
    Properties: {
      ResponseHeadersPolicyConfig: {
        CustomHeadersConfig: { Items: [{ Header: 'WWW-Authenticate', Value: 'Bearer at="https://cloud.example/x"' }] },
      },
    },
  },
  Distribution: {
    Type: 'AWS::CloudFront::Distribution',
    Properties: {
      DistributionConfig: {
        Origins: [
          { Id: 'api', CustomOriginConfig: {} },
          { Id: 'root', CustomOriginConfig: { OriginReadTimeout: 1 }, OriginPath: '/api' },
        ],
        CustomErrorResponses: [
          { ErrorCode: 404, ErrorCachingMinTTL: 0 },
          { ErrorCode: 504, ErrorCachingMinTTL: 0, ResponseCode: 504, ResponsePagePath: '/error-504.json' },
        ],
        CacheBehaviors: [
          { PathPattern: '/api/things', TargetOriginId: 'api', ResponseHeadersPolicyId: { Ref: 'Challenge' } },
          { PathPattern: '/api/*', TargetOriginId: 'api' },
          { PathPattern: '/things/fix*', TargetOriginId: 'root' },
        ],
      },
    },
  },
  Pages: {
    Type: 'AWS::CloudFront::Function',
    Properties: { FunctionCode: rewriteToIndex },
  },
  ...restApi(
    {
      'GET /': { fn: 'Fn' },
      'GET /things/{id}': { fn: 'Fn' },
      'ANY /things/{id}': { fn: 'Fn' },
      'POST /things': { fn: 'Fn' },
      'GET /things/fixed': { fn: 'Fn' },
      'ANY /files/{path+}': { fn: 'Fn' },
      'GET /quick': { fn: 'Quick' },
      'GET /hasty': { fn: 'Fn', timeoutMs: 100 },
      'GET /flow': { fn: 'Flow', stream: true },
      'GET /plain-as-stream': { fn: 'Fn', stream: true },
    },
    {
      'x-amazon-apigateway-gateway-responses': {
        MISSING_AUTHENTICATION_TOKEN: gatewayResponse('404', 'not-found'),
        REQUEST_TOO_LARGE: gatewayResponse('400', 'validation'),
        DEFAULT_5XX: gatewayResponse('500', 'internal'),
      },
    },
  ),
}

const dataDir = temporaryFolder()
const template = readTemplate(writeAssembly({ S: { resources } }, { echo, flow: streaming }))
const functions = createFunctions(template, dataDir, {
  added: { AWS_ENDPOINT_URL_DYNAMODB: 'http://db' },
  replaced: { ORIGIN: 'http://here', UNUSED: 'x' },
})
const api = readRestApi(template)
const gateway = createGateway(() => {})
let url = ''

beforeAll(async () => {
  const pages = temporaryFolder()
  mkdirSync(join(pages, 'assets'))
  writeFileSync(join(pages, 'index.html'), '<p>home')
  writeFileSync(join(pages, 'error-504.json'), '{"error":"internal"}')
  writeFileSync(join(pages, 'assets/a-1.js'), 'code')
  writeFileSync(join(pages, 'assets/b-2.js'), 'x'.repeat(2000))
  writeFileSync(join(pages, 'assets/c-3.woff2'), 'x'.repeat(2000))
  url = `http://127.0.0.1:${await gateway.listen(0)}`
  const starting = await fetch(url)
  expect([starting.status, await starting.json()]).toEqual([503, { error: 'internal', message: 'Berth is starting.' }])
  const files = createStaticHandler(pages, securityHeaders(template, 'http://127.0.0.1:1'), pagesFunction(template))
  gateway.open({
    stage: api.stage,
    behaviors: apiBehaviors(template, url),
    edgeErrors: edgeErrors(template, files),
    api: createApiHandler(api, functions),
    pages: files,
    local: async ({ url }, response) => {
      if (url === '/local/x') response.end('x')
      return url === '/local/x'
    },
  })
})

afterAll(() => gateway.close())

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape it asserts
async function json(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: any }> {
  const response = await fetch(`${url}${path}`, init)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** The raw response to exactly these bytes. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.end(text)
  })
}

describe('the distribution', () => {
  test('renames a challenge of a function, and adds its own unchanged', async () => {
    const { status, headers } = await json('/api/things/1?act=challenge')
    expect([status, headers.get('www-authenticate'), headers.get('x-amzn-remapped-www-authenticate')]).toEqual([
      401,
      null,
      'Bearer',
    ])
    const added = await json('/api/things?act=x', { method: 'POST' })
    expect([added.status, added.headers.get('www-authenticate')]).toEqual([200, `Bearer at="${url}/x"`])
  })

  test('passes a path outside the stage to the API if a behaviour says so, with its query', async () => {
    const { status, body } = await json('/things/fixed?a=1')
    expect([status, body.event.path, body.event.queryStringParameters]).toEqual([200, '/things/fixed', { a: '1' }])
    expect((await json('/things/other')).status).toBe(404)
  })

  test.each(['GET', 'HEAD', 'POST'])(
    'returns the template’s 504 when an answer has not begun in time: %s',
    async (method) => {
      const answer = await fetch(`${url}/things/fixed?act=slow`, { method })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([504, 'application/json'])
      expect(await answer.text()).toBe(method === 'HEAD' ? '' : '{"error":"internal"}')
      expect((await json('/things/fixed')).status).toBe(200)
    },
  )

  test('returns CloudFront’s own 414 for a long address if the template has no page for it', async () => {
    const answer = await fetch(`${url}/things/fixed?a=${'x'.repeat(8192)}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([414, 'text/html'])
    expect((await fetch(`${url}/things/fixed?a=${'x'.repeat(8000)}`)).status).toBe(200)
  })

  test('waits for a path of the stage, which machines call at API Gateway’s own host', async () => {
    expect((await json('/api/things/fixed?act=slow')).status).toBe(200)
  })
})

describe('the event of a function', () => {
  test('has the shape of a REST proxy integration', async () => {
    const { body } = await json('/api/things/a%2Fb?x=1&x=2&y=%C3%A9', {
      headers: { 'X-Two': 'two', authorization: 'Bearer t' },
    })
    expect(body.event).toMatchObject({
      resource: '/things/{id}',
      path: '/things/a%2Fb',
      httpMethod: 'GET',
      pathParameters: { id: 'a%2Fb' },
      queryStringParameters: { x: '2', y: 'é' },
      multiValueQueryStringParameters: { x: ['1', '2'], y: ['é'] },
      body: null,
      isBase64Encoded: false,
      stageVariables: null,
      requestContext: {
        stage: 'api',
        path: '/api/things/a%2Fb',
        resourcePath: '/things/{id}',
        identity: { sourceIp: '127.0.0.1' },
      },
    })
    expect(body.event.multiValueHeaders.authorization).toEqual(['Bearer t'])
    expect(body.event.headers).not.toHaveProperty('connection')
    expect(body.left).toBeGreaterThan(4000)
    expect(body.name).toBe('S-Fn')
  })

  test('has text bodies as text and binary media types in base64', async () => {
    const text = await json('/api/things', { method: 'POST', body: '{"é":1}' })
    expect(text.body.event).toMatchObject({ body: '{"é":1}', isBase64Encoded: false, pathParameters: null })
    const image = await json('/api/things', {
      method: 'POST',
      body: Buffer.from([255]),
      headers: { 'content-type': 'image/png' },
    })
    expect(image.body.event).toMatchObject({ body: '/w==', isBase64Encoded: true })
  })

  test.each([
    ['/api/things/fixed', '/things/fixed', null],
    ['/api/files/a/b%2e%2e/c', '/files/{path+}', { path: 'a/b%2e%2e/c' }],
    ['/api/', '/', null],
    ['/api', '/', null],
    ['/api/things/%E0%A4%A', '/things/{id}', { id: '%E0%A4%A' }],
  ])('routes %s to %s', async (path, resource, pathParameters) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').event).toMatchObject({ resource, pathParameters })
  })
})

describe('the response', () => {
  test('keeps repeated headers and the function’s own request id, and drops hop-by-hop headers', async () => {
    const response = await fetch(`${url}/api/things/1?act=headers`)
    expect(response.status).toBe(201)
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('x-request-id')).toBe('mine')
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.headers.get('content-length')).not.toBe('9')
  })

  test('is decoded from base64 when the client accepts the binary type', async () => {
    const response = await fetch(`${url}/api/things/1?act=image`, { headers: { accept: 'image/png' } })
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255])
  })

  test.each([
    ['from the template’s minimum size', 1024, 'gzip, br', 'gzip'],
    ['not below it', 1023, 'gzip', null],
    ['not for a client that does not accept it', 5000, 'identity', null],
  ])('is compressed: %s', async (_, size, accept, encoding) => {
    const headers = { 'accept-encoding': accept }
    const response = await fetch(`${url}/api/things/1?act=large&size=${size}`, { headers })
    expect([response.headers.get('content-encoding'), (await response.text()).length]).toEqual([encoding, size])
  })
})

describe('the gateway’s own errors are the template’s gateway responses', () => {
  test.each([
    ['an unknown route', 'GET', '/api/ghost', 404, 'not-found', 'Missing Authentication Token'],
    ['a method that the route lacks', 'DELETE', '/api/things', 404, 'not-found', 'Missing Authentication Token'],
    [
      'a method that ANY does not include',
      'PROPFIND',
      '/api/things/1',
      404,
      'not-found',
      'Missing Authentication Token',
    ],
    ['a function that throws', 'GET', '/api/things/1?act=throw', 500, 'internal', 'Internal server error'],
    ['a malformed answer', 'GET', '/api/things/1?act=malformed', 500, 'internal', 'Internal server error'],
    ['a function that would exit', 'GET', '/api/things/1?act=exit', 500, 'internal', 'Internal server error'],
    ['a function out of time', 'GET', '/api/quick?act=slow', 500, 'internal', 'Internal server error'],
    ['an integration out of time', 'GET', '/api/hasty?act=slow', 500, 'internal', 'Endpoint request timed out'],
    ['a stream that fails before its head', 'GET', '/api/flow?act=throw', 500, 'internal', 'Internal server error'],
    ['a function that does not stream', 'GET', '/api/plain-as-stream', 500, 'internal', 'Internal server error'],
  ])('%s', async (_, method, path, status, error, message) => {
    const answer = await json(path, { method })
    expect(answer).toMatchObject({ status, body: { error, message } })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  test('also for a header that HTTP forbids, which does not end the service', async () => {
    expect(await json('/api/things/1?act=badheader')).toMatchObject({ status: 500, body: { error: 'internal' } })
  })

  test('also for a body of more than 10 MB', async () => {
    const most = await json('/api/things', { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024) })
    expect(most.status).toBe(200)
    const more = await json('/api/things', { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024 + 1) })
    expect(more).toMatchObject({ status: 400, body: { error: 'validation', message: 'Request Too Long' } })
  })

  describe('a compressed body', () => {
    const post = (coding: string, body: Uint8Array<ArrayBuffer>) =>
      json('/api/things', { method: 'POST', body, headers: { 'content-encoding': coding } })
    const text = Buffer.from('{"hello":"wörld"}')

    test.each([
      ['gzip', gzipSync(text)],
      ['GZIP', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['identity', text],
    ])('is decoded from %s for the function', async (coding, body) => {
      expect(await post(coding, body)).toMatchObject({ status: 200, body: { event: { body: text.toString() } } })
    })

    // https://github.com/SaladDay/cc-switch-cli/issues/469 https://github.com/QuantumNous/new-api/issues/4913
    test.each([
      ['zstd', zstdCompressSync(text)],
      ['br', brotliCompressSync(text)],
      ['gzip, gzip', gzipSync(gzipSync(text))],
      ['gzip', text],
      ['gzip', gzipSync(text).subarray(0, -12)],
    ])('with another coding, or with %s declared wrongly, is refused', async (coding, body) => {
      expect((await post(coding, body)).status).toBe(415)
    })

    test('that grows beyond 10 MB is refused as too large', async () => {
      expect(await post('gzip', gzipSync(Buffer.alloc(10 * 1024 * 1024 + 1)))).toMatchObject({
        status: 400,
        body: { message: 'Request Too Long' },
      })
    })
  })

  test('also for bytes that are not HTTP', async () => {
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"error":"validation"/)
  })

  test('also for a foreign Host', async () => {
    const answer = await new Promise<number | undefined>((resolve) => {
      httpRequest(`${url}/api/things/1`, { headers: { host: 'evil.example' } }, (response) =>
        resolve(response.statusCode),
      ).end()
    })
    expect(answer).toBe(403)
  })
})

describe('a slash at the end of a path', () => {
  test('makes no difference', async () => {
    const { status, body } = await json('/api/things/1/')
    expect([status, body.event?.resource ?? body.resource]).toEqual([200, '/things/{id}'])
  })
})

describe('any method', () => {
  test.each(['DELETE', 'OPTIONS', 'HEAD'])('routes %s to the function of the path', async (method) => {
    expect((await fetch(`${url}/api/things/1`, { method })).status).toBe(200)
  })

  test('is not a route of its own', () => {
    expect(api.routes.map(({ method, path }) => `${method} ${path}`)).not.toContain('ANY /things/{id}')
  })
})

describe('a function', () => {
  test('gets the template’s environment and none of the runner’s', async () => {
    const { body } = await json('/api/things/1?act=env')
    expect(body).toMatchObject({
      same: true,
      global: true,
      env: {
        TABLE: 'us-east-1',
        ORIGIN: 'http://here',
        AWS_REGION: 'us-east-1',
        AWS_ENDPOINT_URL_DYNAMODB: 'http://db',
        AWS_LAMBDA_FUNCTION_NAME: 'S-Fn',
        LAMBDA_TASK_ROOT: expect.stringContaining('asset.echo'),
      },
    })
    expect(body.env).not.toHaveProperty('PATH')
    expect(body.env).not.toHaveProperty('UNUSED')
  })

  test('prints to its own log', async () => {
    await json('/api/things/printed')
    const log = () => readFileSync(join(dataDir, 'logs/functions/S-Fn.log'), 'utf8')
    await until(() => log().includes('seen /things/printed'))
    await until(() => log().includes('"errorMessage":"broken"'))
  })
})

describe('streams', () => {
  test('send each chunk as it arrives, and the head before the first chunk', async () => {
    const began = performance.now()
    const response = await fetch(`${url}/api/flow`)
    const headMs = performance.now() - began
    const arrivals: number[] = []
    let text = ''
    for await (const chunk of response.body ?? []) {
      arrivals.push(performance.now() - began)
      text += Buffer.from(chunk)
    }
    expect(response.status).toBe(202)
    expect(response.headers.getSetCookie()).toEqual(['a=1'])
    expect(text).toBe('data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n')
    expect(headMs).toBeLessThan((arrivals[0] ?? 0) - 20)
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(150)
  })

  test('do not stop the function when the client disconnects', async () => {
    const finished = async () => Number(await (await fetch(`${url}/api/flow?act=finished`)).text())
    const before = await finished()
    const leaving = new AbortController()
    const response = await fetch(`${url}/api/flow`, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    expect(await finished()).toBe(before)
    await until(async () => (await finished()) === before + 1)
  })

  test('are cut, not ended, when the function breaks in the middle', async () => {
    const response = await fetch(`${url}/api/flow?act=break`)
    await expect(response.text()).rejects.toThrow()
  })
})

describe('pages and local helpers', () => {
  test('hashed files are cached forever, pages come from index.html, both with the policy headers', async () => {
    const script = await fetch(`${url}/assets/a-1.js`)
    expect(script.headers.get('cache-control')).toContain('immutable')
    expect(script.headers.get('content-type')).toContain('javascript')
    expect(script.headers.get('x-frame-options')).toBe('DENY')
    const etag = script.headers.get('etag') ?? ''
    expect((await fetch(`${url}/assets/a-1.js`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const page = await fetch(`${url}/wallet`)
    expect([page.status, await page.text(), page.headers.get('cache-control')]).toEqual([200, '<p>home', 'no-cache'])
  })

  test.each([
    ['b-2.js', 'gzip', '60'],
    ['a-1.js', null, '4'],
    ['c-3.woff2', null, '2000'],
  ])('%s is compressed as CloudFront would: %s', async (name, encoding, bytes) => {
    const response = await fetch(`${url}/assets/${name}`, { method: 'HEAD' })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(Number(response.headers.get('content-length'))).toBeLessThanOrEqual(Number(bytes))
  })

  test.each(['/..%2f..%2f..%2fetc/passwd', '/%E0%A4%A', '/%00', '//etc/passwd'])(
    '%s is not found, in JSON',
    async (path) => {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*\{"error":"not-found"/)
    },
  )

  test('local helpers answer requests of their own origin only', async () => {
    expect(await (await fetch(`${url}/local/x`)).text()).toBe('x')
    expect(
      (await fetch(`${url}/local/x`, { method: 'POST', headers: { origin: 'https://evil.example' } })).status,
    ).toBe(403)
    expect((await json('/local/ghost')).body.error).toBe('not-found')
  })
})
