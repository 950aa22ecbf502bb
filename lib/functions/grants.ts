import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import type { IEventBus } from 'aws-cdk-lib/aws-events'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'
import { ArnFormat, Stack } from 'aws-cdk-lib/core'
import { readsOnly, type TableAction, type TableName, tableEnv } from '../../adapters/dynamo/tables.ts'
import type { PortName } from '../../adapters/ports.ts'
import {
  commonVariables,
  registry,
  type SecretName,
  secrets,
  tablesOf,
  type Variable,
} from '../../adapters/registry.ts'
import { attachmentKey, callBodyKey, foldersOf } from '../../domain/files/storage.ts'
import { type Access, type Level, portsOf } from '../../lambdas/kit/access.ts'
import type { SocketApi } from '../api/socket-api.ts'
import type { ImportedState } from '../imported-state.ts'
import type { Machines } from '../machines/machines.ts'
import { configurationSetName } from '../mail-identity.ts'

export interface Resources {
  tables: Record<TableName, ITable>
  secrets: Record<SecretName, ISecret>
  variables: Record<Variable, string>
  bus: IEventBus
  machines: Machines
  schedules: ImportedState['schedules']
  socket: SocketApi
}

type Grant = (level: Level, resources: Resources, stack: Stack) => PolicyStatement[]

const allow = (actions: string[], resources: string[], conditions?: Record<string, unknown>) =>
  new PolicyStatement({ actions, resources, ...(conditions && { conditions }) })

const passedTo = (service: string) => ({ StringEquals: { 'iam:PassedToService': service } })

const dynamo = (actions: readonly string[]) => actions.map((action) => `dynamodb:${action}`)

/** A port's rights on a table and on some of its indexes; `read` excludes writes. */
function useTable(
  table: ITable,
  tableActions: readonly TableAction[],
  queried: readonly string[],
  level: Level,
): PolicyStatement[] {
  const indexes = queried.map((index) => `${table.tableArn}/index/${index}`)
  const actions = tableActions.filter((action) => level === 'write' || readsOnly(action))
  return [
    ...(actions.length > 0 ? [allow(dynamo(actions), [table.tableArn])] : []),
    ...(indexes.length > 0 ? [allow(['dynamodb:Query'], indexes)] : []),
  ]
}

/** Admitting a caller updates the caller's own item, so readers of such a port may update this table. */
const countCallers =
  (name: TableName): Grant =>
  (level, resources) =>
    level === 'read' ? [allow(['dynamodb:UpdateItem'], [resources.tables[name].tableArn])] : []

/** A function that writes values cannot read them, and a function that reads them cannot write them. */
const sealOrOpen: Grant = (level, { variables }) => [
  allow([level === 'write' ? 'kms:GenerateDataKey' : 'kms:Decrypt'], [variables.VARIABLES_KEY_ARN]),
]

/** Reading Slack's events needs no token; sending needs the workspace's token. */
const speakInWorkspaces: Grant = (level, { variables }) =>
  level === 'write' ? [allow(['kms:Decrypt'], [variables.VARIABLES_KEY_ARN])] : []

const putEvents: Grant = (_, { bus }) => [allow(['events:PutEvents'], [bus.eventBusArn])]

/** Rights besides the tables and secrets in the registry. */
const otherGrants: Partial<Record<PortName, Grant>> = {
  tokens: countCallers('tokens'),
  sessions: countCallers('sessions'),
  rates: countCallers('rates'),
  instances: countCallers('instances'),
  machines: (level, { machines, variables }, stack) =>
    level === 'write' ? runMachines(stack, machines, variables) : observeMachines(stack, machines),
  variables: sealOrOpen,
  agentSecrets: sealOrOpen,
  slackTeams: sealOrOpen,
  slack: speakInWorkspaces,
  timers: (_, { schedules }, stack) => manageSchedules(stack, schedules),
  // Streams of machines begin with the instance's id.
  logs: (_, { machines }, stack) => [
    allow(
      ['logs:GetLogEvents'],
      [
        stack.formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: `${machines.logs.logGroupName}:log-stream:ins_*`,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
    ),
  ],
  storage: (level, { variables }) => useFiles(variables.FILES_BUCKET, level === 'write'),
  artifacts: (_, { variables }) => eraseFiles(variables.FILES_BUCKET),
  callBodies: (_, { variables }) => passBodies(variables.FILES_BUCKET),
  attachmentFiles: (level, { variables }) => passAttachments(variables.FILES_BUCKET, level === 'write'),
  attachmentErasure: (_, { variables }) => [
    allow(['s3:DeleteObject'], [`arn:aws:s3:::${variables.FILES_BUCKET}/${attachmentKey('*', '*')}`]),
  ],
  bus: putEvents,
  sweeps: putEvents,
  sockets: (_, { socket }) => [allow(['execute-api:ManageConnections'], [socket.connectionsArn])],
  mail: (_, { variables }, stack) => [sendFrom(stack, variables)],
  models: (level, _, stack) => (level === 'write' ? [callBedrock(stack)] : []),
}

function statementsOf(port: PortName, level: Level, resources: Resources, stack: Stack): PolicyStatement[] {
  const { tables, indexes, secrets: secretNames = [] } = registry[port]
  return [
    ...tablesOf(port).flatMap((name) =>
      useTable(resources.tables[name], tables?.[name] ?? [], indexes?.[name] ?? [], level),
    ),
    ...secretNames.map((name) => allow(['secretsmanager:GetSecretValue'], [resources.secrets[name].secretArn])),
    ...(otherGrants[port]?.(level, resources, stack) ?? []),
  ]
}

/** Gives a function its environment and its rights, both from the ports it uses. Nothing else does. */
export function grant(to: LambdaFunction, access: Access, resources: Resources): void {
  const stack = Stack.of(to)
  for (const name of commonVariables) to.addEnvironment(name, resources.variables[name])
  for (const [port, level] of portsOf(access)) {
    const entry = registry[port]
    for (const name of tablesOf(port)) to.addEnvironment(tableEnv(name), resources.tables[name].tableName)
    for (const name of entry.secrets ?? []) to.addEnvironment(secrets[name], resources.secrets[name].secretArn)
    for (const name of entry.variables ?? []) to.addEnvironment(name, resources.variables[name])
    for (const statement of statementsOf(port, level, resources, stack)) to.addToRolePolicy(statement)
  }
}

/** The function's own role calls Bedrock's models. A cross-Region profile needs rights on the models in each Region. */
const callBedrock = (stack: Stack): PolicyStatement =>
  allow(
    ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
    [
      `arn:${stack.partition}:bedrock:*::foundation-model/*`,
      stack.formatArn({ service: 'bedrock', region: '*', resource: 'inference-profile', resourceName: '*' }),
    ],
  )

/**
 * SES checks the identity that covers the sender (the address or its domain) and the configuration set. In the sandbox,
 * it also checks the recipient's identity, which may be any verified one. The condition limits the sender.
 */
function sendFrom(stack: Stack, { MAIL_FROM: from, STAGE }: Record<Variable, string>): PolicyStatement {
  const sending = configurationSetName(STAGE)
  return allow(
    ['ses:SendEmail'],
    [
      stack.formatArn({ service: 'ses', resource: 'identity', resourceName: '*' }),
      stack.formatArn({ service: 'ses', resource: 'configuration-set', resourceName: sending }),
    ],
    { StringEquals: { 'ses:FromAddress': from } },
  )
}

/** The function signs addresses at which machines put the bodies of calls. It cannot reach other objects. */
const passBodies = (bucket: string): PolicyStatement[] => [
  allow(['s3:PutObject', 's3:GetObject', 's3:DeleteObject'], [`arn:aws:s3:::${bucket}/${callBodyKey('*', '*')}`]),
  allow(['s3:ListBucket'], [`arn:aws:s3:::${bucket}`]),
]

/** The function signs addresses of messages' files. It cannot reach other objects. */
const passAttachments = (bucket: string, writes: boolean): PolicyStatement[] => [
  allow(['s3:GetObject', ...(writes ? ['s3:PutObject'] : [])], [`arn:aws:s3:::${bucket}/${attachmentKey('*', '*')}`]),
  allow(['s3:ListBucket'], [`arn:aws:s3:::${bucket}`]),
]

/** Objects of all instances. An address that a machine gets is valid for one key. */
const useFiles = (bucket: string, writes: boolean): PolicyStatement[] => [
  allow(['s3:GetObject', ...(writes ? ['s3:PutObject', 's3:DeleteObject'] : [])], [`arn:aws:s3:::${bucket}/*`]),
  // Without this right, S3 answers 403 for a missing object.
  allow(['s3:ListBucket'], [`arn:aws:s3:::${bucket}`]),
]

/** The erasing function lists and deletes; it cannot read or write. */
const eraseFiles = (bucket: string): PolicyStatement[] => {
  const folders = foldersOf('*').map((folder) => folder.replace('*/', '*'))
  return [
    allow(
      ['s3:DeleteObject'],
      folders.map((folder) => `arn:aws:s3:::${bucket}/${folder}`),
    ),
    allow(['s3:ListBucket'], [`arn:aws:s3:::${bucket}`], { StringLike: { 's3:prefix': folders } }),
  ]
}

function manageSchedules(stack: Stack, { group, roleArn }: ImportedState['schedules']): PolicyStatement[] {
  const resourceName = `${group}/*`
  return [
    allow(
      ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule', 'scheduler:DeleteSchedule'],
      [stack.formatArn({ service: 'scheduler', resource: 'schedule', resourceName })],
    ),
    allow(['iam:PassRole'], [roleArn], passedTo('scheduler.amazonaws.com')),
  ]
}

const inCluster = ({ cluster }: Machines) => ({ ArnEquals: { 'ecs:cluster': cluster.clusterArn } })

const observeMachines = (stack: Stack, machines: Machines): PolicyStatement[] => [
  allow(['ecs:DescribeTasks'], [tasksOf(stack, machines)], inCluster(machines)),
  // ListTasks supports no resource; the condition limits it to our cluster.
  allow(['ecs:ListTasks'], ['*'], inCluster(machines)),
]

/** Rights to start and erase machines: a task family, an access point and a role for each user, and their tasks. */
function runMachines(stack: Stack, machines: Machines, variables: Record<Variable, string>): PolicyStatement[] {
  const { executionRole, boundary, rolePath } = machines
  const tasks = tasksOf(stack, machines)
  const resourceName = `berth-${variables.STAGE}-*`
  const rolePattern = `${rolePath.slice(1)}${resourceName}`
  const roles = stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: rolePattern })
  const families = stack.formatArn({ service: 'ecs', resource: 'task-definition', resourceName })
  const accessPoints = stack.formatArn({ service: 'elasticfilesystem', resource: 'access-point', resourceName: '*' })
  const fileSystem = variables.FILE_SYSTEM_ARN
  const bounded = { 'iam:PermissionsBoundary': boundary.managedPolicyArn }
  // New resources get the stage's tag at creation; only resources with the tag may be changed or deleted.
  const withTag = { 'aws:RequestTag/stage': variables.STAGE }
  const ours = { 'aws:ResourceTag/stage': variables.STAGE }
  return [
    ...observeMachines(stack, machines),
    allow(['ecs:RunTask'], [families], inCluster(machines)),
    allow(['ecs:StopTask'], [tasks], inCluster(machines)),
    allow(['ecs:TagResource'], [families, tasks], {
      StringEquals: { 'ecs:CreateAction': ['RunTask', 'RegisterTaskDefinition'] },
    }),
    // ECS supports no resource for these actions. The roles it may pass limit the power of a definition.
    allow(['ecs:RegisterTaskDefinition'], ['*'], { StringEquals: withTag }),
    allow(['ecs:DescribeTaskDefinition', 'ecs:ListTaskDefinitions'], ['*']),
    // This action supports no tags either. At worst, it leaves a family that nobody can start.
    allow(['ecs:DeregisterTaskDefinition'], ['*']),
    allow(['iam:PassRole'], [executionRole.roleArn, roles], passedTo('ecs-tasks.amazonaws.com')),
    allow(['iam:CreateRole'], [roles], { StringEquals: { ...bounded, ...withTag } }),
    allow(['iam:TagRole'], [roles], { StringEquals: withTag }),
    allow(['iam:PutRolePolicy'], [roles], { StringEquals: { ...bounded, ...ours } }),
    allow(['iam:DeleteRolePolicy', 'iam:DeleteRole'], [roles], { StringEquals: ours }),
    allow(['elasticfilesystem:CreateAccessPoint'], [fileSystem], { StringEquals: withTag }),
    allow(['elasticfilesystem:TagResource'], [accessPoints, fileSystem], {
      StringEquals: { 'elasticfilesystem:CreateAction': 'CreateAccessPoint', ...withTag },
    }),
    allow(['elasticfilesystem:DescribeAccessPoints'], [accessPoints]),
    allow(['elasticfilesystem:DeleteAccessPoint'], [accessPoints], { StringEquals: ours }),
  ]
}

const tasksOf = (stack: Stack, { cluster }: Machines) =>
  stack.formatArn({ service: 'ecs', resource: 'task', resourceName: `${cluster.clusterName}/*` })
