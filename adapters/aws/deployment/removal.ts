/** The steps that remove a stage. Each can be repeated. The SDK finds credentials and Region. */
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation'
import { BatchDeleteImageCommand, ECRClient, paginateListImages } from '@aws-sdk/client-ecr'
import { ECSClient, paginateListTasks, StopTaskCommand } from '@aws-sdk/client-ecs'
import { DeleteAccessPointCommand, EFSClient, paginateDescribeAccessPoints } from '@aws-sdk/client-efs'
import {
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  IAMClient,
  paginateListRolePolicies,
  paginateListRoles,
} from '@aws-sdk/client-iam'
import { LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda'
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'

export interface StackResource {
  id: string
  type: string
  /** Physical id. */
  name: string
}

/** Empty if the stack does not exist. */
export async function resourcesOf(stack: string): Promise<StackResource[]> {
  const found: StackResource[] = []
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client: new CloudFormationClient() },
      { StackName: stack },
    ))
      for (const {
        LogicalResourceId = '',
        ResourceType = '',
        PhysicalResourceId = '',
        ResourceStatus,
      } of StackResourceSummaries)
        if (ResourceStatus !== 'DELETE_COMPLETE' && PhysicalResourceId !== '')
          found.push({ id: LogicalResourceId, type: ResourceType, name: PhysicalResourceId })
  } catch (error) {
    // CloudFormation has no separate error for a missing stack.
    if (!(error instanceof Error && /does not exist/.test(error.message))) throw error
  }
  return found
}

/** Blocks all invocations of the function. */
export async function switchOff(functionName: string): Promise<void> {
  await new LambdaClient().send(
    new PutFunctionConcurrencyCommand({ FunctionName: functionName, ReservedConcurrentExecutions: 0 }),
  )
}

/** @returns the number of tasks that had not ended */
export async function stopTasks(cluster: string): Promise<number> {
  const client = new ECSClient()
  let running = 0
  for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster }))
    for (const task of taskArns) {
      running += 1
      await client.send(new StopTaskCommand({ cluster, task, reason: 'the stage is removed' }))
    }
  return running
}

export async function deleteRoles(pathPrefix: string): Promise<number> {
  const client = new IAMClient()
  let deleted = 0
  for await (const { Roles = [] } of paginateListRoles({ client }, { PathPrefix: pathPrefix }))
    for (const { RoleName = '' } of Roles) {
      for await (const { PolicyNames = [] } of paginateListRolePolicies({ client }, { RoleName }))
        for (const PolicyName of PolicyNames) await client.send(new DeleteRolePolicyCommand({ RoleName, PolicyName }))
      await client.send(new DeleteRoleCommand({ RoleName }))
      deleted += 1
    }
  return deleted
}

/** Deletes all objects, including old versions. @returns their number */
export async function emptyBucket(bucket: string): Promise<number> {
  const client = new S3Client()
  for (let deleted = 0; ; ) {
    // The first page is always the next one, because listed entries are deleted.
    const page = await client.send(new ListObjectVersionsCommand({ Bucket: bucket }))
    const all = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]
    if (all.length === 0) return deleted
    const Objects = all.map(({ Key = '', VersionId }) => ({ Key, VersionId }))
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    )
    if (Errors[0]) throw new Error(`${bucket}: ${Errors[0].Key}: ${Errors[0].Message}`)
    deleted += Objects.length
  }
}

export async function emptyRepository(repositoryName: string): Promise<number> {
  const client = new ECRClient()
  const digests = new Set<string>()
  for await (const { imageIds = [] } of paginateListImages({ client }, { repositoryName }))
    for (const { imageDigest } of imageIds) if (imageDigest) digests.add(imageDigest)
  const all = [...digests].map((imageDigest) => ({ imageDigest }))
  for (let at = 0; at < all.length; at += 100)
    await client.send(new BatchDeleteImageCommand({ repositoryName, imageIds: all.slice(at, at + 100) }))
  return all.length
}

/** A file system with access points cannot be deleted. @returns their number */
export async function deleteAccessPoints(fileSystemId: string): Promise<number> {
  const client = new EFSClient()
  let deleted = 0
  for await (const { AccessPoints = [] } of paginateDescribeAccessPoints({ client }, { FileSystemId: fileSystemId }))
    for (const { AccessPointId } of AccessPoints) {
      await client.send(new DeleteAccessPointCommand({ AccessPointId }))
      deleted += 1
    }
  return deleted
}

/** Starts or continues a deletion. CloudFormation refuses a protected stack. */
export async function deleteStack(stack: string): Promise<void> {
  await new CloudFormationClient().send(new DeleteStackCommand({ StackName: stack }))
}

/** `gone`, or CloudFormation's status with the resources that failed. */
export async function deletionState(stack: string): Promise<{ status: string; problems: string[] }> {
  const client = new CloudFormationClient()
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }))
    const status = Stacks[0]?.StackStatus ?? 'gone'
    if (status === 'DELETE_COMPLETE') return { status: 'gone', problems: [] }
    if (status !== 'DELETE_FAILED') return { status, problems: [] }
    const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName: stack }))
    const failed = StackEvents.filter(({ ResourceStatus }) => ResourceStatus === 'DELETE_FAILED')
    return {
      status,
      problems: failed.map(
        ({ LogicalResourceId, ResourceStatusReason }) => `${LogicalResourceId}: ${ResourceStatusReason}`,
      ),
    }
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return { status: 'gone', problems: [] }
    throw error
  }
}
