import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isComplete, onEvent } from '../../../adapters/aws/deployment/image-provider.ts'

const digest = `sha256:${'a'.repeat(64)}`
/** The state of AWS: whether the repository has the image, and the state of its build. */
let cloud: { hasImage: boolean; build: 'IN_PROGRESS' | 'SUCCEEDED' | 'FAILED' }
let asked: { action: string; body: Record<string, unknown> }[]

const answers: Record<string, () => object> = {
  DescribeImages: () =>
    cloud.hasImage ? { imageDetails: [{ imageDigest: digest }] } : { __type: 'ImageNotFoundException' },
  StartBuild: () => ({ build: { id: 'images:1' } }),
  BatchGetBuilds: () => ({
    builds: [{ buildStatus: cloud.build, currentPhase: 'BUILD', logs: { groupName: 'builds', streamName: '1' } }],
  }),
  GetLogEvents: () => ({
    events: Array.from({ length: 30 }, (_, line) => ({ message: `${line} ${'x'.repeat(400)}\n` })),
  }),
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const action = String(request.headers['x-amz-target']).split('.')[1] ?? ''
  asked.push({ action, body: JSON.parse(Buffer.concat(chunks).toString()) })
  const body = answers[action]?.() ?? { __type: 'UnknownOperationException' }
  response.writeHead('__type' in body ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
  response.end(JSON.stringify(body))
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because the server listens on a port
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_ECR: url,
    AWS_ENDPOINT_URL_CODEBUILD: url,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  })
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})
beforeEach(() => {
  cloud = { hasImage: false, build: 'IN_PROGRESS' }
  asked = []
})

const actions = () => asked.map(({ action }) => action)
const request = (more: object = {}) => ({
  RequestType: 'Create' as const,
  RequestId: 'request-1',
  ServiceToken: '',
  ResponseURL: '',
  StackId: '',
  LogicalResourceId: '',
  ResourceType: 'Custom::BerthImage',
  ResourceProperties: {
    ServiceToken: '',
    repository: 'images',
    tag: '0.1.0-1',
    project: 'builds',
    folder: 'agent',
    isYours: 'false',
    ...more,
  },
})

describe('the custom resource of an image', () => {
  test('builds nothing if the repository has the image', async () => {
    cloud.hasImage = true
    const begun = { ...request(), ...(await onEvent(request())) }
    expect(await isComplete(begun)).toEqual({
      IsComplete: true,
      Data: { Digest: digest, Version: `0.1.0-1@${digest}` },
    })
    expect(actions()).toEqual(['DescribeImages', 'DescribeImages'])
  })

  test('starts one build for one request, and completes when it has succeeded', async () => {
    const begun = { ...request(), ...(await onEvent(request())) }
    expect(asked.at(-1)).toMatchObject({
      action: 'StartBuild',
      body: {
        projectName: 'builds',
        idempotencyToken: 'request-1',
        environmentVariablesOverride: [
          { name: 'FOLDER', value: 'agent' },
          { name: 'TAG', value: '0.1.0-1' },
        ],
      },
    })
    expect(await isComplete(begun)).toEqual({ IsComplete: false })
    cloud = { hasImage: true, build: 'SUCCEEDED' }
    expect(await isComplete(begun)).toMatchObject({ IsComplete: true, Data: { Digest: digest } })
  })

  test('fails with the end of the build’s log, in fewer than the 4 KB that CloudFormation accepts', async () => {
    const begun = { ...request(), ...(await onEvent(request())) }
    cloud.build = 'FAILED'
    const error = await isComplete(begun).catch((thrown: Error) => thrown)
    expect(String(error)).toMatch(/The build of 0\.1\.0-1 failed[\s\S]*batch-get-builds --ids images:1[\s\S]*\n29 x+$/)
    expect(Buffer.byteLength(String(error))).toBeLessThan(2_000)
  })

  test('fails when a build succeeds without the image', async () => {
    const begun = { ...request(), ...(await onEvent(request())) }
    cloud.build = 'SUCCEEDED'
    await expect(isComplete(begun)).rejects.toThrow(/has no such image/)
  })

  test('never builds the operator’s own image', async () => {
    await expect(onEvent(request({ isYours: 'true' }))).rejects.toThrow(/imageVersion.*Push it/)
    expect(actions()).toEqual(['DescribeImages'])
  })

  test('leaves the image when it is deleted', async () => {
    const deletion = { ...request(), RequestType: 'Delete' as const, PhysicalResourceId: 'agent' }
    expect(await onEvent(deletion)).toEqual({ PhysicalResourceId: 'agent' })
    expect(await isComplete(deletion)).toEqual({ IsComplete: true })
    expect(asked).toEqual([])
  })
})
