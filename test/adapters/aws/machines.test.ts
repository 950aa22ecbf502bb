import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DescribeTaskDefinitionCommand, DescribeTasksCommand, ECSClient } from '@aws-sdk/client-ecs'
import { DescribeAccessPointsCommand, EFSClient } from '@aws-sdk/client-efs'
import { GetRoleCommand, GetRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam'
import { bus } from '../../../adapters/aws/bus.ts'
import { makeAccessPoint } from '../../../adapters/aws/machine-volume.ts'
import { machines } from '../../../adapters/aws/machines.ts'
import { mail } from '../../../adapters/aws/mail.ts'
import { plans } from '../../../domain/billing/plans.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { alive, type TestCloud } from '../../../emulators/aws/test/cloud.ts'
import { env, openCloud } from '../../cloud.ts'
import { until } from '../../until.ts'

let cloud: TestCloud
beforeAll(async () => {
  cloud = await openCloud()
})
afterAll(() => cloud.close())

const userId = 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
let made = 0
const anInstance = (): InstanceRecord =>
  newInstance({ instanceId: `ins_01KAHB2N3P4Q5R6S7T8V9WXY${String(made++).padStart(2, '0')}`, userId }, 'pro', '1', 0)
const environment = { BERTH_LLM_TOKEN: 'bmt_llm.x.y', BERTH_MODEL: 'default' }
const driver = machines(env)
const cluster = env.variable('CLUSTER_ARN')
const ecs = () => new ECSClient(cloud.client('ECS'))

const definitionOf = async ({ id }: InstanceRecord) =>
  (await ecs().send(new DescribeTaskDefinitionCommand({ taskDefinition: `berth-test-${id}` }))).taskDefinition

async function accessPointsOf({ id }: InstanceRecord) {
  const command = new DescribeAccessPointsCommand({ FileSystemId: 'fs-1' })
  const { AccessPoints = [] } = await new EFSClient(cloud.client('EFS')).send(command)
  return AccessPoints.filter(({ RootDirectory }) => RootDirectory?.Path === `/${id}`)
}

const running = (taskArn: string) => until(async () => (await driver.observe(taskArn)) === 'running')

describe('a machine on ECS', () => {
  test('mounts its own access point, as the runtime’s user, with a role that allows nothing else', async () => {
    const instance = anInstance()
    await driver.run(instance, environment)
    const [point] = await accessPointsOf(instance)
    expect(point).toMatchObject({
      PosixUser: { Uid: 1000, Gid: 1000 },
      RootDirectory: { CreationInfo: { OwnerUid: 1000, OwnerGid: 1000, Permissions: '0700' } },
    })
    const iam = new IAMClient(cloud.client('IAM'))
    const name = { RoleName: `berth-test-${instance.id}` }
    const { Role } = await iam.send(new GetRoleCommand(name))
    expect(Role).toMatchObject({
      Path: '/berth/test/machines/',
      PermissionsBoundary: { PermissionsBoundaryArn: 'arn:aws:iam::000000000000:policy/boundary' },
    })
    const { PolicyDocument } = await iam.send(new GetRolePolicyCommand({ ...name, PolicyName: 'volume' }))
    expect(JSON.parse(decodeURIComponent(PolicyDocument ?? '')).Statement).toEqual([
      {
        Effect: 'Allow',
        Action: ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'],
        Resource: env.variable('FILE_SYSTEM_ARN'),
        Condition: {
          StringEquals: {
            'elasticfilesystem:AccessPointArn': `arn:aws:elasticfilesystem:us-east-1:000000000000:access-point/${point?.AccessPointId}`,
          },
          Bool: { 'aws:SecureTransport': 'true' },
        },
      },
    ])
    const definition = await definitionOf(instance)
    expect(definition).toMatchObject({
      taskRoleArn: Role?.Arn,
      cpu: '1024',
      memory: '2048',
      networkMode: 'awsvpc',
      runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' },
      containerDefinitions: [
        {
          name: 'supervisor',
          image: 'agent:1',
          user: '1001:1001',
          essential: true,
          readonlyRootFilesystem: true,
          linuxParameters: { capabilities: { drop: ['ALL'] } },
          stopTimeout: 60,
          logConfiguration: { logDriver: 'awslogs' },
        },
        {
          name: 'runtime',
          image: 'agent:1',
          user: '1000:1000',
          essential: false,
          readonlyRootFilesystem: true,
          linuxParameters: { capabilities: { drop: ['ALL'] } },
          command: ['setpriv', '--no-new-privs', 'node', 'agent/launcher.ts'],
          logConfiguration: { logDriver: 'awslogs' },
        },
      ],
    })
    expect(definition?.volumes?.[0]).toMatchObject({
      efsVolumeConfiguration: {
        fileSystemId: 'fs-1',
        transitEncryption: 'ENABLED',
        authorizationConfig: { accessPointId: point?.AccessPointId, iam: 'ENABLED' },
      },
    })
  })

  test('shares only the volume between its containers', async () => {
    const instance = anInstance()
    await driver.run(instance, environment)
    const { volumes, containerDefinitions = [] } = (await definitionOf(instance)) ?? {}
    const mounts = containerDefinitions.map(({ mountPoints = [] }) => mountPoints.map((each) => each.sourceVolume))
    expect(mounts).toEqual([
      ['volume', 'supervisor-tmp'],
      ['volume', 'runtime-tmp'],
    ])
    expect(volumes?.map(({ name }) => name)).toEqual(['volume', 'supervisor-tmp', 'runtime-tmp'])
  })

  test.each(plans)(
    'of plan $id leaves the runtime the memory that the supervisor does not use',
    async ({ id, machine }) => {
      const instance = { ...anInstance(), plan: id }
      await driver.run(instance, environment)
      const [supervisor, runtime] = (await definitionOf(instance))?.containerDefinitions ?? []
      expect(supervisor?.memory).toBeUndefined()
      expect(supervisor?.environment).toEqual([{ name: 'BERTH_MEMORY_MIB', value: String(machine.memoryMiB) }])
      expect((supervisor?.memoryReservation ?? 0) + (runtime?.memory ?? 0)).toBe(machine.memoryMiB)
    },
  )

  test('gives the runtime’s container a fresh launcher key and no token', async () => {
    const given = async (role: Record<string, string>) => {
      const taskArn = await driver.run(anInstance(), { ...environment, ...role })
      const { tasks = [] } = await ecs().send(new DescribeTasksCommand({ cluster, tasks: [taskArn] }))
      const [supervisor, runtime, ...more] = tasks[0]?.overrides?.containerOverrides ?? []
      expect([supervisor?.name, runtime?.name, more]).toEqual(['supervisor', 'runtime', []])
      expect(supervisor?.environment).toEqual(expect.arrayContaining(runtime?.environment ?? []))
      return runtime?.environment ?? []
    }
    const [first, second] = [await given({}), await given({})]
    expect(first).toEqual([{ name: 'BERTH_LAUNCHER_KEY', value: expect.stringMatching(/^[\w-]{32}$/) }])
    expect(second).not.toEqual(first)
    expect(await given({ BERTH_ROLE: 'volume-worker' })).toContainEqual({ name: 'BERTH_ROLE', value: 'volume-worker' })
  })

  test('runs with exactly the given environment and carries its owner in tags', async () => {
    const instance = { ...anInstance(), generation: 7 }
    const taskArn = await driver.run(instance, environment)
    const { tasks = [] } = await ecs().send(new DescribeTasksCommand({ cluster, tasks: [taskArn], include: ['TAGS'] }))
    expect(tasks[0]).toMatchObject({
      startedBy: `${userId}/7`,
      group: 'berth-machines',
      launchType: 'FARGATE',
      enableExecuteCommand: false,
    })
    expect(tasks[0]?.tags).toEqual(
      expect.arrayContaining([
        { key: 'instance', value: instance.id },
        { key: 'generation', value: '7' },
      ]),
    )
    await running(taskArn)
    const file = join(cloud.stateFolder, 'volumes', 'fs-1', instance.id, 'seen.json')
    const seen: { env: Record<string, string> } = JSON.parse(
      await until(() => existsSync(file) && readFileSync(file, 'utf8')),
    )
    expect(seen.env).toMatchObject({
      ...environment,
      BERTH_API: 'http://127.0.0.1:8787/api',
      BERTH_SOCKET: 'ws://127.0.0.1:1/socket',
    })
    expect(Object.keys(seen.env).filter((name) => /SECRET|AWS_/.test(name))).toEqual([])
  })

  test('is one task, even when its generation is started again with other tokens or concurrently', async () => {
    const instance = anInstance()
    const starts = ['a', 'b', 'c'].map((token) => driver.run(instance, { BERTH_LLM_TOKEN: token }))
    const [first, ...rest] = await Promise.all(starts)
    expect(rest).toEqual([first, first])
    expect(await driver.run(instance, { BERTH_LLM_TOKEN: 'later' })).toBe(first)
    expect(await driver.alive(instance)).toEqual([{ taskArn: first, generation: 1 }])
  })

  test('runs the exact image of its version, wherever the tag points later', async () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const instance = { ...anInstance(), imageVersion: `1.0.0-abc@${digest}` }
    await driver.run(instance, {})
    const images = (await definitionOf(instance))?.containerDefinitions?.map(({ image }) => image)
    expect(images).toEqual([`agent@${digest}`, `agent@${digest}`])
  })

  test('gets a new task definition only after a change, and keeps its volume', async () => {
    const instance = anInstance()
    await driver.run(instance, environment)
    const before = await definitionOf(instance)
    await driver.run({ ...instance, generation: 2 }, environment)
    expect((await definitionOf(instance))?.revision).toBe(before?.revision)
    await driver.run({ ...instance, generation: 3, plan: 'starter' }, environment)
    const after = await definitionOf(instance)
    expect(after).toMatchObject({ revision: (before?.revision ?? 0) + 1, cpu: '256', memory: '512' })
    expect(after?.volumes).toEqual(before?.volumes)
  })

  test('leaves no access point after its removal, even when a start was cut off', async () => {
    const instance = anInstance()
    await makeAccessPoint(env, instance)
    expect(await accessPointsOf(instance)).toHaveLength(1)
    for (let twice = 0; twice < 2; twice++) await driver.remove(instance)
    expect(await accessPointsOf(instance)).toEqual([])
  })

  test('reports its stop; a stop may be repeated or name an unknown task', async () => {
    const instance = anInstance()
    const taskArn = await driver.run(instance, environment)
    await running(taskArn)
    const file = join(cloud.stateFolder, 'volumes', 'fs-1', instance.id, 'seen.json')
    const { pid }: { pid: number } = JSON.parse(await until(() => existsSync(file) && readFileSync(file, 'utf8')))
    await driver.stop(taskArn, 'paused')
    await driver.stop(taskArn, 'paused')
    await until(async () => (await driver.observe(taskArn)) === 'stopped')
    expect(alive(pid)).toBe(false)
    expect(await driver.alive(instance)).toEqual([])
    const unknown = taskArn.replace(/\w{32}$/, '0'.repeat(32))
    await driver.stop(unknown, 'paused')
    expect(await driver.observe(unknown)).toBe('missing')
  })

  test('causes an error without details of the request when its host refuses it', async () => {
    const secret = 'bmt_llm.hidden'
    const start = driver.run(anInstance(), { BERTH_LLM_TOKEN: secret.repeat(1_000) })
    const error = await start.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'MachineError', recoverable: false })
    expect(String(error)).not.toContain('hidden')
  })
})

describe('e-mail and event bus', () => {
  test('an e-mail is plain text from the service’s address', async () => {
    await mail(env).send({ to: 'ada@example.com', subject: 'Ihr Code – ✓', text: '123456\n' })
    expect(cloud.cloud.mails('ada@example.com')).toMatchObject([
      { from: 'berth@example.com', subject: 'Ihr Code – ✓', text: '123456\n' },
    ])
  })

  test('an event is put on the service’s own bus', async () => {
    await bus(env).publish('instance.wanted', userId)
    const sent = cloud.events.filter(({ source }) => source === 'berth')
    expect(sent).toMatchObject([{ 'detail-type': 'instance.wanted', detail: { userId }, bus: 'berth-test' }])
  })
})
