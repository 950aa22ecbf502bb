import { createHash } from 'node:crypto'
import {
  ClientException,
  type ContainerDefinition,
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  type ECSClient,
  ListTaskDefinitionsCommand,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  type TaskDefinition,
} from '@aws-sdk/client-ecs'
import { planById } from '../../domain/billing/plans.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { containerNames, runtimeMemoryMiB, supervisorMemoryMiB, uids } from '../../domain/instance/machine.ts'
import type { Env } from '../env.ts'
import { makeAccessPoint, makeRole, namesOf, removeAccessPoint, removeRole } from './machine-volume.ts'
import { tolerate } from './tolerate.ts'

/** One family per user: a task start cannot override access point and role. */
export const familyOf = (env: Env, instance: Pick<InstanceRecord, 'id'>): string =>
  `berth-${env.variable('STAGE')}-${instance.id}`

const mountPath = '/mnt/berth'
/** Docker label with a hash of the registered definition. */
export const label = 'berth.definition'

/** Registers only a changed definition: ECS limits registrations to about one a second. */
export async function ensureDefinition(ecs: ECSClient, env: Env, instance: InstanceRecord): Promise<string> {
  const latest = await describeLatest(ecs, familyOf(env, instance))
  const known = latest && accessPointOf(latest, env)
  if (known && latest.taskDefinitionArn) {
    const registered = latest.containerDefinitions?.[0]?.dockerLabels?.[label]
    if (registered === labelOf(env, instance, known)) return latest.taskDefinitionArn
  }
  const accessPointId = known ?? (await makeAccessPoint(env, instance))
  await makeRole(env, instance, accessPointId)
  return register(ecs, definitionOf(env, instance, accessPointId))
}

export const labelOf = (env: Env, instance: InstanceRecord, accessPointId: string): string =>
  hashOf(definitionOf(env, instance, accessPointId))

export async function describeLatest(ecs: ECSClient, family: string): Promise<TaskDefinition | undefined> {
  const command = new DescribeTaskDefinitionCommand({ taskDefinition: family })
  // ECS's error for an unknown family.
  return (await tolerate(ClientException, ecs.send(command)))?.taskDefinition
}

/** The access point that a definition mounts, if it is on our file system. */
const accessPointOf = ({ volumes = [] }: TaskDefinition, env: Env): string | undefined =>
  volumes
    .map(({ efsVolumeConfiguration }) => efsVolumeConfiguration)
    .find((mounted) => mounted?.fileSystemId === env.variable('FILE_SYSTEM_ID'))?.authorizationConfig?.accessPointId

async function register(ecs: ECSClient, wanted: RegisterTaskDefinitionCommandInput): Promise<string> {
  const labels = { [label]: hashOf(wanted) }
  const containerDefinitions = wanted.containerDefinitions?.map((container) => ({ ...container, dockerLabels: labels }))
  const made = await ecs.send(new RegisterTaskDefinitionCommand({ ...wanted, containerDefinitions }))
  const arn = made.taskDefinition?.taskDefinitionArn
  if (!arn) throw new Error('ECS registered a task definition without an ARN')
  return arn
}

const hashOf = (wanted: RegisterTaskDefinitionCommandInput): string =>
  createHash('sha256').update(JSON.stringify(wanted)).digest('hex')

/** A container's user and group have the same number. */
const userOf = (uid: number): string => `${uid}:${uid}`

/** The image at the instance's version; by digest if the version has one. */
function imageOf(env: Env, { imageVersion }: Pick<InstanceRecord, 'imageVersion'>): string {
  const [tag, digest] = imageVersion.split('@')
  return `${env.variable('AGENT_IMAGE')}${digest === undefined ? `:${tag}` : `@${digest}`}`
}

function definitionOf(env: Env, instance: InstanceRecord, accessPointId: string): RegisterTaskDefinitionCommandInput {
  const { region, roleArn } = namesOf(env, instance)
  const { machine } = planById(instance.plan)
  const container = (name: string): ContainerDefinition & { name: string } => ({
    name,
    image: imageOf(env, instance),
    // Only the volume and a scratch space are writable.
    readonlyRootFilesystem: true,
    linuxParameters: { initProcessEnabled: true, capabilities: { drop: ['ALL'] } },
    // The supervisor drains for at most 50 of these seconds.
    stopTimeout: 60,
    mountPoints: [
      { sourceVolume: 'volume', containerPath: mountPath, readOnly: false },
      { sourceVolume: `${name}-tmp`, containerPath: '/tmp', readOnly: false },
    ],
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': env.variable('AGENT_LOG_GROUP'),
        'awslogs-region': region,
        'awslogs-stream-prefix': instance.id,
        mode: 'non-blocking',
        'max-buffer-size': '4m',
      },
    },
  })
  return {
    family: familyOf(env, instance),
    requiresCompatibilities: ['FARGATE'],
    networkMode: 'awsvpc',
    runtimePlatform: { operatingSystemFamily: 'LINUX', cpuArchitecture: 'ARM64' },
    cpu: String(machine.cpu),
    memory: String(machine.memoryMiB),
    executionRoleArn: env.variable('EXECUTION_ROLE_ARN'),
    taskRoleArn: roleArn,
    volumes: [
      {
        name: 'volume',
        efsVolumeConfiguration: {
          fileSystemId: env.variable('FILE_SYSTEM_ID'),
          transitEncryption: 'ENABLED',
          authorizationConfig: { accessPointId, iam: 'ENABLED' },
        },
      },
      ...Object.values(containerNames).map((name) => ({ name: `${name}-tmp` })),
    ],
    containerDefinitions: [
      {
        ...container(containerNames.supervisor),
        // The machine ends with the supervisor.
        essential: true,
        user: userOf(uids.supervisor),
        memoryReservation: supervisorMemoryMiB,
        environment: [{ name: 'BERTH_MEMORY_MIB', value: String(machine.memoryMiB) }],
      },
      {
        ...container(containerNames.runtime),
        command: ['setpriv', '--no-new-privs', 'node', 'agent/launcher.ts'],
        // The supervisor handles the end of the runtime.
        essential: false,
        user: userOf(uids.runtime),
        // Beyond this limit only this container is killed, not the supervisor.
        memory: runtimeMemoryMiB(machine),
      },
    ],
    tags: [
      { key: 'instance', value: instance.id },
      { key: 'stage', value: env.variable('STAGE') },
    ],
  }
}

/** Removes access point, role, and last the task definitions: a repeated call finds the others by these. */
export async function removeMachine(ecs: ECSClient, env: Env, instance: Pick<InstanceRecord, 'id'>): Promise<void> {
  const family = familyOf(env, instance)
  const latest = await describeLatest(ecs, family)
  // A first start may have stopped between access point and definition. Making the access point again returns its id.
  const accessPointId = latest ? accessPointOf(latest, env) : await makeAccessPoint(env, instance)
  if (accessPointId) await removeAccessPoint(accessPointId)
  await removeRole(namesOf(env, instance).roleName)
  const { taskDefinitionArns = [] } = await ecs.send(
    new ListTaskDefinitionsCommand({ familyPrefix: family, status: 'ACTIVE', sort: 'ASC' }),
  )
  for (const taskDefinition of taskDefinitionArns)
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition }))
}
