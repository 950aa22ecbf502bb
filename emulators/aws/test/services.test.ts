import { once } from 'node:events'
import { statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ECSClient, ListClustersCommand } from '@aws-sdk/client-ecs'
import {
  CreateAccessPointCommand,
  DeleteAccessPointCommand,
  DescribeAccessPointsCommand,
  DescribeFileSystemsCommand,
  EFSClient,
} from '@aws-sdk/client-efs'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListRolesCommand,
  PutRolePolicyCommand,
  TagRoleCommand,
} from '@aws-sdk/client-iam'
import { CreateScheduleCommand, GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler'
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { GetAccountCommand, SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { secretArn } from '../emulator.ts'
import { type TestCloud, testCloud } from './cloud.ts'

let test: TestCloud
beforeAll(async () => {
  test = await testCloud({ fileSystems: ['fs-1'] })
})
afterAll(() => test.close())

describe('EventBridge Scheduler', () => {
  const schedule = (name: string, zone: string) => ({
    Name: name,
    ScheduleExpression: 'cron(0 8 * * ? *)',
    ScheduleExpressionTimezone: zone,
    FlexibleTimeWindow: { Mode: 'OFF' as const },
    Target: {
      Arn: 'arn:aws:events:us-east-1:123456789012:event-bus/own',
      RoleArn: 'arn:aws:iam::123456789012:role/timer',
      EventBridgeParameters: { Source: 's', DetailType: 'd' },
    },
  })

  it('accepts only time zone names of IANA’s database, in their exact spelling', async () => {
    const scheduler = new SchedulerClient(test.client('SCHEDULER'))
    const known = [
      'Europe/Berlin',
      'Asia/Kolkata',
      'Asia/Calcutta',
      'America/Port-au-Prince',
      'Africa/Dar_es_Salaam',
      'UTC',
    ]
    for (const [i, zone] of [...known, 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'].entries()) {
      await scheduler.send(new CreateScheduleCommand(schedule(`known-${i}`, zone)))
      const { ScheduleExpressionTimezone } = await scheduler.send(new GetScheduleCommand({ Name: `known-${i}` }))
      expect(ScheduleExpressionTimezone).toBe(zone)
    }
    for (const zone of ['europe/berlin', 'Europe/berlin', 'PST', 'CST', '+02:00', 'SystemV/EST5', 'Mars/Base', '']) {
      const made = scheduler.send(new CreateScheduleCommand(schedule('unknown', zone)))
      await expect(made).rejects.toMatchObject({ name: 'ValidationException' })
    }
  })
})

describe('EFS', () => {
  const input = (token: string, path = `/${token}`) => ({
    ClientToken: token,
    FileSystemId: 'fs-1',
    PosixUser: { Uid: 2001, Gid: 2001 },
    RootDirectory: { Path: path, CreationInfo: { OwnerUid: 2001, OwnerGid: 2001, Permissions: '700' } },
    Tags: [{ Key: 'Name', Value: token }],
  })

  it('creates, finds and deletes an access point; a repeated token creates only one', async () => {
    const efs = new EFSClient(test.client('EFS'))
    const made = await efs.send(new CreateAccessPointCommand(input('ann')))
    const again = await efs.send(new CreateAccessPointCommand(input('ann')))
    expect(made.AccessPointId).toMatch(/^fsap-[0-9a-f]{17}$/)
    expect(again.AccessPointId).toBe(made.AccessPointId)
    await expect(efs.send(new CreateAccessPointCommand(input('ann', '/other')))).rejects.toMatchObject({
      name: 'AccessPointAlreadyExists',
      AccessPointId: made.AccessPointId,
    })
    const { AccessPoints } = await efs.send(new DescribeAccessPointsCommand({ FileSystemId: 'fs-1' }))
    expect(AccessPoints).toMatchObject([
      { AccessPointId: made.AccessPointId, LifeCycleState: 'available', Name: 'ann', RootDirectory: { Path: '/ann' } },
    ])
    await efs.send(new DeleteAccessPointCommand({ AccessPointId: made.AccessPointId }))
    await expect(
      efs.send(new DescribeAccessPointsCommand({ AccessPointId: made.AccessPointId })),
    ).rejects.toMatchObject({ name: 'AccessPointNotFound' })
  })

  it('lists its file systems, and rejects paths that leave them', async () => {
    const efs = new EFSClient(test.client('EFS'))
    const { FileSystems } = await efs.send(new DescribeFileSystemsCommand({ FileSystemId: 'fs-1' }))
    expect(FileSystems).toMatchObject([{ FileSystemId: 'fs-1', LifeCycleState: 'available' }])
    await expect(efs.send(new DescribeFileSystemsCommand({ FileSystemId: 'fs-2' }))).rejects.toMatchObject({
      name: 'FileSystemNotFound',
    })
    await expect(efs.send(new CreateAccessPointCommand(input('up', '/../up')))).rejects.toMatchObject({
      name: 'BadRequest',
    })
  })
})

describe('IAM', () => {
  const trust = JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole' }] })
  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'a&b<c>"', Resource: '*' }],
  })

  it('stores roles and their policies', async () => {
    const iam = new IAMClient(test.client('IAM'))
    const RoleName = 'app-user-1'
    const create = new CreateRoleCommand({
      RoleName,
      Path: '/app/',
      AssumeRolePolicyDocument: trust,
      PermissionsBoundary: 'arn:aws:iam::000000000000:policy/boundary',
      Tags: [{ Key: 'user', Value: 'one & only' }],
    })
    const { Role } = await iam.send(create)
    expect(Role).toMatchObject({
      Arn: 'arn:aws:iam::000000000000:role/app/app-user-1',
      CreateDate: expect.any(Date),
    })
    await expect(iam.send(create)).rejects.toMatchObject({ name: 'EntityAlreadyExistsException' })

    await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'volume', PolicyDocument: policy }))
    await iam.send(new TagRoleCommand({ RoleName, Tags: [{ Key: 'cell', Value: 'c1' }] }))
    const kept = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName: 'volume' }))
    expect(decodeURIComponent(kept.PolicyDocument ?? '')).toBe(policy)
    const { Role: role } = await iam.send(new GetRoleCommand({ RoleName }))
    expect(role?.Tags).toEqual([
      { Key: 'user', Value: 'one & only' },
      { Key: 'cell', Value: 'c1' },
    ])
    expect(decodeURIComponent(role?.AssumeRolePolicyDocument ?? '')).toBe(trust)
    expect(role?.PermissionsBoundary?.PermissionsBoundaryArn).toBe('arn:aws:iam::000000000000:policy/boundary')

    const remove = new DeleteRoleCommand({ RoleName })
    await expect(iam.send(remove)).rejects.toMatchObject({ name: 'DeleteConflictException' })
    await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'volume' }))
    await iam.send(remove)
    await expect(iam.send(new GetRoleCommand({ RoleName }))).rejects.toMatchObject({ name: 'NoSuchEntityException' })
    await expect(iam.send(new GetRolePolicyCommand({ RoleName, PolicyName: 'volume' }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    })
  })

  it('refuses an invalid policy', async () => {
    const iam = new IAMClient(test.client('IAM'))
    const bad = new CreateRoleCommand({ RoleName: 'bad', AssumeRolePolicyDocument: 'no' })
    await expect(iam.send(bad)).rejects.toMatchObject({ name: 'MalformedPolicyDocumentException' })
  })
})

describe('Secrets Manager', () => {
  it('keeps the current and the previous value', async () => {
    const secrets = new SecretsManagerClient(test.client('SECRETS_MANAGER'))
    await test.cloud.putSecret('app/machine', 'one')
    await test.cloud.putSecret('app/machine', 'one')
    const value = async (VersionStage?: string, SecretId = 'app/machine') =>
      (await secrets.send(new GetSecretValueCommand({ SecretId, VersionStage }))).SecretString
    expect(await value()).toBe('one')
    await expect(value('AWSPREVIOUS')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })

    const { VersionId } = await secrets.send(
      new PutSecretValueCommand({ SecretId: 'app/machine', SecretString: 'two' }),
    )
    const arn = secretArn('us-east-1', 'app/machine')
    expect([await value(), await value('AWSPREVIOUS'), await value(undefined, arn)]).toEqual(['two', 'one', 'two'])
    const described = await secrets.send(new DescribeSecretCommand({ SecretId: arn }))
    expect(
      Object.values(described.VersionIdsToStages ?? {})
        .flat()
        .sort(),
    ).toEqual(['AWSCURRENT', 'AWSPREVIOUS'])
    expect(described.VersionIdsToStages?.[VersionId ?? '']).toEqual(['AWSCURRENT'])
    expect(statSync(join(test.stateFolder, 'secrets.json')).mode & 0o777).toBe(0o600)
    await expect(value(undefined, 'nothing')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  })
})

describe('SES', () => {
  it('publishes bounces on the default bus, by the configuration set of the sender', async () => {
    const own = await testCloud({
      sending: () => ({
        configurationSetOf: (from) => (from === 'hello@app.test' ? 'test' : undefined),
        eventsOf: () => ['BOUNCE', 'COMPLAINT'],
      }),
    })
    const ses = new SESv2Client(own.client('SESV2'))
    const send = (to: string, from = 'hello@app.test') =>
      ses.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Simple: { Subject: { Data: 'Your code' }, Body: { Text: { Data: '123456' } } } },
        }),
      )
    const { MessageId } = await send('Bounce+typo@simulator.amazonses.com')
    await send('complaint@simulator.amazonses.com')
    await send('suppressionlist@simulator.amazonses.com')
    for (const to of ['success@simulator.amazonses.com', 'bounce@example.com']) await send(to)
    await send('bounce@simulator.amazonses.com', 'other@example.com')
    expect(own.events).toMatchObject([
      {
        'detail-type': 'Email Bounced',
        source: 'aws.ses',
        bus: 'default',
        resources: [expect.stringMatching(/^arn:aws:ses:us-east-1:\d{12}:configuration-set\/test$/)],
        detail: {
          eventType: 'Bounce',
          bounce: { bounceType: 'Permanent', bounceSubType: 'General' },
          mail: {
            messageId: MessageId,
            destination: ['Bounce+typo@simulator.amazonses.com'],
            tags: { 'ses:configuration-set': ['test'] },
          },
        },
      },
      { 'detail-type': 'Email Complaint Received', detail: { eventType: 'Complaint' } },
      { 'detail-type': 'Email Bounced', detail: { bounce: { bounceSubType: 'Suppressed' } } },
    ])
    expect(own.cloud.mails('bounce+typo@simulator.amazonses.com')).toEqual([])
    expect(own.cloud.mails('complaint@simulator.amazonses.com')).toHaveLength(1)
    await own.close()
  })

  it('puts each e-mail into its recipients’ mailboxes', async () => {
    const ses = new SESv2Client(test.client('SESV2'))
    const { MessageId } = await ses.send(
      new SendEmailCommand({
        FromEmailAddress: 'App <hello@app.test>',
        Destination: { ToAddresses: ['Ann@Example.org', 'ben@example.org'] },
        Content: {
          Simple: {
            Subject: { Data: 'Your code' },
            Body: { Text: { Data: '123456 ✓' }, Html: { Data: '<b>123456</b>' } },
          },
        },
      }),
    )
    expect(test.cloud.mails('ann@example.org')).toEqual([
      {
        id: MessageId,
        to: 'Ann@Example.org',
        from: 'App <hello@app.test>',
        subject: 'Your code',
        text: '123456 ✓',
        html: '<b>123456</b>',
        at: expect.stringMatching(/Z$/),
      },
    ])
    expect(test.cloud.mails()).toHaveLength(2)
    const raw = 'From: a@app.test\r\nTo: cat@example.org\r\nSubject: Raw\r\n one\r\n\r\nhello\r\n'
    await ses.send(new SendEmailCommand({ Content: { Raw: { Data: Buffer.from(raw) } } }))
    expect(test.cloud.mails('cat@example.org')).toMatchObject([{ subject: 'Raw one', text: 'hello\n' }])
    const nobody = new SendEmailCommand({
      FromEmailAddress: 'a@b.c',
      Content: { Raw: { Data: Buffer.from('\r\n\r\n') } },
    })
    await expect(ses.send(nobody)).rejects.toMatchObject({ name: 'BadRequestException' })
  })

  it('keeps the last 500 e-mails', async () => {
    const ses = new SESv2Client(test.client('SESV2'))
    for (let n = 0; n < 12; n++)
      await ses.send(
        new SendEmailCommand({
          FromEmailAddress: 'a@app.test',
          Destination: { ToAddresses: Array.from({ length: 50 }, (_, i) => `bulk${i}@example.org`) },
          Content: { Simple: { Subject: { Data: `${n}` }, Body: { Text: { Data: '' } } } },
        }),
      )
    expect(test.cloud.mails()).toHaveLength(500)
    expect(test.cloud.mails('bulk0@example.org').at(-1)?.subject).toBe('11')
  })
})

describe('EventBridge', () => {
  it('forwards valid entries and reports the errors of the others', async () => {
    const bridge = new EventBridgeClient(test.client('EVENTBRIDGE'))
    const { Entries, FailedEntryCount } = await bridge.send(
      new PutEventsCommand({
        Entries: [
          { Source: 'app', DetailType: 'wallet.low', Detail: '{"user":"usr_1"}', EventBusName: 'app-bus' },
          { Source: 'app', DetailType: 'broken', Detail: '{' },
          { DetailType: 'nobody', Detail: '{}' },
          { Source: 'aws.ecs', DetailType: 'forged', Detail: '{}' },
        ],
      }),
    )
    expect(FailedEntryCount).toBe(3)
    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      undefined,
      'MalformedDetail',
      'InvalidArgument',
      'NotAuthorizedForSource',
    ])
    expect(test.events).toEqual([
      {
        version: '0',
        id: Entries?.[0]?.EventId,
        'detail-type': 'wallet.low',
        source: 'app',
        account: '000000000000',
        time: expect.stringMatching(/Z$/),
        region: 'us-east-1',
        resources: [],
        detail: { user: 'usr_1' },
        bus: 'app-bus',
      },
    ])
  })
})

describe('every service', () => {
  it('reports an unknown operation', async () => {
    const ecs = new ECSClient(test.client('ECS'))
    await expect(ecs.send(new ListClustersCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' })
    const iam = new IAMClient(test.client('IAM'))
    await expect(iam.send(new ListRolesCommand({}))).rejects.toMatchObject({ name: 'InvalidAction' })
    const ses = new SESv2Client(test.client('SESV2'))
    await expect(ses.send(new GetAccountCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' })
    const secrets = new SecretsManagerClient(test.client('SECRETS_MANAGER'))
    await expect(secrets.send(new ListSecretsCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' })
  })

  it('refuses an unsigned request, and one without an end', async () => {
    for (const service of ['ecs', 'efs', 'iam', 's3', 'secretsmanager', 'sesv2', 'eventbridge']) {
      const response = await fetch(`${test.cloud.apiBase}/${service}/bucket/key`, { method: 'POST', body: '{}' })
      expect([400, 403]).toContain(response.status)
      expect(await response.text()).toMatch(/Missing|Access ?Denied/)
    }
    const endless = await fetch(`${test.cloud.apiBase}/ecs/`, {
      method: 'POST',
      headers: { authorization: 'AWS4-HMAC-SHA256 x' },
      body: 'x'.repeat(1024 * 1024 + 1),
    })
    expect(endless.status).toBe(413)
  })
})

describe('a web page', () => {
  const ask = async (headers: Record<string, string>) => {
    const { hostname, port } = new URL(test.cloud.apiBase)
    const signed = { authorization: 'AWS4-HMAC-SHA256 Credential=x', 'x-amz-target': 'secretsmanager.ListSecrets' }
    const asked = request({
      hostname,
      port,
      path: '/secretsmanager/',
      method: 'POST',
      headers: { ...signed, ...headers },
    })
    asked.end('{}')
    const [response] = (await once(asked, 'response')) as [IncomingMessage] // safe because a response event carries this
    return { status: response.statusCode, body: await text(response) }
  }

  it('is refused, by its origin and by the host name that it used', async () => {
    const { port } = new URL(test.cloud.apiBase)
    const pages: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: `evil.example:${port}` },
      { host: '127.0.0.1' },
    ]
    for (const headers of pages)
      expect(await ask(headers)).toMatchObject({ status: 403, body: expect.stringContaining('Only local programs') })
    expect((await ask({ host: `localhost:${port}` })).status).not.toBe(403)
  })
})
