import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { ACCOUNT, type Action, AwsError, fingerprint, idOf, parse, tags } from '../protocols.ts'
import type { Runner } from './runner.ts'
import { clusterArn, describeTask, type TaskRecord, taskOverride } from './task.ts'
import type { TaskDefinition, TaskDefinitions } from './task-definitions.ts'

const runTask = z.object({
  cluster: z.string().default('default'),
  taskDefinition: z.string(),
  count: z.number().int().min(1, 'must be at least 1').max(10, 'must be at most 10').default(1),
  clientToken: z
    .string()
    .regex(/^[!-~]{1,64}$/, 'is not 1 to 64 printable ASCII characters')
    .optional(),
  startedBy: z.string().max(128).optional(),
  group: z.string().optional(),
  launchType: z.enum(['EC2', 'FARGATE', 'EXTERNAL', 'MANAGED_INSTANCES']).optional(),
  capacityProviderStrategy: z.array(z.looseObject({ capacityProvider: z.string() })).optional(),
  networkConfiguration: z
    .looseObject({ awsvpcConfiguration: z.looseObject({ subnets: z.array(z.string()).min(1) }).optional() })
    .optional(),
  overrides: taskOverride.default({}),
  tags: tags.max(50).default([]),
  platformVersion: z.string().optional(),
  propagateTags: z.string().optional(),
  enableExecuteCommand: z.boolean().optional(),
})
type RunTask = z.infer<typeof runTask>

const oneTask = z.object({ cluster: z.string().default('default'), task: z.string(), reason: z.string().optional() })
const someTasks = z.object({
  cluster: z.string().default('default'),
  tasks: z.array(z.string()).min(1, 'cannot be empty').max(100, 'can be at most 100'),
  include: z.array(z.string()).optional(),
})
const listing = z.object({
  cluster: z.string().default('default'),
  family: z.string().optional(),
  startedBy: z.string().optional(),
  serviceName: z.string().optional(),
  launchType: z.string().optional(),
  desiredStatus: z.enum(['RUNNING', 'PENDING', 'STOPPED']).default('RUNNING'),
  maxResults: z.number().int().min(1).max(100).default(100),
  nextToken: z.string().regex(/^\d+$/, 'is not a token this service gave').default('0'),
})

/** Characters ECS takes for all overrides of one task together. */
const OVERRIDES_LIMIT = 8192

const seconds = (at: number) => at / 1000
const describe = (task: TaskRecord) => describeTask(task, seconds)
const invalid = (message: string) => new AwsError('InvalidParameterException', message)

interface Tasks {
  region: string
  /** The clusters that exist; undefined: any. */
  clusters: string[] | undefined
  definitions: Pick<TaskDefinitions, 'find'>
  runner: Runner
}

/** ECS: RunTask, StopTask, DescribeTasks, ListTasks. */
export const taskActions = (ecs: Tasks): Record<string, Action> => ({
  RunTask: (input) => run(ecs, input),
  StopTask: (input) => stop(ecs, input),
  DescribeTasks: (input) => describeAll(ecs, input),
  ListTasks: (input) => list(ecs, input),
})

function run(ecs: Tasks, input: unknown): object {
  const { definitions, runner } = ecs
  const { tasks, tokens } = runner.state
  const request = parse(runTask, input, 'InvalidParameterException')
  const inCluster = cluster(ecs, request.cluster)
  const { clientToken, ...asked } = request
  const print = fingerprint({ ...asked, cluster: inCluster })
  const before = clientToken === undefined ? undefined : tokens[clientToken]
  if (before) return again(before, print, tasks)
  const definition = definitions.find(request.taskDefinition)
  if (!definition) throw new AwsError('ClientException', 'TaskDefinition not found.')
  if (definition.status === 'INACTIVE') throw new AwsError('ClientException', 'TaskDefinition is inactive')
  checkRun(request, definition)
  const made = Array.from({ length: request.count }, () => newTask(ecs.region, request, inCluster, definition))
  for (const task of made) tasks[task.taskArn] = task
  if (clientToken) tokens[clientToken] = { fingerprint: print, taskArns: made.map(({ taskArn }) => taskArn) }
  runner.save()
  for (const task of made) runner.start(task, definition)
  return { tasks: made.map(describe), failures: [] }
}

/** The answer to a client token that was used before: the same tasks, whatever has become of them. */
function again(
  before: { fingerprint: string; taskArns: string[] },
  print: string,
  tasks: Record<string, TaskRecord>,
): object {
  if (before.fingerprint !== print)
    throw new AwsError('ConflictException', 'The client token belongs to a different RunTask request.', 400, {
      resourceIds: before.taskArns,
    })
  const known = before.taskArns.map((taskArn) => {
    const task = tasks[taskArn]
    return task ? describe(task) : { taskArn, lastStatus: 'STOPPED', desiredStatus: 'STOPPED' }
  })
  return { tasks: known, failures: [] }
}

function checkRun(request: RunTask, definition: TaskDefinition): void {
  if (request.launchType && request.capacityProviderStrategy?.length)
    throw invalid(
      'Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.',
    )
  if (definition.networkMode === 'awsvpc' && !request.networkConfiguration?.awsvpcConfiguration)
    throw invalid("Network Configuration must be provided when networkMode 'awsvpc' is specified.")
  const names = definition.containerDefinitions.map(({ name }) => name)
  for (const { name } of request.overrides.containerOverrides ?? [])
    if (!names.includes(name))
      throw invalid(`Override for container named ${name} is not a container in the TaskDefinition.`)
  if (JSON.stringify(request.overrides).length > OVERRIDES_LIMIT)
    throw invalid(`Container Overrides length must be at most ${OVERRIDES_LIMIT}`)
}

function newTask(region: string, request: RunTask, inCluster: string, definition: TaskDefinition): TaskRecord {
  const id = randomUUID().replaceAll('-', '')
  const name = inCluster.split('cluster/').at(-1)
  return {
    taskArn: `arn:aws:ecs:${region}:${ACCOUNT}:task/${name}/${id}`,
    clusterArn: inCluster,
    taskDefinitionArn: definition.taskDefinitionArn,
    family: definition.family,
    group: request.group ?? `family:${definition.family}`,
    startedBy: request.startedBy,
    launchType: request.launchType,
    capacityProviderName: request.capacityProviderStrategy?.[0]?.capacityProvider,
    cpu: definition.cpu,
    memory: definition.memory,
    overrides: request.overrides,
    tags: request.propagateTags === 'TASK_DEFINITION' ? [...(definition.tags ?? []), ...request.tags] : request.tags,
    containers: definition.containerDefinitions.map((container) => ({
      name: container.name,
      image: container.image,
      containerArn: `arn:aws:ecs:${region}:${ACCOUNT}:container/${name}/${id}/${randomUUID()}`,
    })),
    lastStatus: 'PROVISIONING',
    desiredStatus: 'RUNNING',
    version: 1,
    createdAt: Date.now(),
  }
}

function stop(ecs: Tasks, input: unknown): object {
  const request = parse(oneTask, input, 'InvalidParameterException')
  const task = find(ecs, cluster(ecs, request.cluster), request.task)
  if (!task) throw invalid('The referenced task was not found.')
  ecs.runner.stop(task, request.reason ?? 'Task stopped by user')
  return { task: describe(task) }
}

function describeAll(ecs: Tasks, input: unknown): object {
  const request = parse(someTasks, input, 'InvalidParameterException')
  const inCluster = cluster(ecs, request.cluster)
  const found = request.tasks.map((named) => ({ named, task: find(ecs, inCluster, named) }))
  const withTags = request.include?.includes('TAGS')
  return {
    tasks: found.flatMap(({ task }) => (task ? [withTags ? describe(task) : { ...describe(task), tags: [] }] : [])),
    failures: found.flatMap(({ named, task }) => (task ? [] : [{ arn: arnOf(inCluster, named), reason: 'MISSING' }])),
  }
}

const arnOf = (inCluster: string, named: string) =>
  named.startsWith('arn:') ? named : `${inCluster.replace(':cluster/', ':task/')}/${named}`

function list(ecs: Tasks, input: unknown): object {
  const request = parse(listing, input, 'InvalidParameterException')
  const inCluster = cluster(ecs, request.cluster)
  if (request.startedBy && (request.family || request.serviceName)) throw invalid('startedBy must be the only filter.')
  const wanted = Object.values(ecs.runner.state.tasks).filter(
    (task) =>
      task.clusterArn === inCluster &&
      task.desiredStatus === request.desiredStatus &&
      (request.family === undefined || task.family === request.family) &&
      (request.startedBy === undefined || task.startedBy === request.startedBy) &&
      (request.launchType === undefined || (task.launchType ?? 'FARGATE') === request.launchType) &&
      request.serviceName === undefined,
  )
  const end = Number(request.nextToken) + request.maxResults
  return {
    taskArns: wanted.slice(Number(request.nextToken), end).map(({ taskArn }) => taskArn),
    ...(end < wanted.length ? { nextToken: String(end) } : {}),
  }
}

function cluster({ region, clusters }: Tasks, named: string): string {
  const name = named.split('cluster/').at(-1) ?? named
  if (clusters && !clusters.includes(name)) throw new AwsError('ClusterNotFoundException', 'Cluster not found.')
  return clusterArn(region, name)
}

function find({ runner }: Tasks, inCluster: string, named: string): TaskRecord | undefined {
  const task = Object.values(runner.state.tasks).find(({ taskArn }) => taskArn.endsWith(`/${idOf(named)}`))
  return task?.clusterArn === inCluster ? task : undefined
}
