import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { ArnFormat, type Stack } from 'aws-cdk-lib/core'
import type { Variable } from '../domain/resources.ts'
import type { Machines } from './machines.ts'

/** Seeing what machines do. */
export function observeMachines(stack: Stack, { cluster }: Machines): PolicyStatement[] {
  const inCluster = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } }
  return [
    new PolicyStatement({
      actions: ['ecs:DescribeTasks'],
      resources: [tasksOf(stack, cluster.clusterName)],
      conditions: inCluster,
    }),
    // A listing names no resource; the condition keeps it to our cluster.
    new PolicyStatement({ actions: ['ecs:ListTasks'], resources: ['*'], conditions: inCluster }),
  ]
}

/** Everything the driver of machines calls: a family, an access point and a role for each user, then tasks of them. */
export function runMachines(stack: Stack, machines: Machines, variables: Record<Variable, string>): PolicyStatement[] {
  const { cluster, executionRole, boundary, rolePath } = machines
  const inCluster = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } }
  const tasks = tasksOf(stack, cluster.clusterName)
  const resourceName = `berth-${variables.STAGE}-*`
  const roles = stack.formatArn({
    service: 'iam',
    region: '',
    resource: 'role',
    resourceName: `${rolePath.slice(1)}${resourceName}`,
  })
  const families = stack.formatArn({ service: 'ecs', resource: 'task-definition', resourceName })
  const accessPoints = stack.formatArn({ service: 'elasticfilesystem', resource: 'access-point', resourceName: '*' })
  return [
    ...observeMachines(stack, machines),
    new PolicyStatement({ actions: ['ecs:RunTask'], resources: [families], conditions: inCluster }),
    new PolicyStatement({ actions: ['ecs:StopTask'], resources: [tasks], conditions: inCluster }),
    new PolicyStatement({
      actions: ['ecs:TagResource'],
      resources: [families, tasks],
      conditions: { StringEquals: { 'ecs:CreateAction': ['RunTask', 'RegisterTaskDefinition'] } },
    }),
    // ECS knows no resources for these two: what a definition can do is bounded by the roles it may pass.
    new PolicyStatement({
      actions: ['ecs:RegisterTaskDefinition', 'ecs:DescribeTaskDefinition', 'ecs:ListTaskDefinitions'],
      resources: ['*'],
    }),
    // Nor for this one; a family nobody starts is all it can make.
    new PolicyStatement({ actions: ['ecs:DeregisterTaskDefinition'], resources: ['*'] }),
    new PolicyStatement({ actions: ['iam:DeleteRolePolicy', 'iam:DeleteRole'], resources: [roles] }),
    new PolicyStatement({ actions: ['elasticfilesystem:DeleteAccessPoint'], resources: [accessPoints] }),
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [executionRole.roleArn, roles],
      conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
    }),
    new PolicyStatement({
      actions: ['iam:CreateRole', 'iam:PutRolePolicy'],
      resources: [roles],
      conditions: { StringEquals: { 'iam:PermissionsBoundary': boundary.managedPolicyArn } },
    }),
    new PolicyStatement({ actions: ['iam:TagRole'], resources: [roles] }),
    new PolicyStatement({
      actions: ['elasticfilesystem:CreateAccessPoint', 'elasticfilesystem:DescribeAccessPoints'],
      resources: [variables.FILE_SYSTEM_ARN],
    }),
    new PolicyStatement({ actions: ['elasticfilesystem:DescribeAccessPoints'], resources: [accessPoints] }),
    new PolicyStatement({
      actions: ['elasticfilesystem:TagResource'],
      resources: [accessPoints, variables.FILE_SYSTEM_ARN],
      conditions: { StringEquals: { 'elasticfilesystem:CreateAction': 'CreateAccessPoint' } },
    }),
  ]
}

const tasksOf = (stack: Stack, clusterName: string) =>
  stack.formatArn({
    service: 'ecs',
    resource: 'task',
    resourceName: `${clusterName}/*`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  })
