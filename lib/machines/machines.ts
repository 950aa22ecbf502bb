import { Cluster } from 'aws-cdk-lib/aws-ecs'
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { ImportedState } from '../imported-state.ts'
import type { Stage } from '../stage.ts'

/** The IAM path of the machines' own roles. */
export const machineRolePath = (stage: string): string => `/berth/${stage}/machines/`

/** The cluster, its logs, the role that starts machines, and the permissions boundary of machines' roles. */
export class Machines extends Construct {
  readonly cluster: Cluster
  readonly logs: LogGroup
  readonly executionRole: Role
  readonly boundary: ManagedPolicy
  readonly rolePath: string
  readonly image: string

  constructor(scope: Construct, id: string, stage: Stage, state: ImportedState) {
    super(scope, id)
    this.rolePath = machineRolePath(stage.name)
    this.image = state.images.repositoryUri
    this.cluster = new Cluster(this, 'Cluster', { vpc: state.network.vpc, enableFargateCapacityProviders: true })
    this.logs = new LogGroup(this, 'Logs', {
      retention: stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    this.executionRole = new Role(this, 'Execution', {
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
      description: 'Pulls the image and writes the log of machines',
    })
    state.images.grantPull(this.executionRole)
    this.logs.grantWrite(this.executionRole)
    this.boundary = new ManagedPolicy(this, 'Boundary', {
      description: 'The most a machine may do: mount a volume by its access point',
      statements: [mountByAccessPoint(Stack.of(this), state.fileSystem.arn)],
    })
  }
}

const mountByAccessPoint = (stack: Stack, fileSystemArn: string) =>
  new PolicyStatement({
    actions: ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'],
    resources: [fileSystemArn],
    conditions: {
      ArnLike: {
        'elasticfilesystem:AccessPointArn': stack.formatArn({
          service: 'elasticfilesystem',
          resource: 'access-point',
          resourceName: '*',
        }),
      },
      Bool: { 'aws:SecureTransport': 'true' },
    },
  })
