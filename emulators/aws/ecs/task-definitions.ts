import * as z from 'zod'
import { openState, type StateFile } from '../../kit/state-file.ts'
import { ACCOUNT, type Action, AwsError, idOf, parse, tags } from '../protocols.ts'

const environment = z.array(z.object({ name: z.string(), value: z.string() }))
const containerDefinition = z.looseObject({
  name: z.string().min(1),
  image: z.string().min(1),
  command: z.array(z.string()).optional(),
  environment: environment.optional(),
  mountPoints: z.array(z.looseObject({ sourceVolume: z.string(), containerPath: z.string() })).optional(),
  stopTimeout: z.number().int().min(2).max(120).optional(),
  essential: z.boolean().default(true),
  memory: z.number().int().positive().optional(),
  memoryReservation: z.number().int().positive().optional(),
  dependsOn: z.array(z.unknown()).max(0, 'is not supported by the emulator').optional(),
  restartPolicy: z.never('is not supported by the emulator').optional(),
  secrets: z.array(z.unknown()).max(0, 'are not supported by the emulator').optional(),
})
const volume = z.looseObject({
  name: z.string(),
  efsVolumeConfiguration: z
    .looseObject({
      fileSystemId: z.string(),
      rootDirectory: z.string().optional(),
      transitEncryption: z.enum(['ENABLED', 'DISABLED']).optional(),
      authorizationConfig: z
        .looseObject({ accessPointId: z.string().optional(), iam: z.enum(['ENABLED', 'DISABLED']).optional() })
        .optional(),
    })
    .optional(),
})
/** ECS stores CPU units and MiB, and also accepts texts such as `1 vCPU` and `2 GB`. */
const inUnits = (unit: string) =>
  z.string().transform((text) => {
    const [, number] = new RegExp(`^(\\d*\\.?\\d+) ?${unit}$`, 'i').exec(text) ?? []
    return number === undefined ? text : String(Math.round(Number(number) * 1024))
  })

const registration = z.looseObject({
  family: z.string().regex(/^[\w-]{1,255}$/, 'is not a family name'),
  containerDefinitions: z
    .array(containerDefinition)
    .min(1, 'has no container')
    .refine((all) => all.length === 0 || all.some(({ essential }) => essential), 'has no essential container')
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'has two containers of one name'),
  volumes: z.array(volume).default([]),
  networkMode: z.enum(['awsvpc', 'bridge', 'host', 'none']).optional(),
  requiresCompatibilities: z.array(z.string()).default([]),
  cpu: inUnits('vCPU').optional(),
  memory: inUnits('GB').optional(),
  executionRoleArn: z.string().optional(),
  taskRoleArn: z.string().optional(),
  tags: tags.optional(),
})

const definition = registration.extend({
  taskDefinitionArn: z.string(),
  revision: z.number(),
  status: z.enum(['ACTIVE', 'INACTIVE']),
  registeredAt: z.number(),
  deregisteredAt: z.number().optional(),
})
export type TaskDefinition = z.infer<typeof definition>
export type ContainerDefinition = TaskDefinition['containerDefinitions'][number]

const listing = z.object({ familyPrefix: z.string(), status: z.enum(['ACTIVE', 'INACTIVE']).default('ACTIVE') })

const byName = z.object({ taskDefinition: z.string(), include: z.array(z.string()).optional() })

/** ECS: RegisterTaskDefinition, DescribeTaskDefinition, ListTaskDefinitions, DeregisterTaskDefinition. */
export class TaskDefinitions {
  readonly actions: Record<string, Action> = {
    RegisterTaskDefinition: (input) => this.#register(input),
    DescribeTaskDefinition: (input) => this.#describe(input),
    ListTaskDefinitions: (input) => this.#list(input),
    DeregisterTaskDefinition: (input) => this.#deregister(input),
  }
  readonly #region: string
  readonly #state: StateFile<Record<string, TaskDefinition>>

  constructor({ file, region }: { file: string; region: string }) {
    this.#region = region
    this.#state = openState(file, z.record(z.string(), definition), {})
  }

  /** A definition by family (its newest active revision), `family:revision` or ARN. */
  find(name: string): TaskDefinition | undefined {
    const key = name.split('task-definition/').at(-1) ?? name
    if (key.includes(':')) return this.#state.value[key]
    const active = this.#revisions(key).filter(({ status }) => status === 'ACTIVE')
    return active.sort((left, right) => right.revision - left.revision)[0]
  }

  all(): TaskDefinition[] {
    return Object.values(this.#state.value)
  }

  #register(input: unknown): object {
    const request = parse(registration, input, 'ClientException')
    checkMemory(request)
    checkFargate(request)
    request.volumes.forEach(checkVolume)
    const revision = Math.max(0, ...this.#revisions(request.family).map(({ revision }) => revision)) + 1
    const key = `${request.family}:${revision}`
    const created: TaskDefinition = {
      ...request,
      taskDefinitionArn: `arn:aws:ecs:${this.#region}:${ACCOUNT}:task-definition/${key}`,
      revision,
      status: 'ACTIVE',
      registeredAt: Date.now() / 1000,
    }
    this.#state.value[key] = created
    this.#state.save()
    return { taskDefinition: describe(created), tags: created.tags ?? [] }
  }

  #describe(input: unknown): object {
    const request = parse(byName, input, 'ClientException')
    const found = this.find(request.taskDefinition)
    if (!found) throw new AwsError('ClientException', 'Unable to describe task definition.')
    const withTags = request.include?.includes('TAGS')
    return { taskDefinition: describe(found), ...(withTags ? { tags: found.tags ?? [] } : {}) }
  }

  #list(input: unknown): object {
    const { familyPrefix, status } = parse(listing, input, 'ClientException')
    const found = this.#revisions(familyPrefix).filter((revision) => revision.status === status)
    return { taskDefinitionArns: found.map(({ taskDefinitionArn }) => taskDefinitionArn) }
  }

  #deregister(input: unknown): object {
    const { taskDefinition } = parse(byName, input, 'ClientException')
    if (!idOf(taskDefinition).includes(':'))
      throw new AwsError('ClientException', 'The revision of the task definition is required.')
    const found = this.find(taskDefinition)
    if (!found) throw new AwsError('ClientException', 'The specified task definition does not exist.')
    found.status = 'INACTIVE'
    found.deregisteredAt ??= Date.now() / 1000
    this.#state.save()
    return { taskDefinition: describe(found) }
  }

  #revisions(family: string): TaskDefinition[] {
    return this.all().filter((definition) => definition.family === family)
  }
}

const describe = ({ tags: _, ...rest }: TaskDefinition) => ({ compatibilities: ['EC2', 'FARGATE'], ...rest })

type Registration = z.infer<typeof registration>

/** CPU units → the memory (MiB) Fargate offers with them: [from, to, step]. */
const FARGATE_SIZES: Record<string, [number, number, number]> = {
  '256': [512, 2048, 512],
  '512': [1024, 4096, 1024],
  '1024': [2048, 8192, 1024],
  '2048': [4096, 16_384, 1024],
  '4096': [8192, 30_720, 1024],
  '8192': [16_384, 61_440, 4096],
  '16384': [32_768, 122_880, 8192],
}

function checkMemory({ memory, containerDefinitions }: Registration): void {
  for (const { name, ...container } of containerDefinitions) {
    const granted = container.memory ?? container.memoryReservation
    if (memory === undefined && granted === undefined)
      throw new AwsError(
        'ClientException',
        `Invalid setting for container '${name}'. At least one of 'memory' or 'memoryReservation' must be specified.`,
      )
  }
}

function checkFargate(request: Registration): void {
  if (!request.requiresCompatibilities.includes('FARGATE')) return
  if (request.networkMode !== 'awsvpc')
    throw new AwsError('ClientException', 'Fargate only supports network mode ‘awsvpc’.')
  const { cpu, memory } = request
  const [from, to, step] = FARGATE_SIZES[cpu ?? ''] ?? [1, 0, 1]
  const size = Number(memory)
  // 256 CPU units go with 512, 1024 and 2048 MiB, not with 1536.
  if (!(size >= from && size <= to && size % step === 0) || (cpu === '256' && size === 1536))
    throw new AwsError(
      'ClientException',
      `No Fargate configuration exists for given values: ${cpu ?? 0} CPU, ${memory ?? 0} memory.`,
    )
  const granted = request.containerDefinitions.map((container) => container.memory ?? container.memoryReservation ?? 0)
  if (granted.reduce((sum, each) => sum + each, 0) > size)
    throw new AwsError('ClientException', 'Containers’ memory must not be more than the task’s.')
  const drivers = request.containerDefinitions.map(
    ({ logConfiguration }) => z.looseObject({ logDriver: z.string() }).safeParse(logConfiguration).data?.logDriver,
  )
  if (drivers.includes('awslogs') && !request.executionRoleArn)
    throw new AwsError(
      'ClientException',
      'Fargate requires task definition to have execution role ARN to support log driver awslogs.',
    )
}

function checkVolume({ name, efsVolumeConfiguration: efs }: Registration['volumes'][number]): void {
  const authorization = efs?.authorizationConfig
  if (!efs || !(authorization?.accessPointId || authorization?.iam === 'ENABLED')) return
  if (efs.transitEncryption !== 'ENABLED')
    throw new AwsError('ClientException', `Volume ${name}: transit encryption must be enabled with authorization.`)
  if (authorization.accessPointId && efs.rootDirectory && efs.rootDirectory !== '/')
    throw new AwsError(
      'ClientException',
      `Volume ${name}: the root directory must be omitted or / with an access point.`,
    )
}
