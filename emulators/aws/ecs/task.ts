import * as z from 'zod'
import { type CloudEvent, envelope } from '../eventbridge.ts'
import { ACCOUNT, tags } from '../protocols.ts'

export const taskOverride = z.looseObject({
  containerOverrides: z
    .array(
      z.looseObject({
        name: z.string(),
        command: z.array(z.string()).optional(),
        environment: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
      }),
    )
    .optional(),
})

/** A task as it is kept. Times are milliseconds since the epoch. */
export const taskRecord = z.object({
  taskArn: z.string(),
  clusterArn: z.string(),
  taskDefinitionArn: z.string(),
  family: z.string(),
  group: z.string(),
  startedBy: z.string().optional(),
  launchType: z.string().optional(),
  capacityProviderName: z.string().optional(),
  cpu: z.string().optional(),
  memory: z.string().optional(),
  overrides: taskOverride,
  tags,
  containers: z
    .array(
      z.object({
        name: z.string(),
        image: z.string(),
        containerArn: z.string(),
        pid: z.number().optional(),
        exitCode: z.number().optional(),
        reason: z.string().optional(),
      }),
    )
    .default([]),
  lastStatus: z.enum(['PROVISIONING', 'PENDING', 'RUNNING', 'DEPROVISIONING', 'STOPPED']),
  desiredStatus: z.enum(['RUNNING', 'STOPPED']),
  version: z.number(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  stoppingAt: z.number().optional(),
  stoppedAt: z.number().optional(),
  stopCode: z.string().optional(),
  stoppedReason: z.string().optional(),
  /** True while the event that says it stopped has not been sent. */
  unreported: z.boolean().optional(),
})
export type TaskRecord = z.infer<typeof taskRecord>
export type ContainerRecord = TaskRecord['containers'][number]

/** A task as DescribeTasks answers it (`time` in epoch seconds) or an event carries it (`time` in ISO 8601 UTC). */
export function describeTask<T>(task: TaskRecord, time: (at: number) => T) {
  const at = (name: string, value: number | undefined) => (value === undefined ? {} : { [name]: time(value) })
  return {
    attachments: [],
    attributes: [{ name: 'ecs.cpu-architecture', value: 'arm64' }],
    availabilityZone: `${task.clusterArn.split(':')[3]}a`,
    ...(task.capacityProviderName ? { capacityProviderName: task.capacityProviderName } : {}),
    clusterArn: task.clusterArn,
    connectivity: 'CONNECTED',
    containers: task.containers.map((container) => ({
      containerArn: container.containerArn,
      taskArn: task.taskArn,
      name: container.name,
      image: container.image,
      lastStatus:
        task.lastStatus === 'PROVISIONING' ? 'PENDING' : container.exitCode === undefined ? lastOf(task) : 'STOPPED',
      networkInterfaces: [],
      ...(container.exitCode === undefined ? {} : { exitCode: container.exitCode }),
      ...(container.reason === undefined ? {} : { reason: container.reason }),
    })),
    cpu: task.cpu,
    memory: task.memory,
    ...at('createdAt', task.createdAt),
    ...at('startedAt', task.startedAt),
    ...at('stoppingAt', task.stoppingAt),
    ...at('stoppedAt', task.stoppedAt),
    desiredStatus: task.desiredStatus,
    enableExecuteCommand: false,
    group: task.group,
    lastStatus: task.lastStatus,
    launchType: task.launchType ?? 'FARGATE',
    overrides: {
      inferenceAcceleratorOverrides: [],
      ...task.overrides,
      containerOverrides: task.overrides.containerOverrides ?? task.containers.map(({ name }) => ({ name })),
    },
    platformFamily: 'Linux',
    platformVersion: '1.4.0',
    startedBy: task.startedBy,
    stopCode: task.stopCode,
    stoppedReason: task.stoppedReason,
    tags: task.tags,
    taskArn: task.taskArn,
    taskDefinitionArn: task.taskDefinitionArn,
    version: task.version,
  }
}

/** Containers know fewer states than tasks. */
const lastOf = ({ lastStatus }: TaskRecord) => (lastStatus === 'DEPROVISIONING' ? 'STOPPED' : lastStatus)

/** The "ECS Task State Change" event of the task's present state. */
export function taskEvent(task: TaskRecord, region: string): CloudEvent {
  const { tags: _, ...detail } = describeTask(task, (at) => new Date(at).toISOString())
  return envelope({
    'detail-type': 'ECS Task State Change',
    source: 'aws.ecs',
    region,
    resources: [task.taskArn],
    // Through JSON, as it travels: what is undefined is not there.
    detail: JSON.parse(JSON.stringify({ ...detail, updatedAt: new Date().toISOString() })),
  })
}

export const clusterArn = (region: string, name: string) => `arn:aws:ecs:${region}:${ACCOUNT}:cluster/${name}`
