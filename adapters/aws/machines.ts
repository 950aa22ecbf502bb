import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ConflictException,
  type ContainerOverride,
  DescribeTasksCommand,
  ECSClient,
  InvalidParameterException,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs'
import { readStartedBy, startedBy, startFailureCode } from '../../app/instance/ecs-task.ts'
import type { Machines } from '../../app/ports/instance.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { containerNames, MachineError, type TaskStatus, takesSpareCapacity } from '../../domain/instance/machine.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { describeLatest, ensureDefinition, familyOf, removeMachine } from './machine-definition.ts'
import { tolerate } from './tolerate.ts'

/** Machines are Fargate tasks; volumes are EFS access points. */
export const machines = (env: Env): Machines => {
  const ecs = once(() => new ECSClient({ maxAttempts: 5 }))
  const cluster = () => env.variable('CLUSTER_ARN')

  const describe = async (tasks: string[]): Promise<Task[]> =>
    tasks.length === 0 ? [] : ((await ecs().send(new DescribeTasksCommand({ cluster: cluster(), tasks }))).tasks ?? [])

  const list = async (family: string, desiredStatus: 'RUNNING' | 'STOPPED'): Promise<string[]> =>
    (await ecs().send(new ListTasksCommand({ cluster: cluster(), family, desiredStatus }))).taskArns ?? []

  const observeAll = async (taskArns: string[]): Promise<Map<string, TaskStatus>> => {
    const tasks = await describe(taskArns)
    return new Map(taskArns.map((arn) => [arn, statusOf(tasks.find(({ taskArn }) => taskArn === arn))]))
  }

  return {
    async run(instance, environment) {
      try {
        const taskDefinition = await ensureDefinition(ecs(), env, instance)
        return await runTask(ecs(), taskOf(env, instance, taskDefinition, environment))
      } catch (error) {
        throw asMachineError(error)
      }
    },

    async stop(taskArn, reason) {
      const command = new StopTaskCommand({ cluster: cluster(), task: taskArn, reason })
      // ECS's answer for a forgotten task.
      await tolerate(InvalidParameterException, ecs().send(command))
    },

    observe: async (taskArn) => (await observeAll([taskArn])).get(taskArn) ?? 'missing',

    observeAll,

    async alive(instance) {
      const family = familyOf(env, instance)
      // A stopping task is listed as STOPPED while it may still write.
      const arns = await Promise.all([list(family, 'RUNNING'), list(family, 'STOPPED')])
      const tasks = await describe(arns.flat().slice(0, 100))
      return tasks
        .filter((task) => statusOf(task) !== 'stopped')
        .map((task) => ({ taskArn: task.taskArn ?? '', generation: readStartedBy(task.startedBy)?.generation ?? 0 }))
    },

    hasVolume: async (instance) => (await describeLatest(ecs(), familyOf(env, instance))) !== undefined,

    remove: (instance) => removeMachine(ecs(), env, instance),
  }
}

function statusOf(task: Task | undefined): TaskStatus {
  if (!task) return 'missing'
  const { lastStatus, desiredStatus } = task
  if (lastStatus === 'STOPPED' || lastStatus === 'DELETED') return 'stopped'
  if (desiredStatus === 'STOPPED') return 'stopping'
  return lastStatus === 'RUNNING' ? 'running' : 'starting'
}

const capacityOf = (instance: InstanceRecord): Pick<RunTaskCommandInput, 'launchType' | 'capacityProviderStrategy'> =>
  takesSpareCapacity(instance)
    ? { capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] }
    : { launchType: 'FARGATE' }

const whereServiceIs = (env: Env): Record<string, string> => ({
  BERTH_API: env.variable('API_BASE'),
  BERTH_SOCKET: env.variable('SOCKET_API').replace(/^http/, 'ws'),
})

/** The runtime's container gets only the launcher's one-time key. */
function overridesOf(environment: Record<string, string>): ContainerOverride[] {
  const shared = {
    BERTH_LAUNCHER_KEY: randomBytes(24).toString('base64url'),
    ...(environment.BERTH_ROLE && { BERTH_ROLE: environment.BERTH_ROLE }),
  }
  const pairs = (of: Record<string, string>) => Object.entries(of).map(([name, value]) => ({ name, value }))
  return [
    { name: containerNames.supervisor, environment: pairs({ ...environment, ...shared }) },
    { name: containerNames.runtime, environment: pairs(shared) },
  ]
}

const taskOf = (
  env: Env,
  instance: InstanceRecord,
  taskDefinition: string,
  environment: Record<string, string>,
): RunTaskCommandInput => ({
  cluster: env.variable('CLUSTER_ARN'),
  taskDefinition,
  count: 1,
  ...capacityOf(instance),
  // At most 64 characters of ASCII 33–126: an id of 30, a colon and digits.
  clientToken: `${instance.id}:${instance.generation}`,
  startedBy: startedBy(instance),
  group: 'berth-machines',
  enableExecuteCommand: false,
  networkConfiguration: {
    awsvpcConfiguration: {
      subnets: env.variable('SUBNET_IDS').split(','),
      securityGroups: [env.variable('SECURITY_GROUP_ID')],
      assignPublicIp: 'ENABLED',
    },
  },
  overrides: { containerOverrides: overridesOf({ ...whereServiceIs(env), ...environment }) },
  propagateTags: 'TASK_DEFINITION',
  tags: [{ key: 'generation', value: String(instance.generation) }],
})

/** A new role is not known everywhere at once: tries, and the wait between them, ms. */
const roleTries = 5
const roleWaitMs = 3_000

async function runTask(ecs: ECSClient, input: RunTaskCommandInput): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { tasks, failures } = await ecs.send(new RunTaskCommand(input))
      const taskArn = tasks?.[0]?.taskArn
      if (taskArn) return taskArn
      const reason = failures?.[0]?.reason ?? 'no reason given'
      throw new MachineError(`RunTask answered no task: ${reason}`, true, startFailureCode(reason) ?? 'start-failed')
    } catch (error) {
      // Each call has new tokens in the overrides, so a repeated start is a conflict that names the started task.
      const [started] = error instanceof ConflictException ? (error.resourceIds ?? []) : []
      if (started) return started
      if (!isNewRole(error) || attempt === roleTries) throw error
      await sleep(roleWaitMs)
    }
  }
}

const isNewRole = (error: unknown): boolean =>
  error instanceof Error && /unable to assume|assume the role/i.test(error.message)

/** Errors that a retry would meet again; all others may be temporary. */
const lasting = new Set([
  'ClientException',
  'ConflictException',
  'InvalidParameterException',
  'PlatformTaskDefinitionIncompatibilityException',
  'PlatformUnknownException',
  'UnsupportedFeatureException',
])

/** Only the error's name: its text may repeat the request. */
function asMachineError(error: unknown): MachineError {
  if (error instanceof MachineError) return error
  const { name, message } = error instanceof Error ? error : { name: 'unknown', message: '' }
  const code = startFailureCode(`${name} ${message}`)
  const passing = isNewRole(error) || code !== null
  return new MachineError(`the machine was not started: ${name}`, passing || !lasting.has(name), code ?? undefined)
}
