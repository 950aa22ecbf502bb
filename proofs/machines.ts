/**
 * The driver of machines and the eraser of objects in S3, unchanged, against moto server: a third-party emulator of
 * ECS, EFS, IAM and S3.
 */
import assert from 'node:assert/strict'
import {
  CreateClusterCommand,
  DescribeTaskDefinitionCommand,
  ECSClient,
  ListTaskDefinitionsCommand,
} from '@aws-sdk/client-ecs'
import { CreateFileSystemCommand, DescribeAccessPointsCommand, EFSClient } from '@aws-sdk/client-efs'
import { CreatePolicyCommand, GetRoleCommand, GetRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam'
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { artifacts } from '../adapters/aws/artifacts.ts'
import { machines } from '../adapters/aws/machines.ts'
import { readEnv } from '../adapters/env.ts'
import { newInstance } from '../domain/instance/life-cycle.ts'
import { startMoto } from './tools/moto.ts'

const region = 'us-east-1'
const account = '123456789012'
const digest = `sha256:${'a'.repeat(64)}`

/** Ids of the emulator's own network; tasks require real ones. */
async function described(url: string, action: string, id: string): Promise<string[]> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/ec2/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: `Action=${action}&Version=2016-11-15`,
  })
  return [...(await answer.text()).matchAll(new RegExp(`<${id}>([^<]+)<`, 'g'))].map(([, found = '']) => found)
}

async function prove(url: string): Promise<void> {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  })
  const byHand = { model_name: 'ecs::task', transition: { progression: 'manual', times: 1 } }
  const set = await fetch(`${url}/moto-api/state-manager/set-transition`, {
    method: 'POST',
    body: JSON.stringify(byHand),
  })
  assert.ok(set.ok, 'tasks stay as they are until they are moved')

  const [ecs, efs, iam] = [new ECSClient({}), new EFSClient({}), new IAMClient({})]
  const { cluster } = await ecs.send(new CreateClusterCommand({ clusterName: 'machines' }))
  const { FileSystemId = '', FileSystemArn } = await efs.send(new CreateFileSystemCommand({ CreationToken: 'volumes' }))
  const document = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'elasticfilesystem:ClientMount', Resource: '*' }],
  })
  const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: 'boundary', PolicyDocument: document }))

  const driver = machines(
    readEnv({
      STAGE: 'prove',
      API_BASE: 'https://api.example/api',
      SOCKET_API: 'wss://socket.example',
      CLUSTER_ARN: cluster?.clusterArn,
      FILE_SYSTEM_ID: FileSystemId,
      FILE_SYSTEM_ARN: FileSystemArn,
      SUBNET_IDS: (await described(url, 'DescribeSubnets', 'subnetId')).slice(0, 2).join(','),
      SECURITY_GROUP_ID: (await described(url, 'DescribeSecurityGroups', 'groupId'))[0],
      AGENT_IMAGE: `${account}.dkr.ecr.${region}.amazonaws.com/agent`,
      AGENT_LOG_GROUP: 'machines',
      EXECUTION_ROLE_ARN: `arn:aws:iam::${account}:role/execution`,
      TASK_BOUNDARY_ARN: Policy?.Arn,
      MACHINE_ROLE_PATH: '/berth/prove/machines/',
    }),
  )
  const ids = { instanceId: 'ins_01KAHB2N3P4Q5R6S7T8V9WXYZ0', userId: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }
  // The emulator has no capacity providers for Fargate, which the small plan's first try requests.
  const instance = newInstance(ids, 'pro', `1@${digest}`, Date.now())
  const family = `berth-prove-${instance.id}`
  const step = async (what: string, check: () => Promise<void>) => {
    await check()
    console.log(`  ${what}`)
  }

  let taskArn = ''
  await step('an instance that never had a machine has no volume', async () => {
    assert.equal(await driver.hasVolume(instance), false)
  })
  await step('a first start makes an access point, a role under its boundary, a definition and a task', async () => {
    taskArn = await driver.run(instance, { BERTH_MODEL: 'default' })
    const { AccessPoints = [] } = await efs.send(new DescribeAccessPointsCommand({ FileSystemId }))
    assert.equal(AccessPoints.length, 1)
    assert.equal(AccessPoints[0]?.RootDirectory?.Path, `/${instance.id}`)
    const { Role } = await iam.send(new GetRoleCommand({ RoleName: family }))
    assert.equal(Role?.PermissionsBoundary?.PermissionsBoundaryArn, Policy?.Arn)
    const policy = await iam.send(new GetRolePolicyCommand({ RoleName: family, PolicyName: 'volume' }))
    assert.match(decodeURIComponent(policy.PolicyDocument ?? ''), new RegExp(AccessPoints[0]?.AccessPointId ?? 'none'))
    const { taskDefinition } = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }))
    assert.equal(taskDefinition?.taskRoleArn, Role?.Arn)
    assert.equal(
      taskDefinition?.containerDefinitions?.[0]?.image,
      `${account}.dkr.ecr.${region}.amazonaws.com/agent@${digest}`,
    )
  })
  await step('its machine is seen, and known by its generation', async () => {
    assert.ok(['starting', 'running'].includes(await driver.observe(taskArn)))
    assert.deepEqual(await driver.alive(instance), [{ taskArn, generation: 1 }])
  })
  await step('it stops, and stopping it again or looking for a stranger is no error', async () => {
    await driver.stop(taskArn, 'proof')
    await driver.stop(taskArn, 'proof')
    assert.ok(['stopping', 'stopped'].includes(await driver.observe(taskArn)))
    assert.equal(await driver.observe(taskArn.replace(/[^/]+$/, '0'.repeat(32))), 'missing')
  })
  await step('the next generation runs on the same volume and the same definition', async () => {
    const again = { ...instance, generation: 2 }
    const next = await driver.run(again, { BERTH_MODEL: 'default' })
    assert.notEqual(next, taskArn)
    const { taskDefinition } = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }))
    assert.equal(taskDefinition?.revision, 1)
    await driver.stop(next, 'proof')
  })
  await step('another image or plan is another revision with the same access point', async () => {
    const next = await driver.run(
      { ...instance, generation: 3, plan: 'starter', failedStarts: 1, imageVersion: '2' },
      {},
    )
    const { taskDefinition } = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }))
    assert.equal(taskDefinition?.revision, 2)
    assert.equal((await efs.send(new DescribeAccessPointsCommand({ FileSystemId }))).AccessPoints?.length, 1)
    await driver.stop(next, 'proof')
  })
  await step('a volume worker is one more generation, on the same definition', async () => {
    assert.equal(await driver.hasVolume(instance), true)
    const { taskDefinition: before } = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }))
    const worker = {
      ...instance,
      generation: 4,
      state: 'maintenance-starting' as const,
      plan: 'starter',
      failedStarts: 1,
    }
    const arn = await driver.run({ ...worker, imageVersion: '2' }, { BERTH_ROLE: 'volume-worker' })
    const { taskDefinition } = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }))
    assert.equal(taskDefinition?.revision, before?.revision)
    await driver.stop(arn, 'proof')
  })
  await step('what S3 keeps of an instance goes, page by page, and nothing of another', async () => {
    const s3 = new S3Client({})
    const Bucket = 'berth-files'
    await s3.send(new CreateBucketCommand({ Bucket }))
    const own = Array.from({ length: 1_010 }, (_, i) => `instances/${instance.id}/chunks/${i}`)
    const other = 'instances/ins_other/chunks/1'
    for (const Key of [...own, `instances/${instance.id}/points/<&>/files.gz`, `handover/${instance.id}/tsk_1`, other])
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
    assert.equal(await artifacts(readEnv({ FILES_BUCKET: Bucket })).erase(instance.id), true)
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
    assert.deepEqual(
      Contents.map(({ Key }) => Key),
      [other],
    )
  })
  await step('deletion leaves no access point, role or definition, and may be repeated', async () => {
    await driver.remove(instance)
    await driver.remove(instance)
    assert.equal((await efs.send(new DescribeAccessPointsCommand({ FileSystemId }))).AccessPoints?.length, 0)
    await assert.rejects(iam.send(new GetRoleCommand({ RoleName: family })), { name: 'NoSuchEntityException' })
    const listed = await ecs.send(new ListTaskDefinitionsCommand({ familyPrefix: family, status: 'ACTIVE' }))
    assert.deepEqual(listed.taskDefinitionArns, [])
  })
}

const moto = await startMoto()
try {
  await prove(moto.url)
} finally {
  await moto.stop()
}
