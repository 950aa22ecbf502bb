import * as z from 'zod'
import type { Authorizer } from '../authorization.ts'
import type { Roles } from '../iam.ts'
import type { Need } from '../policies.ts'
import { ACCOUNT, AwsError, idOf } from '../protocols.ts'
import type { TaskDefinition } from './task-definitions.ts'

const logOptions = z.looseObject({
  logDriver: z.literal('awslogs'),
  options: z.looseObject({ 'awslogs-group': z.string() }),
})

/**
 * Fargate's work before the containers run: the execution role pulls images and opens logs, the task's role mounts
 * volumes.
 */
export function refusalOfTask(
  definition: TaskDefinition,
  authorizer: Authorizer,
  roles: Roles,
  region: string,
): AwsError | undefined {
  const { executionRoleArn, taskRoleArn } = definition
  const mounting = mounts(definition, region)
  const made = taskRoleArn === undefined ? undefined : roles.find(idOf(taskRoleArn))
  const mayMount = (): AwsError | undefined => {
    if (made) return authorizer.refusalOfMade(made, mounting)
    if (taskRoleArn) return authorizer.refusalOfRole(taskRoleArn, mounting)
    return mounting.length > 0 ? new AwsError('AccessDeniedException', 'The task has no role to mount by.') : undefined
  }
  return (
    (executionRoleArn ? authorizer.refusalOfRole(executionRoleArn, starts(definition, region)) : undefined) ??
    mayMount()
  )
}

function starts({ containerDefinitions }: TaskDefinition, region: string): Need[] {
  return containerDefinitions.flatMap(({ image, logConfiguration }) => {
    const group = logOptions.safeParse(logConfiguration).data?.options['awslogs-group']
    const stream = `arn:aws:logs:${region}:${ACCOUNT}:log-group:${group}:log-stream:*`
    const repository = /^\d+\.dkr\.ecr\.[^/]+\/([^:@]+)/.exec(image)?.[1]
    const pulled = `arn:aws:ecr:${region}:${ACCOUNT}:repository/${repository}`
    return [
      ...(repository ? [{ action: 'ecr:GetAuthorizationToken', resource: '*' }] : []),
      ...(repository ? pulling.map((name) => ({ action: `ecr:${name}`, resource: pulled })) : []),
      ...(group
        ? ['CreateLogStream', 'PutLogEvents'].map((name) => ({ action: `logs:${name}`, resource: stream }))
        : []),
    ]
  })
}

const pulling = ['BatchCheckLayerAvailability', 'GetDownloadUrlForLayer', 'BatchGetImage']

function mounts({ volumes, containerDefinitions }: TaskDefinition, region: string): Need[] {
  return volumes.flatMap(({ name, efsVolumeConfiguration: efs }) => {
    const { accessPointId, iam } = efs?.authorizationConfig ?? {}
    if (!efs || iam !== 'ENABLED') return []
    const arn = (what: string) => `arn:aws:elasticfilesystem:${region}:${ACCOUNT}:${what}`
    const mounted = containerDefinitions
      .flatMap(({ mountPoints = [] }) => mountPoints)
      .filter(({ sourceVolume }) => sourceVolume === name)
    const writes = mounted.some(({ readOnly }) => readOnly !== true)
    const context = {
      'aws:SecureTransport': String(efs.transitEncryption === 'ENABLED'),
      'elasticfilesystem:AccessPointArn': accessPointId && arn(`access-point/${accessPointId}`),
    }
    const resource = arn(`file-system/${efs.fileSystemId}`)
    return ['ClientMount', ...(writes ? ['ClientWrite'] : [])].map((action) => ({
      action: `elasticfilesystem:${action}`,
      resource,
      context,
    }))
  })
}
