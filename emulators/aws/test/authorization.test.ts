import {
  DeregisterTaskDefinitionCommand,
  ECSClient,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs'
import { CreateAccessPointCommand, DeleteAccessPointCommand, EFSClient } from '@aws-sdk/client-efs'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { CreateRoleCommand, DeleteRoleCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam'
import { GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import * as z from 'zod'
import { until } from '../../kit/test/until.ts'
import { Authorizer, type Denial, type Directory } from '../authorization.ts'
import { readPolicy } from '../policies.ts'
import { type TestCloud, testCloud } from './cloud.ts'

const region = 'us-east-1'
const arn = (service: string, rest: string) => `arn:aws:${service}:${region}:000000000000:${rest}`
const roleArn = (name: string) => `arn:aws:iam::000000000000:role/${name}`
const boundary = 'arn:aws:iam::000000000000:policy/boundary'
const cluster = { ArnEquals: { 'ecs:cluster': arn('ecs', 'cluster/c') } }
const stage = (kind: string) => ({ StringEquals: { [`aws:${kind}Tag/stage`]: 'x' } })
const policy = (...statements: [string | string[], string | string[], object?][]) =>
  readPolicy(
    {
      Version: '2012-10-17',
      Statement: statements.map(([Action, Resource, Condition = {}]) => ({
        Effect: 'Allow',
        Action,
        Resource,
        Condition,
      })),
    },
    'a test',
  )

/** The rights of the role `one`, statement by statement, so that a test can leave one out. */
const rights: Record<string, Parameters<typeof policy>[number]> = {
  register: ['ecs:RegisterTaskDefinition', '*', stage('Request')],
  tagTasks: ['ecs:TagResource', [arn('ecs', 'task-definition/f:*'), arn('ecs', 'task/c/*')]],
  run: ['ecs:RunTask', arn('ecs', 'task-definition/f:*'), cluster],
  stop: ['ecs:StopTask', arn('ecs', 'task/c/*'), cluster],
  pass: [
    'iam:PassRole',
    [roleArn('starts'), roleArn('m/mounts')],
    { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
  ],
  passTimer: ['iam:PassRole', roleArn('timer'), { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } }],
  point: ['elasticfilesystem:CreateAccessPoint', arn('elasticfilesystem', 'file-system/fs-1'), stage('Request')],
  tagPoint: [
    'elasticfilesystem:TagResource',
    arn('elasticfilesystem', 'access-point/*'),
    { StringEquals: { 'elasticfilesystem:CreateAction': 'CreateAccessPoint' } },
  ],
  unpoint: ['elasticfilesystem:DeleteAccessPoint', arn('elasticfilesystem', 'access-point/*'), stage('Resource')],
  role: [
    ['iam:CreateRole', 'iam:PutRolePolicy'],
    roleArn('m/*'),
    { StringEquals: { 'iam:PermissionsBoundary': boundary } },
  ],
  tagRole: ['iam:TagRole', roleArn('m/*'), stage('Request')],
  unrole: ['iam:DeleteRole', roleArn('m/*'), stage('Resource')],
  events: ['events:PutEvents', arn('events', 'event-bus/own')],
  key: ['kms:GenerateDataKey', arn('kms', 'key/k')],
  object: [['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], 'arn:aws:s3:::bucket/mine/*'],
  objects: ['s3:ListBucket', 'arn:aws:s3:::bucket', { StringLike: { 's3:prefix': ['mine/*'] } }],
  secret: ['secretsmanager:GetSecretValue', arn('secretsmanager', 'secret:open-*')],
  mail: ['ses:SendEmail', arn('ses', 'identity/b.test'), { StringEquals: { 'ses:FromAddress': 'a@b.test' } }],
  schedule: ['scheduler:CreateSchedule', arn('scheduler', 'schedule/g/*')],
}

const without = (...left: string[]) =>
  Object.entries(rights).flatMap(([name, right]) => (left.includes(name) ? [] : [right]))

let test: TestCloud
const denials: Denial[] = []
const authorizer = new Authorizer((denial) => denials.push(denial))
type Statements = Parameters<typeof policy>

const directory = (statements: Statements = without(), others: Record<string, Statements> = {}): Directory => {
  const all: Record<string, Statements> = {
    one: statements,
    starts: [['logs:*', '*']],
    timer: [['events:PutEvents', arn('events', 'event-bus/own')]],
    ...others,
  }
  return {
    principals: Object.entries(all).map(([name, statements]) => ({
      name,
      arn: roleArn(name),
      policies: [policy(...statements)],
    })),
    managed: new Map([[boundary, policy(['elasticfilesystem:Client*', '*'])]]),
    ofResources: new Map([
      [
        arn('elasticfilesystem', 'file-system/fs-1'),
        readPolicy(
          {
            Version: '2012-10-17',
            Statement: {
              Effect: 'Deny',
              Action: 'elasticfilesystem:ClientMount',
              Condition: { Null: { 'elasticfilesystem:AccessPointArn': 'true' } },
            },
          },
          'fs-1',
        ),
      ],
    ]),
  }
}
const allowed = (...given: Parameters<typeof directory>) => authorizer.setDirectory(directory(...given))

beforeAll(async () => {
  test = await testCloud({ authorizer, fileSystems: ['fs-1'], clusters: ['c'] })
  await test.cloud.putSecret('open', 'value')
  await test.cloud.putSecret('shut', 'value')
})
afterAll(() => test.close())
beforeEach(() => {
  denials.length = 0
  allowed(without())
})

const as = (service: string, accessKeyId = 'one') => ({
  ...test.client(service),
  credentials: { accessKeyId, secretAccessKey: 'local' },
  forcePathStyle: true,
})
const tags = [{ Key: 'stage', Value: 'x' }]
const definition = {
  family: 'f',
  memory: '64',
  containerDefinitions: [
    { name: 'a', image: 'i', command: ['crash'], mountPoints: [{ sourceVolume: 'v', containerPath: '/v' }] },
  ],
  executionRoleArn: roleArn('starts'),
  taskRoleArn: roleArn('m/mounts'),
  tags: [{ key: 'stage', value: 'x' }],
}
const point = { ClientToken: 'p', FileSystemId: 'fs-1', Tags: tags }
const role = {
  RoleName: 'mounts',
  Path: '/m/',
  AssumeRolePolicyDocument: '{"Statement":[]}',
  PermissionsBoundary: boundary,
  Tags: tags,
}
const timer = {
  Name: 't',
  GroupName: 'g',
  ScheduleExpression: 'at(2099-01-01T00:00:00)',
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  Target: {
    Arn: arn('events', 'event-bus/own'),
    RoleArn: roleArn('timer'),
    EventBridgeParameters: { Source: 's', DetailType: 'd' },
  },
}
const letter = {
  FromEmailAddress: 'App <a@b.test>',
  Destination: { ToAddresses: ['c@d.test'] },
  Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } } },
}

/** Each right, with a call that needs it and the error's name in that service's protocol. */
const calls: [right: string, action: string, name: string, call: () => Promise<unknown>][] = [
  [
    'register',
    'ecs:RegisterTaskDefinition',
    'AccessDeniedException',
    () => new ECSClient(as('ECS')).send(new RegisterTaskDefinitionCommand(definition)),
  ],
  [
    'tagTasks',
    'ecs:TagResource',
    'AccessDeniedException',
    () => new ECSClient(as('ECS')).send(new RegisterTaskDefinitionCommand(definition)),
  ],
  [
    'pass',
    'iam:PassRole',
    'AccessDeniedException',
    () => new ECSClient(as('ECS')).send(new RegisterTaskDefinitionCommand(definition)),
  ],
  [
    'run',
    'ecs:RunTask',
    'AccessDeniedException',
    () => new ECSClient(as('ECS')).send(new RunTaskCommand({ cluster: 'c', taskDefinition: 'f' })),
  ],
  [
    'point',
    'elasticfilesystem:CreateAccessPoint',
    'AccessDeniedException',
    () => new EFSClient(as('EFS')).send(new CreateAccessPointCommand(point)),
  ],
  [
    'tagPoint',
    'elasticfilesystem:TagResource',
    'AccessDeniedException',
    () => new EFSClient(as('EFS')).send(new CreateAccessPointCommand(point)),
  ],
  [
    'role',
    'iam:CreateRole',
    'AccessDenied',
    () => new IAMClient(as('IAM')).send(new CreateRoleCommand({ ...role, RoleName: `r${Math.random()}`.slice(0, 9) })),
  ],
  [
    'tagRole',
    'iam:TagRole',
    'AccessDenied',
    () => new IAMClient(as('IAM')).send(new CreateRoleCommand({ ...role, RoleName: `r${Math.random()}`.slice(0, 9) })),
  ],
  [
    'events',
    'events:PutEvents',
    'AccessDeniedException',
    () =>
      new EventBridgeClient(as('EVENTBRIDGE')).send(
        new PutEventsCommand({ Entries: [{ EventBusName: 'own', Source: 's', DetailType: 'd', Detail: '{}' }] }),
      ),
  ],
  [
    'key',
    'kms:GenerateDataKey',
    'AccessDeniedException',
    () => new KMSClient(as('KMS')).send(new GenerateDataKeyCommand({ KeyId: arn('kms', 'key/k'), KeySpec: 'AES_256' })),
  ],
  [
    'object',
    's3:PutObject',
    'AccessDenied',
    () => new S3Client(as('S3')).send(new PutObjectCommand({ Bucket: 'bucket', Key: 'mine/a', Body: 'x' })),
  ],
  [
    'object',
    's3:DeleteObject',
    'AccessDenied',
    () =>
      new S3Client(as('S3')).send(
        new DeleteObjectsCommand({ Bucket: 'bucket', Delete: { Objects: [{ Key: 'mine/b' }] } }),
      ),
  ],
  [
    'objects',
    's3:ListBucket',
    'AccessDenied',
    () => new S3Client(as('S3')).send(new ListObjectsV2Command({ Bucket: 'bucket', Prefix: 'mine/' })),
  ],
  [
    'secret',
    'secretsmanager:GetSecretValue',
    'AccessDeniedException',
    () => new SecretsManagerClient(as('SECRETS_MANAGER')).send(new GetSecretValueCommand({ SecretId: 'open' })),
  ],
  [
    'mail',
    'ses:SendEmail',
    'AccessDeniedException',
    () => new SESv2Client(as('SESV2')).send(new SendEmailCommand(letter)),
  ],
  [
    'schedule',
    'scheduler:CreateSchedule',
    'AccessDeniedException',
    () => new SchedulerClient(as('SCHEDULER')).send(new CreateScheduleCommand({ ...timer, Name: `t${Math.random()}` })),
  ],
  [
    'passTimer',
    'iam:PassRole',
    'AccessDeniedException',
    () => new SchedulerClient(as('SCHEDULER')).send(new CreateScheduleCommand({ ...timer, Name: `t${Math.random()}` })),
  ],
]

describe('a call', () => {
  it.each(calls)('needs the right “%s”: %s', async (right, action, name, call) => {
    await expect(call()).resolves.toBeDefined()
    expect(denials).toEqual([])
    allowed(without(right))
    await expect(call()).rejects.toMatchObject({ name, message: expect.stringContaining(action) })
    expect(denials).toMatchObject([{ principal: { name: 'one' }, need: { action } }])
  })

  it('is refused for a resource, tag, cluster or sender that no policy names', async () => {
    const refused = [
      new SecretsManagerClient(as('SECRETS_MANAGER')).send(new GetSecretValueCommand({ SecretId: 'shut' })),
      new ECSClient(as('ECS')).send(
        new RegisterTaskDefinitionCommand({ ...definition, tags: [{ key: 'stage', value: 'y' }] }),
      ),
      new ECSClient(as('ECS')).send(new StopTaskCommand({ cluster: 'other', task: 'x' })),
      new ECSClient(as('ECS')).send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'f:1' })),
      new SESv2Client(as('SESV2')).send(new SendEmailCommand({ ...letter, FromEmailAddress: 'z@b.test' })),
      new S3Client(as('S3')).send(new GetObjectCommand({ Bucket: 'bucket', Key: 'yours/a' })),
      new IAMClient(as('IAM')).send(
        new CreateRoleCommand({ ...role, RoleName: 'free', PermissionsBoundary: undefined }),
      ),
    ]
    const names = (await Promise.allSettled(refused)).map(
      (outcome) => outcome.status === 'rejected' && outcome.reason.name,
    )
    expect(names.every((name) => /^AccessDenied/.test(String(name)))).toBe(true)
  })

  it('by the owner may do everything, and by an unknown key nothing', async () => {
    allowed([])
    const get = (key: string) =>
      new SecretsManagerClient(as('SECRETS_MANAGER', key)).send(new GetSecretValueCommand({ SecretId: 'shut' }))
    await expect(get('local')).resolves.toMatchObject({ SecretString: 'value' })
    await expect(get('somebody')).rejects.toMatchObject({ name: 'UnrecognizedClientException' })
  })

  it('that deletes a resource requires the resource’s tag', async () => {
    const [efs, owner] = [new EFSClient(as('EFS')), new EFSClient(as('EFS', 'local'))]
    const made = async (ClientToken: string, Tags: typeof tags) =>
      (await owner.send(new CreateAccessPointCommand({ ...point, ClientToken, Tags }))).AccessPointId
    const theirs = await made('theirs', [{ Key: 'stage', Value: 'other' }])
    await expect(efs.send(new DeleteAccessPointCommand({ AccessPointId: theirs }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    })
    await expect(
      efs.send(new DeleteAccessPointCommand({ AccessPointId: await made('ours', tags) })),
    ).resolves.toBeDefined()
    const iam = new IAMClient(as('IAM'))
    await new IAMClient(as('IAM', 'local')).send(new CreateRoleCommand({ ...role, RoleName: 'theirs', Tags: [] }))
    await expect(iam.send(new DeleteRoleCommand({ RoleName: 'theirs' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    })
  })

  it('for a missing object returns "not found" only to callers that may list', async () => {
    const get = () => new S3Client(as('S3')).send(new GetObjectCommand({ Bucket: 'bucket', Key: 'mine/none' }))
    await expect(get()).rejects.toMatchObject({ name: 'AccessDenied' })
    allowed([...without(), ['s3:ListBucket', 'arn:aws:s3:::bucket']])
    await expect(get()).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('to a presigned URL is checked against the rights of its signer at the time of use', async () => {
    const s3 = new S3Client(as('S3'))
    await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'mine/a', Body: 'x' }))
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: 'bucket', Key: 'mine/a' }))
    expect((await fetch(url)).status).toBe(200)
    allowed(without('object'))
    expect((await fetch(url)).status).toBe(403)
  })

  it('is recorded under the right that it used', () => {
    expect(authorizer.used().get('one')).toContainEqual({
      action: 'secretsmanager:GetSecretValue',
      resource: rights.secret?.[1],
    })
    expect(
      authorizer
        .used()
        .get('one')
        ?.map(({ action }) => action),
    ).not.toContain('ecs:DeregisterTaskDefinition')
  })
})

describe('a service', () => {
  it('sends a schedule’s event with the rights of the schedule’s role', async () => {
    await new SchedulerClient(as('SCHEDULER')).send(new CreateScheduleCommand({ ...timer, Name: 'due' }))
    const due = () => test.events.filter((event) => event['detail-type'] === 'd' && event.resources.length > 0).length
    const before = due()
    test.cloud.fireSchedule('due')
    expect(due()).toBe(before + 1)
    allowed(without(), { timer: [] })
    test.cloud.fireSchedule('due')
    expect(due()).toBe(before + 1)
  })

  it('starts a task only when its roles allow it to log and to mount', async () => {
    const [ecs, iam, efs] = [new ECSClient(as('ECS')), new IAMClient(as('IAM')), new EFSClient(as('EFS'))]
    await iam.send(new CreateRoleCommand(role)).catch(() => {})
    const mount = async (Action: string[]) =>
      iam.send(
        new PutRolePolicyCommand({
          RoleName: 'mounts',
          PolicyName: 'p',
          PolicyDocument: JSON.stringify({
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Action, Resource: '*' }],
          }),
        }),
      )
    const accessPointId = (await efs.send(new CreateAccessPointCommand({ ...point, ClientToken: 'task' })))
      .AccessPointId
    const volumes = [
      {
        name: 'v',
        efsVolumeConfiguration: {
          fileSystemId: 'fs-1',
          transitEncryption: 'ENABLED' as const,
          authorizationConfig: { accessPointId, iam: 'ENABLED' as const },
        },
      },
    ]
    const logConfiguration = {
      logDriver: 'awslogs' as const,
      options: { 'awslogs-group': 'g', 'awslogs-stream-prefix': 's' },
    }
    const containerDefinitions = definition.containerDefinitions.map((each) => ({ ...each, logConfiguration }))
    const ends = async () => {
      await ecs.send(new RegisterTaskDefinitionCommand({ ...definition, containerDefinitions, volumes }))
      const { tasks } = await ecs.send(new RunTaskCommand({ cluster: 'c', taskDefinition: 'f' }))
      const task = z.looseObject({
        taskArn: z.literal(tasks?.[0]?.taskArn ?? ''),
        lastStatus: z.literal('STOPPED'),
        stoppedReason: z.string(),
      })
      return await until(() =>
        test.events.map(({ detail }) => task.safeParse(detail).data?.stoppedReason).find(Boolean),
      )
    }
    await mount(['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'])
    expect(await ends()).toMatch(/Essential container/)
    await mount(['elasticfilesystem:ClientMount'])
    expect(await ends()).toMatch(/ResourceInitializationError: .*ClientWrite/)
    // Its boundary allows none of it, whatever its own policy says.
    await mount(['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'])
    authorizer.setDirectory({ ...directory(), managed: new Map([[boundary, policy(['s3:*', '*'])]]) })
    expect(await ends()).toMatch(/permissions boundary/)
    allowed(without(), { starts: [] })
    expect(await ends()).toMatch(/ResourceInitializationError: .*logs:CreateLogStream/)
  })
})
