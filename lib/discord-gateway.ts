import { type ISecurityGroup, Peer, Port, SecurityGroup, SubnetType } from 'aws-cdk-lib/aws-ec2'
import {
  type Cluster,
  ContainerImage,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
  Secret,
} from 'aws-cdk-lib/aws-ecs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { ImportedState } from './imported-state.ts'
import type { Stage } from './stage.ts'

interface Props {
  stage: Stage
  state: ImportedState
  cluster: Cluster
  apiBase: string
  image: string
}

/**
 * The single listener at Discord's gateway, which is the only source of plain messages. It may read only its own
 * secret. A deployment starts the new listener before it stops the old one; events that both receive are stored once.
 */
export class DiscordGateway extends Construct {
  constructor(scope: Construct, id: string, { stage, state, cluster, apiBase, image }: Props) {
    super(scope, id)
    const logGroup = new LogGroup(this, 'Logs', {
      retention: stage.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const taskDefinition = new FargateTaskDefinition(this, 'Task', {
      cpu: 256,
      memoryLimitMiB: 512,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
    })
    taskDefinition.addContainer('listener', {
      image: ContainerImage.fromRegistry(image),
      command: ['node', 'gateway/main.ts'],
      environment: { API_BASE: apiBase },
      secrets: { DISCORD_SECRET: Secret.fromSecretsManager(state.secrets.discord) },
      logging: LogDrivers.awsLogs({ logGroup, streamPrefix: 'listener' }),
      readonlyRootFilesystem: true,
      stopTimeout: Duration.seconds(30),
    })
    const executionRole = taskDefinition.obtainExecutionRole()
    state.images.grantPull(executionRole)
    const service = new FargateService(this, 'Service', {
      cluster,
      taskDefinition,
      desiredCount: stage.discordGateway ? 1 : 0,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      securityGroups: [this.#outgoing(state)],
    })
    // The service starts its task at once, which needs the right to pull the image and to read the secret.
    service.node.addDependency(executionRole)
  }

  #outgoing({ network }: ImportedState): ISecurityGroup {
    const group = new SecurityGroup(this, 'Outgoing', {
      vpc: network.vpc,
      description: 'The listener at Discord: nobody in, HTTPS out',
      allowAllOutbound: false,
    })
    group.addEgressRule(Peer.anyIpv4(), Port.HTTPS, 'HTTPS')
    return group
  }
}
