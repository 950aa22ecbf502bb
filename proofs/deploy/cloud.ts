import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { ECRClient, PutImageCommand } from '@aws-sdk/client-ecr'

interface Cloud {
  url: string
  /** The result of the next builds: the emulator's all succeed. */
  builds: 'succeed' | 'fail' | 'make nothing'
  /** Folder and tag of each started build. */
  built: string[]
  /**
   * Answers that the emulator does not have, by path or by operation name; `undefined` passes the call to the emulator.
   */
  answers: Record<string, object | undefined>
  /** Errors that AWS answers instead of the emulator, by operation name. */
  refusals: Record<string, { type: string; message: string } | undefined>
  /** Failures in the events of every stack, besides the emulator's. */
  events: { id: string; type: string; reason: string }[]
  /** Stacks whose first creation failed. */
  rolledBack: Set<string>
  stop(): void
}

/** The emulator, with an image in the registry after each successful build, as the build would have pushed it. */
export async function startCloud(emulator: string): Promise<Cloud> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (request.url === '/proof/events') {
      cloud.events.push(...JSON.parse(body.toString()))
      return response.end()
    }
    if (body.toString().includes('Action=DescribeStackEvents'))
      return response.writeHead(200, { 'content-type': 'text/xml' }).end(eventsXml(cloud.events))
    const target = String(request.headers['x-amz-target'] ?? '')
    const refusal = cloud.refusals[target.split('.').at(-1) ?? '']
    if (refusal) {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' })
      return response.end(JSON.stringify({ __type: refusal.type, message: refusal.message }))
    }
    if (target.endsWith('.StartBuild')) await build(JSON.parse(body.toString()))
    const own = cloud.answers[target.split('.').at(-1) || `${request.url}`.replace(/\?.*/, '')]
    if (own) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(own))
      return
    }
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers
    const answer = await fetch(`${emulator}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 && { body }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    if (target.endsWith('.BatchGetBuilds') && cloud.builds === 'fail')
      response.end(bytes.toString().replaceAll('"SUCCEEDED"', '"FAILED"'))
    else if (isRolledBack(new URLSearchParams(body.toString()))) response.end(asRolledBack(bytes.toString()))
    else response.end(bytes)
  })

  const isRolledBack = (query: URLSearchParams) =>
    query.get('Action') === 'DescribeStacks' && cloud.rolledBack.has(query.get('StackName') ?? '')

  async function build({
    environmentVariablesOverride = [],
  }: {
    environmentVariablesOverride?: { name: string; value: string }[]
  }) {
    const { FOLDER, TAG = '' } = Object.fromEntries(
      environmentVariablesOverride.map(({ name, value }) => [name, value]),
    )
    cloud.built.push(`${FOLDER} ${TAG}`)
    if (cloud.builds !== 'succeed') return
    await new ECRClient().send(
      new PutImageCommand({
        repositoryName: 'berth/agent',
        imageTag: TAG,
        imageManifest: JSON.stringify({ schemaVersion: 2, annotations: { tag: TAG } }),
        imageManifestMediaType: 'application/vnd.oci.image.manifest.v1+json',
      }),
    )
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens at a port
  const cloud: Cloud = {
    url: `http://127.0.0.1:${port}`,
    builds: 'succeed',
    built: [],
    answers: {},
    refusals: {},
    events: [],
    rolledBack: new Set(),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return cloud
}

/** A protected stack, which the emulator does not know. */
const asRolledBack = (stacks: string): string =>
  stacks
    .replace(/<EnableTerminationProtection>\w+<\/EnableTerminationProtection>/, '')
    .replace(
      /<StackStatus>\w+/,
      '<EnableTerminationProtection>true</EnableTerminationProtection><StackStatus>ROLLBACK_COMPLETE',
    )

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const eventsXml = (events: Cloud['events']): string =>
  `<DescribeStackEventsResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStackEventsResult><StackEvents>${events
    .map(
      ({ id, type, reason }) =>
        `<member><EventId>${id}</EventId><StackId>s</StackId><StackName>s</StackName><Timestamp>${new Date().toISOString()}</Timestamp><LogicalResourceId>${id}</LogicalResourceId><ResourceType>${type}</ResourceType><ResourceStatus>CREATE_FAILED</ResourceStatus><ResourceStatusReason>${escaped(reason)}</ResourceStatusReason></member>`,
    )
    .join('')}</StackEvents></DescribeStackEventsResult></DescribeStackEventsResponse>`
