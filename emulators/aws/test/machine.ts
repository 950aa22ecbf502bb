import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  DescribeTasksCommand,
  type ECSClient,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
} from '@aws-sdk/client-ecs'
import { CreateAccessPointCommand, type EFSClient } from '@aws-sdk/client-efs'
import { until } from '../../kit/test/until.ts'

/** One user's machine as the product sets it up: an access point and a task definition that mounts it. */
export async function setUpMachine(ecs: ECSClient, efs: EFSClient, user: string, container: object = {}) {
  const point = await efs.send(
    new CreateAccessPointCommand({
      ClientToken: `point-${user}`,
      FileSystemId: 'fs-1',
      PosixUser: { Uid: 2000, Gid: 2000 },
      RootDirectory: { Path: `/${user}`, CreationInfo: { OwnerUid: 2000, OwnerGid: 2000, Permissions: '700' } },
    }),
  )
  const { taskDefinition } = await ecs.send(
    new RegisterTaskDefinitionCommand({
      family: `app-${user}`,
      requiresCompatibilities: ['FARGATE'],
      networkMode: 'awsvpc',
      cpu: '256',
      memory: '512',
      executionRoleArn: 'arn:aws:iam::000000000000:role/execution',
      containerDefinitions: [
        {
          name: 'agent',
          image: 'app-agent:1',
          essential: true,
          environment: [
            { name: 'APP_API', value: 'http://127.0.0.1:1' },
            { name: 'APP_MODEL', value: 'local/echo' },
          ],
          mountPoints: [{ sourceVolume: 'volume', containerPath: '/mnt/app' }],
          logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'app' } },
          ...container,
        },
      ],
      volumes: [
        {
          name: 'volume',
          efsVolumeConfiguration: {
            fileSystemId: 'fs-1',
            transitEncryption: 'ENABLED',
            authorizationConfig: { accessPointId: point.AccessPointId, iam: 'ENABLED' },
          },
        },
      ],
    }),
  )
  return { accessPointId: point.AccessPointId ?? '', taskDefinition: taskDefinition?.taskDefinitionArn ?? '' }
}

export const runInput = (taskDefinition: string, more: Partial<RunTaskCommandInput> = {}): RunTaskCommandInput => ({
  cluster: 'app',
  taskDefinition,
  launchType: 'FARGATE',
  networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'], assignPublicIp: 'ENABLED' } },
  ...more,
})

export async function run(ecs: ECSClient, taskDefinition: string, more: Partial<RunTaskCommandInput> = {}) {
  const { tasks } = await ecs.send(new RunTaskCommand(runInput(taskDefinition, more)))
  return tasks?.[0]?.taskArn ?? ''
}

export async function describe1(ecs: ECSClient, taskArn: string) {
  const { tasks } = await ecs.send(new DescribeTasksCommand({ cluster: 'app', tasks: [taskArn], include: ['TAGS'] }))
  return tasks?.[0]
}

export const reaches = (ecs: ECSClient, taskArn: string, status: string) =>
  until(async () => {
    const task = await describe1(ecs, taskArn)
    return task?.lastStatus === status && task
  })

/** The report that the task's program wrote to its volume. */
export const seen = (stateFolder: string, user: string) =>
  until((): { env: Record<string, string>; pid: number; child?: number } | false => {
    const file = join(stateFolder, 'volumes', 'fs-1', user, 'seen.json')
    if (!existsSync(file)) return false
    const text = readFileSync(file, 'utf8')
    return text.endsWith('}') && JSON.parse(text)
  })
