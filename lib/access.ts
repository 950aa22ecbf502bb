import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { EventBus } from 'aws-cdk-lib/aws-events'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Stack } from 'aws-cdk-lib/core'
import { type Access, type Level, type PortName, portsOf } from '../domain/ports.ts'
import {
  commonVariables,
  type Need,
  needs,
  personalTables,
  type SecretName,
  secrets,
  type TableName,
  type TableShape,
  tableEnv,
  tables,
  type Variable,
} from '../domain/resources.ts'
import { observeMachines, runMachines } from './machine-grants.ts'
import type { Machines } from './machines.ts'
import type { Timers } from './timers.ts'

/** Everything a port may stand on. */
export interface Grounds {
  tables: Record<TableName, Table>
  secrets: Record<SecretName, Secret>
  variables: Record<Variable, string>
  bus: EventBus
  machines: Machines
  timers: Timers
}

type Grant = (level: Level, grounds: Grounds, stack: Stack) => PolicyStatement[]

const readActions = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:ConditionCheckItem', 'dynamodb:Query']
const writeActions = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']

const allow = (actions: string[], resources: string[]) => new PolicyStatement({ actions, resources })

/** The tables of a port, and no other: a level of `write` adds writing to each of them. */
const stored =
  (...names: readonly TableName[]): Grant =>
  (level, grounds) =>
    names.flatMap((name) => {
      const { tableArn } = grounds.tables[name]
      const shape: TableShape = tables[name]
      const indexes = Object.keys(shape.indexes ?? {})
      return [
        allow(level === 'write' ? [...readActions, ...writeActions] : readActions, [tableArn]),
        ...(indexes.length > 0
          ? [
              allow(
                ['dynamodb:Query'],
                indexes.map((index) => `${tableArn}/index/${index}`),
              ),
            ]
          : []),
      ]
    })

/** Admitting a caller counts in the caller's own item, so even a reader of this port updates that one table. */
const admitting =
  (own: TableName, ...others: readonly TableName[]): Grant =>
  (level, grounds, stack) => [
    ...stored(own, ...others)(level, grounds, stack),
    ...(level === 'read' ? [allow(['dynamodb:UpdateItem'], [grounds.tables[own].tableArn])] : []),
  ]

/** A table that is written to and read, and never changed. */
const appended =
  (name: TableName): Grant =>
  (level, { tables: { [name]: table } }) => [
    allow(['dynamodb:Query', ...(level === 'write' ? ['dynamodb:PutItem'] : [])], [table.tableArn]),
  ]

const secret =
  (name: SecretName): Grant =>
  (_, grounds) => [allow(['secretsmanager:GetSecretValue'], [grounds.secrets[name].secretArn])]

const nothing: Grant = () => []

/** What each port is allowed; its `needs` say which names it reads. A new port does not compile until it is here. */
const grants = {
  tokens: admitting('tokens'),
  sessions: admitting('sessions'),
  logins: stored('logins'),
  rates: admitting('rates'),
  leases: stored('rates'),
  cursors: secret('cursor-key'),
  edge: secret('edge-key'),
  users: stored('users'),
  passkeys: stored('passkeys'),
  passkeyCeremony: nothing,
  audit: appended('audit'),
  erasure: stored(...personalTables),
  wallets: stored('wallets'),
  checkouts: stored('wallets'),
  graces: stored('wallets'),
  instances: admitting('instances', 'wallets'),
  machineTokens: secret('machine-token-keys'),
  machines: (level, { machines, variables }, stack) =>
    level === 'write' ? runMachines(stack, machines, variables) : observeMachines(stack, machines),
  variables: (level, grounds, stack) => [
    ...stored('settings')(level, grounds, stack),
    // Whoever writes values cannot read them, and the other way round.
    allow([level === 'write' ? 'kms:GenerateDataKey' : 'kms:Decrypt'], [grounds.variables.VARIABLES_KEY_ARN]),
  ],
  metrics: stored('samples'),
  rollouts: stored('rollouts'),
  schedules: stored('settings'),
  timers: (_, { timers }) => timers.grants(),
  logs: (_, { machines }) => [allow(['logs:FilterLogEvents'], [machines.logs.logGroupArn])],
  conversations: stored('conversations'),
  events: stored('events'),
  tasks: stored('conversations'),
  restorePoints: stored('points'),
  storage: (level, { variables }) => keepFiles(variables.FILES_BUCKET, level === 'write'),
  remains: (_, { variables }) => eraseFiles(variables.FILES_BUCKET),
  bus: (_, { bus }) => [allow(['events:PutEvents'], [bus.eventBusArn])],
  mail: (_, { variables }, stack) => [sendFrom(stack, variables.MAIL_FROM)],
  pages: secret('stripe'),
  payments: secret('stripe'),
  models: (level, grounds, stack) => [
    ...secret('providers')(level, grounds, stack),
    ...(level === 'write' ? [callBedrock(stack)] : []),
  ],
  catalogue: stored('settings'),
  openapi: nothing,
  mcp: nothing,
} satisfies Record<PortName, Grant>

/** The one place where a function gets its environment and its rights: both from the same access list. */
export function giveAccess(to: LambdaFunction, access: Access, grounds: Grounds): void {
  const stack = Stack.of(to)
  for (const name of commonVariables) to.addEnvironment(name, grounds.variables[name])
  for (const [port, level] of portsOf(access)) {
    const need: Need = needs[port]
    for (const name of need.tables ?? []) to.addEnvironment(tableEnv(name), grounds.tables[name].tableName)
    for (const name of need.secrets ?? []) to.addEnvironment(secrets[name], grounds.secrets[name].secretArn)
    for (const name of need.variables ?? []) to.addEnvironment(name, grounds.variables[name])
    for (const statement of grants[port](level, grounds, stack)) to.addToRolePolicy(statement)
  }
}

/** Bedrock's models are called with the function's own role; a profile of several Regions leads to models in each. */
const callBedrock = (stack: Stack): PolicyStatement =>
  allow(
    ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
    [
      `arn:${stack.partition}:bedrock:*::foundation-model/*`,
      stack.formatArn({ service: 'bedrock', region: '*', resource: 'inference-profile', resourceName: '*' }),
    ],
  )

/** SES takes the right from the identity that covers the sender: the address itself or its whole domain. */
function sendFrom(stack: Stack, from: string): PolicyStatement {
  const identities = [from, from.slice(from.indexOf('@') + 1)]
  return new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: identities.map((name) => stack.formatArn({ service: 'ses', resource: 'identity', resourceName: name })),
    conditions: { StringEquals: { 'ses:FromAddress': from } },
  })
}

/** Objects of all instances; the addresses handed to machines are good for one key each. */
const keepFiles = (bucket: string, writes: boolean): PolicyStatement[] => [
  allow(['s3:GetObject', ...(writes ? ['s3:PutObject', 's3:DeleteObject'] : [])], [`arn:aws:s3:::${bucket}/*`]),
  // Without it S3 answers 403 for an object that is not there.
  allow(['s3:ListBucket'], [`arn:aws:s3:::${bucket}`]),
]

/** Whoever erases sees names and deletes; it reads and writes nothing. */
const eraseFiles = (bucket: string): PolicyStatement[] => {
  const folders = ['instances/*', 'handover/*']
  return [
    allow(
      ['s3:DeleteObject'],
      folders.map((folder) => `arn:aws:s3:::${bucket}/${folder}`),
    ),
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [`arn:aws:s3:::${bucket}`],
      conditions: { StringLike: { 's3:prefix': folders } },
    }),
  ]
}
