import { setTimeout as sleep } from 'node:timers/promises'
import {
  AccessPointAlreadyExists,
  AccessPointNotFound,
  CreateAccessPointCommand,
  DeleteAccessPointCommand,
  DescribeAccessPointsCommand,
  EFSClient,
} from '@aws-sdk/client-efs'
import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  EntityAlreadyExistsException,
  IAMClient,
  NoSuchEntityException,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { uids } from '../../domain/instance/machine.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { tolerate } from './tolerate.ts'

type Named = Pick<InstanceRecord, 'id'>

/** Names of an instance's resources, derived from its id and the template's names. */
export function namesOf(env: Env, { id }: Named) {
  const [, partition, , region = '', account] = env.variable('CLUSTER_ARN').split(':')
  const roleName = `berth-${env.variable('STAGE')}-${id}`
  return {
    region,
    roleName,
    roleArn: `arn:${partition}:iam::${account}:role${env.variable('MACHINE_ROLE_PATH')}${roleName}`,
  }
}

const efs = once(() => new EFSClient({ maxAttempts: 5 }))
const iam = once(() => new IAMClient({ maxAttempts: 5 }))

/**
 * An instance's access point: its own folder. Repeated calls return the same one. EFS performs every access as the
 * access point's POSIX user, and files show that user as their owner. It is the runtime's user because git, ssh and
 * other programs refuse files of another user.
 */
export async function makeAccessPoint(env: Env, { id }: Named): Promise<string> {
  const owner = uids.runtime
  try {
    const made = await efs().send(
      new CreateAccessPointCommand({
        ClientToken: id,
        FileSystemId: env.variable('FILE_SYSTEM_ID'),
        PosixUser: { Uid: owner, Gid: owner },
        RootDirectory: {
          Path: `/${id}`,
          CreationInfo: { OwnerUid: owner, OwnerGid: owner, Permissions: '0700' },
        },
        Tags: [
          { Key: 'Name', Value: id },
          { Key: 'stage', Value: env.variable('STAGE') },
        ],
      }),
    )
    if (!made.AccessPointId) throw new Error('EFS made an access point without an id')
    if (made.LifeCycleState !== 'available') await untilAvailable(made.AccessPointId)
    return made.AccessPointId
  } catch (error) {
    if (error instanceof AccessPointAlreadyExists && error.AccessPointId) return error.AccessPointId
    throw error
  }
}

/** Waits at most ten seconds: a task fails to start while its access point is being created. */
async function untilAvailable(AccessPointId: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const { AccessPoints } = await efs().send(new DescribeAccessPointsCommand({ AccessPointId }))
    if (AccessPoints?.[0]?.LifeCycleState === 'available') return
    await sleep(500)
  }
}

/** An instance's task role: it may only mount the instance's access point. Repeated calls make one role. */
export async function makeRole(env: Env, instance: Named, accessPointId: string): Promise<void> {
  const { roleName } = namesOf(env, instance)
  await tolerate(
    EntityAlreadyExistsException,
    iam().send(
      new CreateRoleCommand({
        RoleName: roleName,
        Path: env.variable('MACHINE_ROLE_PATH'),
        Description: 'Mounts the volume of one instance',
        PermissionsBoundary: env.variable('TASK_BOUNDARY_ARN'),
        AssumeRolePolicyDocument: JSON.stringify(trust(env)),
        Tags: [
          { Key: 'instance', Value: instance.id },
          { Key: 'stage', Value: env.variable('STAGE') },
        ],
      }),
    ),
  )
  const PolicyDocument = JSON.stringify(mountOnly(env.variable('FILE_SYSTEM_ARN'), accessPointId))
  await iam().send(new PutRolePolicyCommand({ RoleName: roleName, PolicyName: 'volume', PolicyDocument }))
}

/** Only ECS may assume the role, and only for tasks of this account. */
function trust(env: Env) {
  const [, partition, , region, account] = env.variable('CLUSTER_ARN').split(':')
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'ecs-tasks.amazonaws.com' },
        Action: 'sts:AssumeRole',
        Condition: {
          ArnLike: { 'aws:SourceArn': `arn:${partition}:ecs:${region}:${account}:*` },
          StringEquals: { 'aws:SourceAccount': account },
        },
      },
    ],
  }
}

const mountOnly = (fileSystemArn: string, accessPointId: string) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'],
      Resource: fileSystemArn,
      Condition: {
        StringEquals: {
          'elasticfilesystem:AccessPointArn': fileSystemArn.replace(
            /file-system\/.*$/,
            `access-point/${accessPointId}`,
          ),
        },
        Bool: { 'aws:SecureTransport': 'true' },
      },
    },
  ],
})

export async function removeAccessPoint(AccessPointId: string): Promise<void> {
  await tolerate(AccessPointNotFound, efs().send(new DeleteAccessPointCommand({ AccessPointId })))
}

export async function removeRole(RoleName: string): Promise<void> {
  await tolerate(NoSuchEntityException, iam().send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'volume' })))
  await tolerate(NoSuchEntityException, iam().send(new DeleteRoleCommand({ RoleName })))
}
