/**
 * The permissions that each request to a service needs: AWS's own actions, resources and condition keys (Service
 * Authorization Reference).
 */
import type { Context, Need } from './policies.ts'
import { ACCOUNT, type AwsRequest, idOf } from './protocols.ts'

/** The services' knowledge of resources that a request only names. */
export interface Known {
  region: string
  /** ARN of a secret by name, ARN or part of it. */
  secretArn(id: string): string
  /** A role by name, if there is one. */
  role(name: string): { Arn: string; PermissionsBoundary?: string | undefined; Tags: Tag[] } | undefined
  accessPointTags(id: string): Tag[]
  /** A task definition by family, revision or ARN. */
  definition(name: string): Definition | undefined
  /** Which KMS key wrapped a data key (base64). */
  wrappedBy(ciphertext: string): string
}

interface Tag {
  Key: string
  Value: string
}

interface Definition {
  taskDefinitionArn: string
  executionRoleArn?: string | undefined
  tags?: { key: string; value: string }[] | undefined
}

type Input = Record<string, unknown>
type Needs = (call: AwsRequest, known: Known) => Need[]

const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const objectOf = (value: unknown): Input =>
  value && typeof value === 'object' && !Array.isArray(value) ? (value as Input) : {} // safe because the values of an object are unknown

function json(body: Buffer): Input {
  try {
    return objectOf(JSON.parse(body.toString('utf8') || '{}'))
  } catch {
    return {}
  }
}

const actionOf = ({ headers }: AwsRequest): string => text(headers['x-amz-target']).split('.')[1] ?? ''

/** Tags as condition keys, whichever way the service spells them. */
const tagged = (kind: 'Request' | 'Resource', tags: unknown): Context =>
  Object.fromEntries(
    list(tags).map((each) => {
      const { Key, key, Value, value } = objectOf(each)
      return [`aws:${kind}Tag/${text(Key ?? key)}`, text(Value ?? value)]
    }),
  )

const passRole = (roleArn: unknown, service: string): Need[] =>
  roleArn ? [{ action: 'iam:PassRole', resource: text(roleArn), context: { 'iam:PassedToService': service } }] : []

const ecs: Needs = (call, { region, definition }) => {
  const [name, input] = [actionOf(call), json(call.body)]
  const arn = (what: string) => `arn:aws:ecs:${region}:${ACCOUNT}:${what}`
  const cluster = text(input.cluster, 'default').split('cluster/').at(-1) ?? ''
  const context = { 'ecs:cluster': arn(`cluster/${cluster}`) }
  const task = (named: unknown) => (text(named).startsWith('arn:') ? text(named) : arn(`task/${cluster}/${named}`))
  const action = `ecs:${name}`
  const tag = (resource: string, tags: unknown): Need[] =>
    list(tags).length === 0
      ? []
      : [{ action: 'ecs:TagResource', resource, context: { ...tagged('Request', tags), 'ecs:CreateAction': name } }]
  const pass = (of: Input | Definition | undefined) =>
    [of?.executionRoleArn, (of as Input | undefined)?.taskRoleArn].flatMap((role) =>
      passRole(role, 'ecs-tasks.amazonaws.com'),
    )
  switch (name) {
    case 'RunTask': {
      const found = definition(text(input.taskDefinition))
      const resource = found?.taskDefinitionArn ?? arn(`task-definition/${text(input.taskDefinition)}`)
      const tags = [...list(input.tags), ...(input.propagateTags === 'TASK_DEFINITION' ? (found?.tags ?? []) : [])]
      const request = { ...context, ...tagged('Request', input.tags), ...tagged('Resource', found?.tags) }
      // The task has no id yet: what may be tagged is said for all of a cluster's.
      return [{ action, resource, context: request }, ...tag(arn(`task/${cluster}/*`), tags), ...pass(found)]
    }
    case 'StopTask':
      return [{ action, resource: task(input.task), context }]
    case 'DescribeTasks':
      return list(input.tasks).map((named) => ({ action, resource: task(named), context }))
    case 'RegisterTaskDefinition': {
      const resource = arn(`task-definition/${text(input.family)}:*`)
      return [
        { action, resource, context: tagged('Request', input.tags) },
        ...tag(resource, input.tags),
        ...pass(input),
      ]
    }
    case 'ListTasks':
      return [{ action, resource: '*', context }]
    default:
      return [{ action, resource: '*' }]
  }
}

const efs: Needs = ({ method, path, query, body }, { region, accessPointTags }) => {
  const arn = (kind: string, named: string) => `arn:aws:elasticfilesystem:${region}:${ACCOUNT}:${kind}/${idOf(named)}`
  const id = decodeURIComponent(/^\/2015-02-01\/access-points\/([^/]+)$/.exec(path)?.[1] ?? '')
  const action = (name: string) => `elasticfilesystem:${name}`
  if (method === 'POST') {
    const { FileSystemId, Tags } = json(body)
    const asked = tagged('Request', Tags)
    const tagging = { ...asked, 'elasticfilesystem:CreateAction': 'CreateAccessPoint' }
    const create = {
      action: action('CreateAccessPoint'),
      resource: arn('file-system', text(FileSystemId)),
      context: asked,
    }
    // It has no id yet.
    const tag = { action: action('TagResource'), resource: arn('access-point', '*'), context: tagging }
    return list(Tags).length > 0 ? [create, tag] : [create]
  }
  if (method === 'DELETE')
    return [
      {
        action: action('DeleteAccessPoint'),
        resource: arn('access-point', id),
        context: tagged('Resource', accessPointTags(id)),
      },
    ]
  const [point, fileSystem] = [query.get('AccessPointId'), query.get('FileSystemId')]
  if (!path.endsWith('/access-points'))
    return [{ action: action('DescribeFileSystems'), resource: fileSystem ? arn('file-system', fileSystem) : '*' }]
  const resource = point ? arn('access-point', point) : fileSystem ? arn('file-system', fileSystem) : '*'
  return [{ action: action('DescribeAccessPoints'), resource }]
}

const eventbridge: Needs = (call, { region }) =>
  list(json(call.body).Entries).map((entry) => {
    const bus = text(objectOf(entry).EventBusName, 'default').split('event-bus/').at(-1)
    return { action: `events:${actionOf(call)}`, resource: `arn:aws:events:${region}:${ACCOUNT}:event-bus/${bus}` }
  })

const iam: Needs = ({ body }, { role }) => {
  const form = new URLSearchParams(body.toString('utf8'))
  const [name, roleName] = [form.get('Action') ?? '', form.get('RoleName') ?? '']
  const found = role(roleName)
  const resource = found?.Arn ?? `arn:aws:iam::${ACCOUNT}:role${form.get('Path') ?? '/'}${roleName}`
  const tags = [...form.keys()]
    .filter((key) => /^Tags\.member\.\d+\.Key$/.test(key))
    .map((key) => ({ Key: form.get(key), Value: form.get(key.replace(/Key$/, 'Value')) }))
  const boundary = form.get('PermissionsBoundary') ?? found?.PermissionsBoundary
  const asked = { ...tagged('Request', tags), 'iam:PermissionsBoundary': boundary }
  const context = name === 'CreateRole' ? asked : { ...asked, ...tagged('Resource', found?.Tags) }
  const need = { action: `iam:${name}`, resource, context }
  return name === 'CreateRole' && tags.length > 0 ? [need, { ...need, action: 'iam:TagRole' }] : [need]
}

const kms: Needs = (call, { wrappedBy }) => {
  const { KeyId, CiphertextBlob } = json(call.body)
  const resource = text(KeyId) || wrappedBy(text(CiphertextBlob))
  return [{ action: `kms:${actionOf(call)}`, resource }]
}

const logs: Needs = (call, { region }) => {
  const { logGroupName, logStreamName } = json(call.body)
  const resource = `arn:aws:logs:${region}:${ACCOUNT}:log-group:${text(logGroupName)}:log-stream:${text(logStreamName)}`
  return [{ action: `logs:${actionOf(call)}`, resource }]
}

/** S3's list permission: only with it can a caller distinguish a missing object from a forbidden one. */
export const listBucket = (path: string, prefix?: string): Need => ({
  action: 's3:ListBucket',
  resource: `arn:aws:s3:::${path.split('/')[1] ?? ''}`,
  context: { 's3:prefix': prefix },
})

const s3: Needs = ({ method, path, query, body }) => {
  const [, bucket = '', encoded = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? []
  const object = (key: string) => `arn:aws:s3:::${bucket}/${key}`
  if (query.has('delete'))
    return [...body.toString('utf8').matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => ({
      action: 's3:DeleteObject',
      resource: object(key),
    }))
  if (!encoded) return [listBucket(path, query.get('prefix') ?? '')]
  const action = { GET: 's3:GetObject', HEAD: 's3:GetObject', PUT: 's3:PutObject', DELETE: 's3:DeleteObject' }[method]
  return [{ action: action ?? `s3:${method}`, resource: object(decodeURIComponent(encoded)) }]
}

const scheduler: Needs = ({ method, path, query, body }, { region }) => {
  const names: Record<string, string> = { POST: 'Create', PUT: 'Update', GET: 'Get', DELETE: 'Delete' }
  const { GroupName, Target } = json(body)
  const group = query.get('groupName') ?? text(GroupName, 'default')
  const resource = `arn:aws:scheduler:${region}:${ACCOUNT}:schedule/${group}/${idOf(path)}`
  const need = { action: `scheduler:${names[method] ?? method}Schedule`, resource }
  return [need, ...passRole(objectOf(Target).RoleArn, 'scheduler.amazonaws.com')]
}

const secretsmanager: Needs = (call, { secretArn }) => [
  { action: `secretsmanager:${actionOf(call)}`, resource: secretArn(text(json(call.body).SecretId)) },
]

/** The identity is the sender's domain: no address here is verified by itself. */
const sesv2: Needs = ({ body }, { region }) => {
  const from = text(json(body).FromEmailAddress)
  const address = /<([^<>]*)>\s*$/.exec(from)?.[1] ?? from
  const identity = address.slice(address.indexOf('@') + 1)
  const resource = `arn:aws:ses:${region}:${ACCOUNT}:identity/${identity}`
  return [{ action: 'ses:SendEmail', resource, context: { 'ses:FromAddress': address } }]
}

/** By the service's name in its address here. */
export const needs: Record<string, Needs> = {
  ecs,
  efs,
  eventbridge,
  iam,
  kms,
  logs,
  s3,
  scheduler,
  secretsmanager,
  sesv2,
}

/** DynamoDB: how each operation names its tables. Undefined for an operation that no policy of a function is about. */
export function storeNeeds(operation: string, input: Input, region: string): Need[] | undefined {
  const arn = (table: unknown, index?: unknown) => {
    const own = text(table).startsWith('arn:')
      ? text(table)
      : `arn:aws:dynamodb:${region}:${ACCOUNT}:table/${text(table)}`
    return index ? `${own}/index/${text(index)}` : own
  }
  const on = (name: string, part: unknown) => ({ action: `dynamodb:${name}`, resource: arn(objectOf(part).TableName) })
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
    case 'DescribeTable':
      return [on(operation, input)]
    case 'Query':
    case 'Scan':
      return [{ action: `dynamodb:${operation}`, resource: arn(input.TableName, input.IndexName) }]
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.keys(objectOf(input.RequestItems)).map((table) => on(operation, { TableName: table }))
    case 'TransactGetItems':
      return list(input.TransactItems).map((part) => on('GetItem', objectOf(part).Get))
    case 'TransactWriteItems':
      return list(input.TransactItems).flatMap((part) =>
        Object.entries(objectOf(part)).map(([kind, of]) => on(transacted[kind] ?? kind, of)),
      )
    default:
      return undefined
  }
}

const transacted: Record<string, string> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
}
