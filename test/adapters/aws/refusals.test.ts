import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bus } from '../../../adapters/aws/bus.ts'
import { label, labelOf } from '../../../adapters/aws/machine-definition.ts'
import { machines } from '../../../adapters/aws/machines.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { env } from '../../cloud.ts'

/** The next responses of AWS, by action; the last response of a list repeats forever. */
let script: Record<string, { status?: number; body: object }[]> = {}
const asked: { action: string; body: Record<string, unknown> }[] = []

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const action = String(request.headers['x-amz-target']).split('.')[1] ?? ''
  asked.push({ action, body: JSON.parse(Buffer.concat(chunks).toString()) })
  const answers = script[action] ?? [{ status: 400, body: { __type: 'UnknownOperationException' } }]
  const { status = 200, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { body: {} }
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because the server listens on a port
  const endpoints = { AWS_ENDPOINT_URL_ECS: url, AWS_ENDPOINT_URL_EVENTBRIDGE: url }
  Object.assign(process.env, endpoints, {
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

const userId = 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
const instance = newInstance({ instanceId: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0', userId }, 'starter', '1', 0)
const taskArn = 'arn:aws:ecs:us-east-1:000000000000:task/machines/1'
const fault = (__type: string, message: string, more: object = {}) => ({
  status: 400,
  body: { __type, message, ...more },
})

/** Starts a machine whose task definition is already registered. */
async function start(...runTask: { status?: number; body: object }[]) {
  const volume = { fileSystemId: 'fs-1', authorizationConfig: { accessPointId: 'fsap-1' } }
  const taskDefinition = {
    taskDefinitionArn: 'arn:aws:ecs:us-east-1:000000000000:task-definition/f:1',
    volumes: [{ efsVolumeConfiguration: volume }],
    containerDefinitions: [{ dockerLabels: { [label]: labelOf(env, instance, 'fsap-1') } }],
  }
  script = { DescribeTaskDefinition: [{ body: { taskDefinition } }], RunTask: runTask }
  asked.length = 0
  return machines(env).run(instance, { BERTH_LLM_TOKEN: 'hidden' })
}

describe('starting a machine', () => {
  test('with a registered definition makes two calls, in the shape that ECS documents', async () => {
    expect(await start({ body: { tasks: [{ taskArn }], failures: [] } })).toBe(taskArn)
    expect(asked.map(({ action }) => action)).toEqual(['DescribeTaskDefinition', 'RunTask'])
    const launcherKey = { name: 'BERTH_LAUNCHER_KEY', value: expect.stringMatching(/^[\w-]{32}$/) }
    expect(asked[1]?.body).toEqual({
      cluster: env.variable('CLUSTER_ARN'),
      taskDefinition: 'arn:aws:ecs:us-east-1:000000000000:task-definition/f:1',
      count: 1,
      capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
      clientToken: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0:1',
      startedBy: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0/1',
      group: 'berth-machines',
      enableExecuteCommand: false,
      networkConfiguration: {
        awsvpcConfiguration: { subnets: ['subnet-1', 'subnet-2'], securityGroups: ['sg-1'], assignPublicIp: 'ENABLED' },
      },
      overrides: {
        containerOverrides: [
          {
            name: 'supervisor',
            environment: [
              { name: 'BERTH_API', value: 'http://127.0.0.1:8787/api' },
              { name: 'BERTH_SOCKET', value: 'ws://127.0.0.1:1/socket' },
              { name: 'BERTH_LLM_TOKEN', value: 'hidden' },
              launcherKey,
            ],
          },
          { name: 'runtime', environment: [launcherKey] },
        ],
      },
      propagateTags: 'TASK_DEFINITION',
      tags: [{ key: 'generation', value: '1' }],
    })
    const { clientToken, startedBy } = asked[1]?.body ?? {}
    expect(clientToken).toMatch(/^[!-~]{1,64}$/)
    expect(startedBy).toMatch(/^[\w/-]{1,128}$/)
  })

  test.each([
    ['no capacity', { body: { tasks: [], failures: [{ reason: 'RESOURCE:MEMORY' }] } }, true],
    ['a task limit', fault('ClientException', 'You have reached the limit on the number of tasks'), true],
    ['an invalid network', fault('InvalidParameterException', 'hidden: subnet does not exist'), false],
    ['an unused client token', fault('ConflictException', 'hidden', { resourceIds: [] }), false],
    ['missing permissions', fault('AccessDeniedException', 'hidden'), true],
  ])('that fails for %s says whether a retry may work, and nothing of the request', async (_, answer, recoverable) => {
    const error = await start(answer).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'MachineError', recoverable })
    expect(String(error)).not.toContain('hidden')
  })

  test('waits until a new role is known to ECS', async () => {
    const unknown = fault(
      'ClientException',
      "ECS was unable to assume the role 'arn:…' that was provided for this task.",
    )
    expect(await start(unknown, { body: { tasks: [{ taskArn }] } })).toBe(taskArn)
  })
})

test('an event that the bus rejects is an error, although the response is 200', async () => {
  script = { PutEvents: [{ body: { FailedEntryCount: 1, Entries: [{ ErrorCode: 'ThrottlingException' }] } }] }
  await expect(bus(env).publish('instance.wanted', userId)).rejects.toThrow('ThrottlingException')
})
