import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs'
import { DeleteAccessPointCommand, EFSClient } from '@aws-sdk/client-efs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { until } from '../../kit/test/until.ts'
import { alive, type TestCloud, testCloud } from './cloud.ts'
import { describe1, reaches, run, runInput, seen, setUpMachine } from './machine.ts'

let test: TestCloud
let ecs: ECSClient
let efs: EFSClient

beforeAll(async () => {
  test = await testCloud({ clusters: ['app'] })
  ecs = new ECSClient(test.client('ECS'))
  efs = new EFSClient(test.client('EFS'))
})
afterAll(() => test.close())

const eventsOf = (taskArn: string) =>
  test.events
    .map(({ detail }) => detail as Record<string, unknown>) // safe because only ECS emits events in this file
    .filter((detail) => detail.taskArn === taskArn)

describe('a task', () => {
  it('runs its program with its image’s environment, its own variables over it, and none of the parent’s', async () => {
    process.env.SECRET_OF_THE_PARENT = 'leak'
    const { taskDefinition } = await setUpMachine(ecs, efs, 'ann')
    const taskArn = await run(ecs, taskDefinition, {
      startedBy: 'ins_1',
      group: 'machines',
      tags: [{ key: 'user', value: 'ann' }],
      overrides: {
        containerOverrides: [
          {
            name: 'agent',
            environment: [
              { name: 'APP_LLM_TOKEN', value: 'bmt_llm' },
              { name: 'APP_MODEL', value: 'local/other' },
            ],
          },
        ],
      },
    })
    expect(taskArn).toMatch(/^arn:aws:ecs:us-east-1:000000000000:task\/app\/[0-9a-f]{32}$/)

    const running = await reaches(ecs, taskArn, 'RUNNING')
    expect(running).toMatchObject({ startedBy: 'ins_1', group: 'machines', desiredStatus: 'RUNNING' })
    expect(running.tags).toEqual([{ key: 'user', value: 'ann' }])
    expect(running.startedAt).toBeInstanceOf(Date)

    const { env, pid } = await seen(test.stateFolder, 'ann')
    expect(Object.keys(env).sort()).toEqual([
      'APP_API',
      'APP_LLM_TOKEN',
      'APP_MODEL',
      'APP_RUNTIME',
      'HOME',
      'PATH',
      'TMPDIR',
      'VOLUME',
    ])
    expect(env).toMatchObject({ APP_LLM_TOKEN: 'bmt_llm', APP_MODEL: 'local/other', APP_RUNTIME: 'of-image' })
    expect(env.VOLUME).toBe(join(test.stateFolder, 'volumes', 'fs-1', 'ann'))

    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn, reason: 'pause' }))
    const stopped = await reaches(ecs, taskArn, 'STOPPED')
    expect(stopped).toMatchObject({ stopCode: 'UserInitiated', stoppedReason: 'pause' })
    expect(stopped.containers?.[0]).toMatchObject({ name: 'agent', exitCode: 0, lastStatus: 'STOPPED' })
    expect(alive(pid)).toBe(false)
    expect(existsSync(env.HOME ?? '')).toBe(false)
    const logs = join(test.stateFolder, 'logs', 'app-ann', 'agent')
    expect(readdirSync(logs)).toEqual([`${taskArn.split('/').at(-1)}.log`])
    expect(readFileSync(join(logs, readdirSync(logs)[0] ?? ''), 'utf8')).toBe('started\ndraining\n')
  })

  it('reports each step as an event of the real shape', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'ben')
    const taskArn = await run(ecs, taskDefinition, { startedBy: 'ins_2' })
    await reaches(ecs, taskArn, 'RUNNING')
    await seen(test.stateFolder, 'ben')
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    await reaches(ecs, taskArn, 'STOPPED')

    const details = eventsOf(taskArn)
    expect(details.map(({ lastStatus, desiredStatus }) => `${lastStatus}/${desiredStatus}`)).toEqual([
      'PENDING/RUNNING',
      'RUNNING/RUNNING',
      'RUNNING/STOPPED',
      'DEPROVISIONING/STOPPED',
      'STOPPED/STOPPED',
    ])
    expect(details.map(({ version }) => version)).toEqual([2, 3, 4, 5, 6])
    expect(details.at(-1)).toMatchObject({
      clusterArn: 'arn:aws:ecs:us-east-1:000000000000:cluster/app',
      taskDefinitionArn: taskDefinition,
      startedBy: 'ins_2',
      group: 'family:app-ben',
      launchType: 'FARGATE',
      stopCode: 'UserInitiated',
      containers: [{ name: 'agent', exitCode: 0, taskArn }],
      overrides: { containerOverrides: [{ name: 'agent' }] },
      stoppedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    const envelope = test.events.find(({ resources }) => resources[0] === taskArn)
    expect(envelope).toMatchObject({
      version: '0',
      source: 'aws.ecs',
      'detail-type': 'ECS Task State Change',
      account: '000000000000',
      region: 'us-east-1',
      bus: 'default',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
  })

  it('that exits by itself reports its exit code', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'cat', { command: ['crash'] })
    const stopped = await reaches(ecs, await run(ecs, taskDefinition), 'STOPPED')
    expect(stopped).toMatchObject({ stopCode: 'EssentialContainerExited', desiredStatus: 'STOPPED' })
    expect(stopped.containers?.[0]?.exitCode).toBe(7)
  })

  it('that ignores SIGTERM is killed after its stopTimeout, with all its child processes', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'dan', { command: ['stubborn'], stopTimeout: 2 })
    const taskArn = await run(ecs, taskDefinition)
    await seen(test.stateFolder, 'dan')
    const before = Date.now()
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    const stopped = await reaches(ecs, taskArn, 'STOPPED')
    expect(Date.now() - before).toBeGreaterThan(1_900)
    expect(stopped.containers?.[0]?.exitCode).toBe(137)
  })

  it('ends all its child processes when it ends', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'eve', { command: ['family'] })
    const taskArn = await run(ecs, taskDefinition)
    const { child } = await seen(test.stateFolder, 'eve')
    expect(alive(child ?? 0)).toBe(true)
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    await reaches(ecs, taskArn, 'STOPPED')
    await until(() => !alive(child ?? 0))
  })

  it('that is stopped before it began never runs', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'fay')
    const taskArn = await run(ecs, taskDefinition)
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    const stopped = await reaches(ecs, taskArn, 'STOPPED')
    expect(stopped.stopCode).toBe('UserInitiated')
  })

  it('with a deleted access point fails to start', async () => {
    const { taskDefinition, accessPointId } = await setUpMachine(ecs, efs, 'gus')
    await efs.send(new DeleteAccessPointCommand({ AccessPointId: accessPointId }))
    const stopped = await reaches(ecs, await run(ecs, taskDefinition), 'STOPPED')
    expect(stopped.stopCode).toBe('TaskFailedToStart')
    expect(stopped.stoppedReason).toMatch(/^ResourceInitializationError/)
  })
})

describe('RunTask', () => {
  it('returns the same task for a repeated client token, and starts nothing', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'hal')
    const input = runInput(taskDefinition, { clientToken: 'ins_hal:1' })
    const made = await Promise.all([ecs.send(new RunTaskCommand(input)), ecs.send(new RunTaskCommand(input))])
    const arns = new Set(made.flatMap(({ tasks }) => tasks?.map(({ taskArn }) => taskArn)))
    expect(arns.size).toBe(1)
    const [taskArn = ''] = arns
    await reaches(ecs, taskArn, 'RUNNING')
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    await reaches(ecs, taskArn, 'STOPPED')
    const again = await ecs.send(new RunTaskCommand(input))
    expect(again.tasks?.[0]).toMatchObject({ taskArn, lastStatus: 'STOPPED' })

    await expect(ecs.send(new RunTaskCommand({ ...input, startedBy: 'other' }))).rejects.toMatchObject({
      name: 'ConflictException',
      resourceIds: [taskArn],
    })
  })

  it.each([
    ['no cluster', { cluster: 'other' }, 'ClusterNotFoundException'],
    ['no definition', { taskDefinition: 'nobody' }, 'ClientException'],
    ['no network', { networkConfiguration: undefined }, 'InvalidParameterException'],
    [
      'both a launch type and a capacity provider',
      { capacityProviderStrategy: [{ capacityProvider: 'FARGATE' }] },
      'InvalidParameterException',
    ],
    ['a long token', { clientToken: 'x'.repeat(65) }, 'InvalidParameterException'],
    ['an unknown container', { overrides: { containerOverrides: [{ name: 'who' }] } }, 'InvalidParameterException'],
    [
      'overrides past 8192 characters',
      { overrides: { containerOverrides: [{ name: 'agent', environment: [{ name: 'A', value: 'x'.repeat(8192) }] }] } },
      'InvalidParameterException',
    ],
  ])('refuses %s', async (_, more, name) => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'ida')
    await expect(ecs.send(new RunTaskCommand(runInput(taskDefinition, more)))).rejects.toMatchObject({ name })
  })
})

describe('ListTasks and DescribeTasks', () => {
  it('find tasks by family, startedBy and desired status', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'joe')
    const first = await run(ecs, taskDefinition, { startedBy: 'ins_joe' })
    const second = await run(ecs, taskDefinition, { startedBy: 'ins_joe_2' })
    const list = async (filter: object) =>
      (await ecs.send(new ListTasksCommand({ cluster: 'app', ...filter }))).taskArns ?? []
    expect((await list({ family: 'app-joe' })).sort()).toEqual([first, second].sort())
    expect(await list({ startedBy: 'ins_joe' })).toEqual([first])
    expect(await list({ family: 'app-joe', desiredStatus: 'STOPPED' })).toEqual([])
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: first }))
    expect(await list({ family: 'app-joe' })).toEqual([second])
    expect(await list({ family: 'app-joe', desiredStatus: 'STOPPED' })).toEqual([first])
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: second }))
  })

  it('report what is missing', async () => {
    const arn = 'arn:aws:ecs:us-east-1:000000000000:task/app/00000000000000000000000000000000'
    const { tasks, failures } = await ecs.send(new DescribeTasksCommand({ cluster: 'app', tasks: [arn] }))
    expect({ tasks, failures }).toEqual({ tasks: [], failures: [{ arn, reason: 'MISSING' }] })
    await expect(ecs.send(new StopTaskCommand({ cluster: 'app', task: arn }))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    })
    expect(await describe1(ecs, arn)).toBeUndefined()
  })
})

describe('task definitions', () => {
  it('count their revisions, and a deregistered one cannot be run', async () => {
    const first = await setUpMachine(ecs, efs, 'kim')
    const second = await setUpMachine(ecs, efs, 'kim')
    expect([first.taskDefinition, second.taskDefinition].map((arn) => arn.split('/')[1])).toEqual([
      'app-kim:1',
      'app-kim:2',
    ])
    const newest = async () =>
      (await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'app-kim' }))).taskDefinition?.revision
    expect(await newest()).toBe(2)
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: second.taskDefinition }))
    expect(await newest()).toBe(1)
    await expect(ecs.send(new RunTaskCommand(runInput(second.taskDefinition)))).rejects.toMatchObject({
      name: 'ClientException',
      message: 'TaskDefinition is inactive',
    })
  })

  it('have a size that Fargate offers', async () => {
    const register = (cpu: string, memory: string) =>
      ecs.send(
        new RegisterTaskDefinitionCommand({
          family: 'sizes',
          requiresCompatibilities: ['FARGATE'],
          networkMode: 'awsvpc',
          cpu,
          memory,
          containerDefinitions: [{ name: 'agent', image: 'app-agent' }],
        }),
      )
    await expect(register('512', '1024')).resolves.toBeDefined()
    await expect(register('512', '512')).rejects.toMatchObject({ name: 'ClientException' })
    await expect(register('256', '1536')).rejects.toMatchObject({ name: 'ClientException' })
    for (const [cpu, memory] of [
      ['1 vCPU', '2 GB'],
      ['1vcpu', '2GB'],
    ] as const)
      expect((await register(cpu, memory)).taskDefinition).toMatchObject({ cpu: '1024', memory: '2048' })
    expect((await register('.25 vCPU', '0.5 GB')).taskDefinition).toMatchObject({ cpu: '256', memory: '512' })
    await expect(register('1 vCPU', '1 GB')).rejects.toMatchObject({ name: 'ClientException' })
  })
})
